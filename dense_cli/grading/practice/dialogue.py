"""Learning alone: a dialogue about one question at a time, from (state, line) to (state, lines).

Nothing here reads or prints. What is kept from one sitting to the next is `Kept`.
"""

from __future__ import annotations

from collections.abc import Iterator
from shlex import quote

from dense_cli.errors import DenseError
from dense_cli.frozen import dataclass, field, replace
from dense_cli.grading.exercises.calculations import Answer
from dense_cli.grading.exercises.exercise import Exercise, ExerciseSet, Field, choice_word, in_language
from dense_cli.grading.handouts.pages import one_paragraph, set_option, words
from dense_cli.grading.marks.marking import FULL, INVALID, REVIEW, USUAL_DECIMALS, Mark, Marker, Rules
from dense_cli.grading.marks.questions import Question, SetQuestions, questions_about
from dense_cli.grading.marks.telling import Teller
from dense_cli.grading.practice.hints import LEVELS, Asked, hint
from dense_cli.grading.practice.state import Done, How, Kept, State
from dense_cli.grading.practice.words import command_of, command_words
from dense_cli.grading.variants.variant import variant
from dense_cli.lang.refusal import hint as refusal_hint
from dense_cli.lang.refusal import message
from dense_cli.reading.characters import visible
from dense_cli.render.notation import Notation

Lines = tuple[str, ...]


@dataclass(frozen=True)
class Coach:
    """Leads through a set, or through one exercise of it, in one language."""

    set: ExerciseSet
    teller: Teller
    alone: str | None = None
    rules: Rules = field(default_factory=Rules)
    _drawn: dict[tuple[str, str], Marker] = field(default_factory=dict, repr=False)

    @property
    def fields(self) -> tuple[Field, ...]:
        """What is to be answered."""
        return tuple(one for one in self.set.fields if self.alone in (None, one.exercise))

    def say(self, key: str, **facts: str) -> str:
        return self.teller.say(f"practice.{key}", **facts)

    # --- beginning

    def begin(self, kept: Kept, seed: str = "") -> tuple[State, Lines]:
        """The first question that is not done, with numbers of `seed` where an exercise is not begun."""
        known = {one.key for one in self.set.fields}
        begun = {key.partition(".")[0] for key in kept.done}
        fresh = {one.id: seed for one in self.set.exercises if seed and one.id not in begun}
        done = {key: one for key, one in kept.done.items() if key in known}
        state = State(replace(kept, done=done, seeds={**kept.seeds, **fresh}))
        lines = [self.say("welcome", title=words(self.set.title, self.teller.language))]
        if done:
            lines.append(self._counted("welcome-back", state))
        state, more = self._onwards(state, before=None)
        return state, (*lines, *more)

    def end(self, state: State, is_kept: bool = True) -> str:
        """The last line of a sitting."""
        return self._counted("ended" if is_kept else "ended-unkept", state)

    def _counted(self, key: str, state: State) -> str:
        done = sum(one.key in state.kept.done for one in self.fields) - len(self._skipped(state))
        return self.say(key, done=str(done), all=str(len(self.fields)))

    def _skipped(self, state: State) -> tuple[str, ...]:
        """The questions that were left open."""
        found = ((one.key, state.kept.done.get(one.key)) for one in self.fields)
        return tuple(key for key, done in found if done is not None and done.how == "skipped")

    def _nothing_left(self, state: State) -> str:
        """What is said where no question is to come."""
        skipped = self._skipped(state)
        if not skipped:
            return self.say("all-done")
        first = skipped[0].partition(".")[0]
        return self.say("all-but-skipped", fields=self.say("separator").join(skipped), id=first)

    # --- one line of the learner's

    def reply(self, state: State, line: str) -> tuple[State, Lines]:
        """What a line leads to: a command, or an answer to the question at hand."""
        if state.ended:
            return state, ()
        asked = self._field(state)
        command, rest = command_of(line, asked)
        match command:
            case "quit":
                return replace(state, ended=True), ()
            case "help":
                return state, tuple(self._help())
            case "list":
                return state, tuple(self._list(state))
            case "again":
                return self._again(state, rest)
        if asked is None or not line.strip():
            return state, self._question(state)
        match command:
            case "task":
                return state, (self._task(state, asked), *self._question(state))
            case "hint":
                return self._hinted(state, asked)
            case "key":
                return self._over(state, asked, "shown", (self._key(state, asked),))
            case "skip":
                return self._over(state, asked, "skipped", (self.say("skipped"),))
        return self._answered(state, asked, line.strip())

    def _answered(self, state: State, asked: Field, line: str) -> tuple[State, Lines]:
        marks = self._marker(state, asked.exercise).sheet({asked.key: line})
        mark = next(one for one in marks if one.field.key == asked.key)
        if mark.verdict == INVALID:
            return state, (self._refusal(mark),)
        state = replace(state, mark=mark, level=0)
        if mark.verdict == REVIEW:
            return self._over(state, asked, "kept", (self.say("kept"),))
        lines = (self.say("read-as", read=self._read_as(mark)), self._verdict(mark))
        if mark.verdict not in FULL:
            return state, (*lines, self.say("how-on"))
        return self._over(state, asked, "hinted" if state.hints else "alone", lines)

    def _refusal(self, mark: Mark) -> str:
        assert isinstance(mark.message, DenseError)
        error, say = self.teller.refused(mark.field, mark.message), self.teller.say
        reason, advice = message(error, say), refusal_hint(error, say)
        return self.say("not-read", reason=reason, hint=advice)

    def _verdict(self, mark: Mark) -> str:
        match mark.verdict:
            case "correct" | "partial":
                return self.say(mark.verdict)
            case "imprecise":
                return self.say(mark.verdict, decimals=str(mark.field.decimals or USUAL_DECIMALS))
        if mark.message is not None and mark.message.key == "check.entries":
            facts = {name: str(fact) for name, fact in mark.message.facts.items()}
            return self.say("entries", **facts)
        return self.say("wrong")

    def _hinted(self, state: State, asked: Field) -> tuple[State, Lines]:
        if state.level >= LEVELS:
            return state, (self.say("no-more-hints"),)
        level = state.level + 1
        subject = Asked(self._of(state, asked), state.mark, self._solve_call(state, asked))
        first, *more = hint(subject, level, self.teller)
        led = self.say("hint", level=str(level), last=str(LEVELS), hint=first)
        return replace(state, level=level, hints=state.hints + 1), (led, *more)

    def _again(self, state: State, typed: str) -> tuple[State, Lines]:
        """An exercise from its beginning, with numbers that were not there before."""
        place = state.place.partition(".")[0] if state.place else self.alone
        one = next((each for each in self._exercises() if each.id == (typed or place)), None)
        if one is None:
            known = self.say("separator").join(each.id for each in self._exercises())
            return state, (self.say("no-exercise", typed=visible(typed, 60), known=known),)
        kept = state.kept
        lines: Lines = ()
        if one.variation is None:
            lines = (self.say("no-variants", id=one.id),)
        else:
            drawn = kept.drawn + 1
            while str(drawn) == kept.seeds.get(one.id):
                drawn += 1
            kept = replace(kept, drawn=drawn, seeds={**kept.seeds, one.id: str(drawn)})
        own = {each.key for each in one.fields}
        kept = replace(kept, done={key: done for key, done in kept.done.items() if key not in own})
        state, more = self._at(replace(state, kept=kept), one.fields[0], announced=True)
        return state, (*lines, *more)

    # --- from question to question

    def _over(self, state: State, asked: Field, how: How, lines: Lines) -> tuple[State, Lines]:
        """A question is done: what is to be said, then the next."""
        done = {**state.kept.done, asked.key: Done(how, state.hints)}
        state = replace(state, kept=replace(state.kept, done=done))
        state, more = self._onwards(state, before=asked)
        return state, (*lines, *more)

    def _onwards(self, state: State, before: Field | None) -> tuple[State, Lines]:
        open_ = [one for one in self.fields if one.key not in state.kept.done]
        at = -1 if before is None else self.fields.index(before)
        behind = [one for one in open_ if self.fields.index(one) > at]
        following = next(iter(behind or open_), None)
        lines: Lines = ()
        if before is not None and (following is None or following.exercise != before.exercise):
            lines = tuple(self._closing(state, before.exercise))
        if following is None:
            lines = (*lines, self._nothing_left(state))
            return replace(state, place=None, mark=None, level=0, hints=0), lines
        announced = before is None or following.exercise != before.exercise
        state, more = self._at(state, following, announced)
        return state, (*lines, *more)

    def _at(self, state: State, asked: Field, announced: bool) -> tuple[State, Lines]:
        state = replace(state, place=asked.key, mark=None, level=0, hints=0)
        heading = (self._heading(state, asked), self._task(state, asked)) if announced else ()
        return state, (*heading, *self._question(state))

    def _closing(self, state: State, exercise: str) -> Iterator[str]:
        """What to remember of an exercise, once all of it is done."""
        own = self.set.exercise(exercise)
        found = [state.kept.done.get(one.key) for one in own.fields]
        if None in found:
            return
        remarks = self._questions(state, exercise)[0].exercise.remarks
        if remarks:
            yield self.say("remark", remark=words(remarks, self.teller.language))
        alone = sum(one is not None and one.how in ("alone", "hinted", "kept") for one in found)
        yield self.say("summary", id=own.id, alone=str(alone), all=str(len(found)))

    # --- lines

    def _heading(self, state: State, asked: Field) -> str:
        one, seed = self._of(state, asked).exercise, state.kept.seeds.get(asked.exercise, "")
        title = words(one.title, self.teller.language)
        if seed and one.variation is not None:
            return self.say("exercise-variant", id=one.id, title=title, seed=visible(seed, 60))
        return self.say("exercise", id=one.id, title=title)

    def _task(self, state: State, asked: Field) -> str:
        return words(self._of(state, asked).exercise.text, self.teller.language)

    def _question(self, state: State) -> Lines:
        asked = self._field(state)
        if asked is None:
            return (self._nothing_left(state),)
        ask = one_paragraph(in_language(self._of(state, asked).field.ask, self.teller.language))
        return (self.say("question", field=asked.key, ask=ask),)

    def _key(self, state: State, asked: Field) -> str:
        if asked.kind == "text":
            return self.say("key-open")
        return self.say("key", answer=self._written(asked, self._of(state, asked).right))

    def _written(self, asked: Field, answer: Answer) -> str:
        if isinstance(answer, str):
            return choice_word(asked, answer, self.teller.language)
        if isinstance(answer, bool):
            return Notation(self.teller.say).prose(answer)
        return Notation(self.teller.say).value(answer).text

    def _read_as(self, mark: Mark) -> str:
        """How an answer was understood: choices in the reader's language, numbers with the digits typed."""
        if isinstance(mark.value, str | bool):
            return self._written(mark.field, mark.value)
        return mark.read_as or ""

    def _help(self) -> Iterator[str]:
        yield self.say("help-answer")
        for name in ("hint", "key", "skip", "again", "task", "list", "quit"):
            names = self.say("separator").join(command_words(self.teller.language, name))
            yield self.say(f"help-{name}", words=names)

    def _list(self, state: State) -> Iterator[str]:
        for one in self.fields:
            done = state.kept.done.get(one.key)
            facts = {"hints": str(done.hints)} if done is not None and done.how == "hinted" else {}
            how = self.say("state-open" if done is None else f"state-{done.how}", **facts)
            yield self.say("list-line", field=one.key, state=how)

    def _solve_call(self, state: State, asked: Field) -> str:
        seed = state.kept.seeds.get(asked.exercise, "")
        numbers = f" --variant {quote(seed)}" if seed else ""
        return f"dense exercise solve {asked.exercise}{numbers}{set_option(self.set)}"

    # --- what is asked

    def _exercises(self) -> tuple[Exercise, ...]:
        return tuple(one for one in self.set.exercises if self.alone in (None, one.id))

    def _field(self, state: State) -> Field | None:
        return next((one for one in self.fields if one.key == state.place), None)

    def _of(self, state: State, asked: Field) -> Question:
        return next(one for one in self._questions(state, asked.exercise) if one.field.key == asked.key)

    def _questions(self, state: State, exercise: str) -> tuple[Question, ...]:
        return self._marker(state, exercise).questions.questions

    def _marker(self, state: State, exercise: str) -> Marker:
        """The marker of one exercise with its present numbers, made once."""
        seed = state.kept.seeds.get(exercise, "")
        if (exercise, seed) not in self._drawn:
            one = self.set.exercise(exercise)
            questions = variant(one, seed) if seed else questions_about(one)
            alone = replace(self.set, exercises=(questions[0].exercise,))
            self._drawn[exercise, seed] = Marker(SetQuestions(alone, questions), self.rules)
        return self._drawn[exercise, seed]

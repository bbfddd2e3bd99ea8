"""Every mistake has its words in each language, and no words are left over."""

from __future__ import annotations

import pytest

from dense_cli.lang import LANGUAGES, placeholders, topic_texts
from dense_cli.mistakes import TOPICS, catalogue
from dense_cli.mistakes.rope_models import of_model
from dense_cli.models.config import read_config

# Told by what needs more than one hand-sized given: arrays with heads, a block, a format, an exercise.
BEYOND_A_GIVEN = {
    "rope.head-as-position",
    "rope.single-precision-angles",
    "rope.scaled-by-width",
    "rope.value-rotated",
    "rmsnorm.cast-order",
    "rmsnorm.not-rounded",
    "swiglu.not-rounded",
    "exercises.old-matrix",
    "exercises.unshifted",
    "exercises.shifted-by-one",
}
OF_MODELS = of_model(read_config('{"model_type": "llama"}'))
MISTAKES = {
    f"{mistake.topic}.{mistake.id}": mistake
    for mistakes in (*map(catalogue, TOPICS), OF_MODELS)
    for mistake in mistakes
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_mistake_and_no_other_has_words(language):
    told = {key.rpartition(".")[0] for key in topic_texts(language, "mistakes")}
    assert told == MISTAKES.keys() | BEYOND_A_GIVEN


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_mistake_has_title_explanation_and_tell_and_a_convention_its_users(language):
    texts = topic_texts(language, "mistakes")
    for name, mistake in MISTAKES.items():
        has = {key.rpartition(".")[2] for key in texts if key.startswith(f"{name}.")}
        users = {"users"} if mistake.kind == "convention" else set()
        which = {"setting", "settings"} if mistake.setting else set()
        assert has == {"title", "explanation", "tell"} | users | which, name
        assert mistake.words("title").removeprefix("mistakes.") in texts


@pytest.mark.parametrize(("language", "end"), [("en", "."), ("zh", "。")])
def test_explanations_are_sentences_and_titles_are_none(language, end):
    for key, text in topic_texts(language, "mistakes").items():
        assert text.strip() == text, key
        assert text, key
        assert text.endswith(end) == (not key.endswith(".title")), key
        name, _, word = key.rpartition(".")
        asked = {MISTAKES[name].setting} if word in ("setting", "settings") else set()
        assert placeholders(text) == asked, key


@pytest.mark.parametrize(
    ("language", "words"), [("en", ("wrong", "mistake", "error")), ("zh", ("错误", "不对"))]
)
def test_a_convention_is_never_called_an_error(language, words):
    texts = topic_texts(language, "mistakes")
    for name, mistake in MISTAKES.items():
        if mistake.kind == "convention":
            told = " ".join(text for key, text in texts.items() if key.startswith(f"{name}."))
            assert not [word for word in words if word in told.lower()], name

"""What the refusals advise is accepted: every example in a hint reads."""

import re
import tomllib
from pathlib import Path

import pytest

import dense_cli.reading
from dense_cli.errors import DenseError
from dense_cli.lang import LANGUAGES
from dense_cli.reading.angles import angle
from dense_cli.reading.answers import read_choice, read_number, read_vector, read_yes_no
from dense_cli.reading.documents import decoded, json_document, nested_numbers
from dense_cli.reading.files import is_source, load
from dense_cli.reading.numbers import number
from dense_cli.reading.vectors import matrix, vector

SOURCES = Path(dense_cli.reading.__file__).parent
READERS = {
    "angle-without-number": angle,
    "decimal-commas": lambda text: read_vector(text, 2),
    "not-yes-or-no": read_yes_no,
    "not-a-word": read_yes_no,
    "spreadsheet-date": read_number,
    "latex-unknown": read_number,
    **dict.fromkeys(
        ("vector-empty", "empty-entry", "vector-has-rows", "rows-in-vector", "number-too-long"), vector
    ),
    **dict.fromkeys(
        ("mixed-brackets", "brackets-too-deep", "bracket-mismatch", "bracket-open", "json-too-deep"), matrix
    ),
    "not-a-list-of-numbers": vector,
}


def words_in(language):
    files = (SOURCES.parent / "lang" / language / "errors").glob("*.toml")
    return tomllib.loads("\n".join(path.read_text(encoding="utf-8") for path in files))


def raised_keys():
    """The keys of all refusals that stand in the source of this part."""
    text = "".join(path.read_text(encoding="utf-8") for path in SOURCES.glob("*.py"))
    plain = re.findall(r'(?:DenseError|refused)\(\s*"([a-z-]+)"', text)
    chosen = re.findall(r'(?:key =|else|hint =) "([a-z]+(?:-[a-z]+)+)"(?: if|\)|,|\n)', text)
    first = re.findall(r'"([a-z]+(?:-[a-z]+)+)" if ', text)
    return sorted(set(plain + chosen + first))


def test_the_source_is_searched_for_its_refusals():
    keys = raised_keys()
    assert {"superscript", "two-points", "mixed-brackets", "file-not-regular", "not-a-choice-near"} <= set(
        keys
    )
    assert len(keys) > 60


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_refusal_has_its_words_and_every_example_in_a_hint_is_accepted(language):
    words = words_in(language)
    for key in raised_keys():
        assert key in words, key
        for example in re.findall(r"`([^`]+)`", words[key]["hint"]):
            if "{" not in example and not example.startswith("--") and not is_source(example):
                assert READERS.get(key, number)(example) is not None, (key, example)


TYPED = {
    number: "|3²|½|x₂|٦|—1|\x1b|nan|true|1_0|2e|x|1,5|1.2.3|6 4|?|1)|(1|1/2π|1+|1e400|e^-1000|1/0|0^0|√(-1)|"
    + "1" * 201,
    lambda text: number(text.replace("V", "(" * 40)): "V1",
    vector: "[]|1,,2|1:2,3|1;2,3,4|[1,[2]]|[[[1]],[[2]]]|[1|1,x",
    matrix: "1,2:3",
    angle: "deg|1e400deg",
    read_number: "#N/A|2-Jan|\\foo|64,000|" + "1" * 5000,
    lambda text: read_vector(text, 2): "1,2,3,4|[a]",
    read_yes_no: "maybe",
    lambda text: read_choice(text, {"one": ()}): "on|zzz|\x00",
    lambda text: load(text, "matrix"): "@|@none.npy|@/dev/null.npy",
    lambda text: json_document(text, text): "[|NaN|[1e|" + "[" * 99_999 + "|" + '{"a":1,"a":2}',
    lambda text: nested_numbers(
        json_document(text, text), text
    ): "{}|[true]|[[1],[1,2]]|[1,[2]]|[[[[[[[[[1]]]]]]]]]|[]",
    lambda text: decoded(text.encode("utf-16-le"), text): "\ud7ff张",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_refusal_brings_the_facts_that_its_words_speak_of(language):
    words = words_in(language)
    for read, texts in TYPED.items():
        for text in texts.split("|"):
            with pytest.raises(DenseError) as refused:
                read(text)
            error = refused.value
            told = words[error.key]["message"].format(**error.facts) + words[error.hint]["hint"].format(
                **error.facts
            )
            assert "{" not in told.replace(text, "")
            assert "typed" in error.facts

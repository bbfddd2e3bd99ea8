"""Both languages say the same things of the same facts, and every key that code names exists."""

import ast
import re
from pathlib import Path

import pytest

import dense_cli
from dense_cli.lang import LANGUAGES, is_said, placeholders, say_in, topic_texts, topics

PACKAGE = Path(dense_cli.__file__).parent
TOPICS = topics("en")


def test_languages_have_the_same_topics():
    assert all(topics(language) == TOPICS for language in LANGUAGES)


@pytest.mark.parametrize("topic", TOPICS)
def test_languages_have_the_same_keys(topic):
    assert topic_texts("en", topic).keys() == topic_texts("zh", topic).keys()


@pytest.mark.parametrize("topic", TOPICS)
def test_languages_speak_of_the_same_facts(topic):
    chinese = topic_texts("zh", topic)
    for key, english in topic_texts("en", topic).items():
        assert placeholders(english) == placeholders(chinese[key]), f"{topic}.{key}"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("topic", TOPICS)
def test_a_key_read_alone_has_the_words_of_the_whole_file(topic, language):
    """A call reads only the tables it speaks from; the whole file is the witness."""
    say = say_in(language)
    for key, text in topic_texts(language, topic).items():
        facts = {name: f"<{name}>" for name in placeholders(text)}
        assert say(f"{topic}.{key}", **facts) == text.format_map(facts), key
        assert is_said(language, f"{topic}.{key}")
    assert not is_said(language, f"{topic}.no-such-table.no-such-key")


@pytest.mark.parametrize("topic", [topic for topic in TOPICS if topic != "help"])
def test_chinese_is_chinese(topic):
    """A sentence that is the same in both languages was forgotten; a name may be."""
    english = topic_texts("en", topic)
    for key, chinese in topic_texts("zh", topic).items():
        worded = re.sub(r"\{\w+\}", "", english[key])
        if re.search(r"[a-z]{3} [a-z]{2}", worded) and english[key] == chinese:
            pytest.fail(f"{topic}.{key}: {chinese}")


def test_every_refusal_has_words():
    """Each key that code refuses with has a message, and each hint it names a hint."""
    texts = topic_texts("en", "errors")
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "DenseError"):
                continue
            key = node.args[0] if node.args else None
            hints = [keyword.value for keyword in node.keywords if keyword.arg == "hint"]
            if isinstance(key, ast.Constant):
                assert f"{key.value}.message" in texts, f"{path.name}: {key.value}"
                if not hints:
                    assert f"{key.value}.hint" in texts, f"{path.name}: {key.value}"
            for hint in hints:
                if isinstance(hint, ast.Constant) and hint.value is not None:
                    assert f"{hint.value}.hint" in texts, f"{path.name}: {hint.value}"


def test_no_refusal_has_words_that_nobody_says():
    """Words of a key that no code names were left over; a block's departures are named by data."""
    code = "".join(path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    departures = {f"block-{key.partition('.')[2]}" for key in topic_texts("en", "models")}
    keys = {key.rpartition(".")[0] for key in topic_texts("en", "errors")}
    assert {key for key in keys - departures if f'"{key}"' not in code} == set()

"""The short way for plain decimals against the parser that reads everything."""

from hypothesis import given, settings
from hypothesis import strategies as st

from dense_cli.reading.numbers import MAX_LENGTH, evaluated


@settings(max_examples=100, deadline=None)
@given(st.from_regex(r"-?[0-9]{1,20}(\.[0-9]{0,20})?", fullmatch=True))
def test_a_plain_decimal_is_what_the_parser_makes_of_it(text):
    sign, digits = text[: text.startswith("-")], text.lstrip("-")
    parsed = evaluated(f"{sign}({digits})")  # parentheses need the parser
    assert evaluated(text) == parsed
    assert type(evaluated(text)) is type(parsed)
    assert len(text) <= MAX_LENGTH

"""What many tests of marking would work out again and again."""

import pytest

from dense_cli.grading.variants import variant
from tests.grading import marked


@pytest.fixture
def questions_once(monkeypatch):
    """The shipped exercises with the numbers of a seed are the same questions in every call."""
    monkeypatch.setattr(variant, "variant", marked.drawn_once)
    monkeypatch.setattr(variant, "questions_about", marked.asked_once)

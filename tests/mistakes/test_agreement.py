"""Values looked up in their order against comparing with each of them."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from dense_cli.mistakes.agreement import WrongValues, agreement, shaped

ENTRIES = st.sampled_from([0.0, 1.0, 1.00004, 1.00006, -1.0, 2, 10**400, float("inf"), float("nan"), None])
VALUES = st.one_of(ENTRIES, st.lists(ENTRIES, max_size=3).map(tuple))


@given(st.lists(VALUES, max_size=8), VALUES, st.sampled_from([0.0, 5e-5, 1.0]), st.sampled_from([0.0, 0.1]))
@example([1.00006, (1.00006, 2)], 1.0, 0.0, 0.1)
@settings(max_examples=100, deadline=None)
def test_looking_values_up_in_order_finds_what_comparing_with_each_finds(values, found, atol, rtol):
    table = WrongValues(((place,), shaped(value)) for place, value in enumerate(values))
    each = {(place,): agreement(found, value, atol, rtol) for place, value in enumerate(values)}
    assert table.fitting(found, atol, rtol) == {steps: one for steps, one in each.items() if one is not None}

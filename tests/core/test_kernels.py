"""Arrays of any make give what the plain calculation gives, up to rounding, with no room of their size."""

import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense_cli.core import ffn as plain_ffn
from dense_cli.core import norms as plain_norms
from dense_cli.core import rope as plain_rope
from dense_cli.core.activations import ACTIVATIONS
from dense_cli.core.angles import Rate, cos_sin
from dense_cli.core.kernels import rms, tables
from dense_cli.core.kernels.gating import gated, gated_ffn
from dense_cli.core.kernels.rms import rms_norm
from dense_cli.core.kernels.rotation import table, turned
from dense_cli.core.kernels.tables import directions
from dense_cli.core.kernels.walking import blocks, rows_where_they_stand
from dense_cli.core.schedule import QUARTER_TURN, Schedule
from dense_cli.errors import DenseError

DTYPES = ("<f4", ">f4", "<f8", ">f8", "<f2", "<i4")
CLOSE = {"<f4": 4e-6, ">f4": 4e-6, "<f8": 1e-14, ">f8": 1e-14, "<f2": 4e-3, "<i4": 1e-14}
MAKES = ("contiguous", "strided", "reversed", "transposed")


def made(shape, dtype, make, seed=0):
    """An array of numbers around ±3 with this shape, lying in memory in one of several ways."""
    numbers = np.random.default_rng(seed).standard_normal(shape) * 3
    if make == "strided":
        room = np.zeros((*shape[:-1], 2 * shape[-1]), dtype)[..., ::2]
    elif make == "reversed":
        room = np.zeros(shape, dtype)[..., ::-1]
    elif make == "transposed":
        room = np.zeros(shape[::-1], dtype).T
    else:
        room = np.zeros(shape, dtype)
    room[...] = numbers.astype(dtype)
    return room


def close(found, wanted, tolerance):
    assert found.shape == wanted.shape
    scale = max(1.0, float(np.abs(wanted).max(initial=0.0)))
    np.testing.assert_allclose(found.astype(float), wanted, rtol=tolerance, atol=tolerance * scale)


arrays = st.fixed_dictionaries(
    {
        "dtype": st.sampled_from(DTYPES),
        "make": st.sampled_from(MAKES),
        "into": st.sampled_from(("fresh", "given", "itself", "strided", "shifted")),
        "leading": st.sampled_from(((), (1,), (3,), (2, 3), (0,), (2, 0))),
        "tokens": st.integers(0, 7),
    }
)


def through(kernel, x, into, wanted_dtype):
    """The kernel's result, wherever it is asked to write it."""
    if into == "fresh":
        found = kernel(x, None)
        assert found.dtype == wanted_dtype
        return found
    if into == "itself" and x.dtype.kind == "f":
        out = x
    elif into == "shifted" and x.dtype.kind == "f":  # shares all its numbers but one with x
        room = np.zeros(x.size + 1, x.dtype)
        x_inside = room[:-1].reshape(x.shape)
        x_inside[...] = x
        x, out = x_inside, room[1:].reshape(x.shape)
    elif into == "strided":
        out = made(x.shape, wanted_dtype, "strided", seed=9)
    else:
        out = np.full(x.shape, np.nan, wanted_dtype)
    assert kernel(x, out) is out
    return out


def result_dtype(dtype):
    return np.dtype(dtype).newbyteorder("=") if np.dtype(dtype).kind == "f" else np.dtype(float)


# --- cosines and sines


@pytest.mark.parametrize("start", [0, 1, 10**6, 10**12, 2**60])
@pytest.mark.parametrize("count", [1, 64, 65, 256, 600])
def test_a_run_of_positions_is_off_by_at_most_one_last_place_of_one(start, count):
    rates = Schedule(Fraction(10000), 16)
    found = directions(rates, range(start, start + count))
    for place in {0, count // 2, count - 1}:
        exact = np.array([complex(*cos_sin(rate, start + place)) for rate in rates])
        assert np.abs(found[place].real - exact.real).max() <= 2**-52
        assert np.abs(found[place].imag - exact.imag).max() <= 2**-52


def test_single_positions_are_off_by_one_unit_in_their_own_last_place():
    rates = Schedule(Fraction(500000), 16)
    places = np.array([[3, 10**12], [7 * 10**11 + 3, 1]])
    found = directions(rates, places)
    assert found.shape == (2, 2, 8)
    for index in np.ndindex(2, 2):
        for i, rate in enumerate(rates):
            cosine, sine = cos_sin(rate, int(places[index]))
            assert abs(found[index][i].real - cosine) <= np.spacing(abs(cosine))
            assert abs(found[index][i].imag - sine) <= np.spacing(abs(sine))


def test_far_cosines_agree_with_numbers_from_outside():
    """cos and sin of 10**12 radians and of 999999 · 10000**(−1/2), to 17 digits by mpmath."""
    found = directions([Rate.radians(1)], np.array([10**12]))[0, 0]
    assert found == pytest.approx(complex(0.7914463018528902, -0.6112387023768895), abs=2e-16)
    found = directions(Schedule(Fraction(10000), 4), np.array([999_999]))[0, 1]
    assert found == pytest.approx(complex(-0.9551638538407377, -0.2960777133053244), abs=2e-16)


@pytest.mark.parametrize("count", [5, 500])
def test_rational_parts_of_a_turn_are_looked_up(count):
    rates = [QUARTER_TURN, Rate.turns(Fraction(1, 12)), Rate.turns(Fraction(-7, 360)), Rate.turns(0)]
    exact = [[complex(*cos_sin(rate, place)) for rate in rates] for place in range(-3, count - 3)]
    assert directions(rates, range(-3, count - 3)).tolist() == exact


@pytest.mark.parametrize(
    "places",
    [[0.5, 2.25], [Fraction(1, 2), Fraction(10**14 + 1, 3)], [10**30, 3], [2**63 + 1, -1], [2**63 + 1, 0.5]],
)
def test_positions_may_be_decimals_or_as_large_as_you_like(places):
    rates = [QUARTER_TURN, *Schedule(Fraction(10000), 4)]
    given = np.array(places, object) if isinstance(places[0], Fraction) else places
    exact = np.array([[complex(*cos_sin(rate, Fraction(place))) for rate in rates] for place in places])
    np.testing.assert_allclose(directions(rates, given), exact, rtol=0, atol=2**-52)


@pytest.mark.parametrize("count", [3, 300])
def test_the_factor_goes_into_the_table(count):
    rates = [QUARTER_TURN, Rate.radians(1)]
    plainly = directions(rates, range(count))
    np.testing.assert_allclose(directions(rates, range(count), factor=1.5), 1.5 * plainly, rtol=1e-15)


@pytest.mark.parametrize(
    "positions",
    [
        range(0),
        range(2**63 - 2, 2**63 + 2),
        [2**63 - 1, 2**63, 2**63 + 1],
        range(4, 10, 2),
        range(0, 600, 2),
        range(99, -1, -1),
        [],
        [5],
        [0, *range(70, 0, -1), 71],
        np.arange(3, dtype=">i2"),
        4.0,
    ],
)
def test_any_positions_have_a_table(positions):
    exact = [
        [complex(*cos_sin(QUARTER_TURN, int(place)))] for place in np.ravel(np.asarray(positions, object))
    ]
    found = directions([QUARTER_TURN], positions)
    assert found.shape == (*np.shape(positions), 1)
    assert found.reshape(-1, 1).tolist() == exact


@pytest.mark.parametrize("pairs", [1, 3, 64, 700, 1100])
@pytest.mark.parametrize("count", [255, 256, 257, 512, 4500])
def test_a_run_of_any_width_and_length_is_right_from_end_to_end(pairs, count):
    """Short rows are laid side by side, and the last positions may be fewer than a run."""
    rates = Schedule(Fraction(10000), 2 * pairs)
    found = directions(rates, range(7, 7 + count))
    assert found.shape == (count, pairs)
    for place in (0, 1, 254, 255, 256, 511, count // 2, count - 1):
        if place < count:
            i = (5 * place) % pairs
            exact = complex(*cos_sin(rates[i], 7 + place))
            assert (
                max(abs(found[place, i].real - exact.real), abs(found[place, i].imag - exact.imag)) <= 2**-52
            )


@pytest.mark.parametrize("dtype", ["<c8", ">c8", ">c16"])
def test_a_table_of_another_number_type_is_the_best_one_rounded(dtype):
    rates = [QUARTER_TURN, *Schedule(Fraction(10000), 12)]
    best = directions(rates, range(5, 1005), factor=1.25)
    found = directions(rates, range(5, 1005), dtype, 1.25)
    assert found.dtype == np.dtype(dtype)
    assert (found == best.astype(dtype)).all()


@pytest.mark.parametrize("make", [list, tuple, lambda rates: rates])
def test_a_second_table_is_the_first_one_again(make):
    """What is kept for it is not the table; and another factor or start is another table."""
    rates = make(Schedule(Fraction(10000), 8))
    first = directions(rates, range(300))
    kept = first.copy()
    first[...] = 0
    assert (directions(rates, range(300)) == kept).all()
    np.testing.assert_allclose(directions(rates, range(300), factor=2.0), 2 * kept, rtol=1e-15)
    assert (directions(rates, range(300)) == kept).all()
    np.testing.assert_allclose(directions(rates, range(1, 301))[:-1], kept[1:], rtol=0, atol=2**-51)


def test_what_is_kept_for_the_next_table_is_bounded():
    caches = (tables._parts, tables._near)
    for cache in caches:
        cache.cache_clear()
    directions(Schedule(Fraction(10000), 2 * (tables.REMEMBERED // tables.NEAR + 1)), range(65))
    assert [cache.cache_info().currsize for cache in caches] == [0, 0]
    directions([QUARTER_TURN], range(tables.REMEMBERED * tables.NEAR + 1), np.complex64)
    assert [cache.cache_info().currsize for cache in caches] == [0, 1]
    directions([QUARTER_TURN], range(300))
    assert [cache.cache_info().currsize for cache in caches] == [1, 1]
    assert all(cache.cache_info().maxsize * tables.REMEMBERED * 16 <= 2**23 for cache in caches)


@pytest.mark.parametrize("start", [-(10**30), 2**63 - 100, 10**30 + 1])
def test_a_run_may_begin_anywhere(start):
    rates = [QUARTER_TURN, Rate.turns(Fraction(1, 7)), *Schedule(Fraction(10000), 4)]
    found = directions(rates, range(start, start + 300))
    for place in (0, 255, 256, 299):
        exact = np.array([complex(*cos_sin(rate, start + place)) for rate in rates])
        assert np.abs(found[place] - exact).max() <= 2**-52
        assert found[place, :2].tolist() == exact[:2].tolist()


def test_numpys_buffers_are_as_large_as_before():
    usual = np.getbufsize()
    with rows_where_they_stand():
        assert np.getbufsize() < usual
    assert np.getbufsize() == usual
    directions([QUARTER_TURN], range(300))
    turned(np.ones((300, 2)), table([QUARTER_TURN], range(300)))
    rms_norm(np.ones((300, 2)))
    with pytest.raises(DenseError):
        rms_norm(np.zeros((300, 2)))
    assert np.getbufsize() == usual


# --- rotation


def turned_plainly(x, rates, positions, layout, written=None):
    """Row by row through the core, whose every value is rounded once."""
    result = np.array(x, float)
    for index in np.ndindex(x.shape[:-1]):
        row = tuple(map(float, x[index]))
        given = plain_rope.Rope(
            row,
            row,
            ((positions[index[-1]], 0),),
            rates,
            rotary_dim=2 * len(rates),
            layout=layout,
            output_layout=written,
        )
        result[index] = plain_rope.rope(given)[0].query
    return result


@settings(max_examples=150, deadline=None)
@given(
    arrays,
    st.sampled_from(("interleaved", "half")),
    st.sampled_from((None, "interleaved", "half")),
    st.sampled_from(((2, 2), (4, 4), (6, 4), (5, 2), (6, 6))),
    st.sampled_from((0, 1000)),
)
def test_rotation_is_the_plain_rotation(array, layout, written, widths, start):
    width, rotary_dim = widths
    x = made((*array["leading"], array["tokens"], width), array["dtype"], array["make"])
    rates = Schedule(Fraction(10000), rotary_dim)
    positions = range(start, start + array["tokens"])
    wanted = turned_plainly(x, rates, positions, layout, written)
    dtype = result_dtype(array["dtype"])
    held = np.float64 if dtype.itemsize == 8 else np.float32
    by = table(rates, positions, layout, held, written=written)
    found = through(lambda x, out: turned(x, by, out), x, array["into"], dtype)
    close(found, wanted, CLOSE[array["dtype"]])


@pytest.mark.parametrize("layout", ["interleaved", "half"])
@pytest.mark.parametrize("shape", [(3, 1100, 6), (70000, 2), (5, 70000)])
@pytest.mark.parametrize("make", MAKES)
def test_rotation_of_many_blocks_is_the_formula(layout, shape, make):
    """Shapes that leave a shorter block at the end, and rows longer than a block."""
    x = made(shape, "<f4", make)
    rotary_dim = shape[-1] if shape[-1] < 10 else 4
    rates = Schedule(Fraction(100), rotary_dim)
    tokens = shape[-2]
    by = directions(rates, range(tokens))
    wanted = x.astype(float)
    pair = np.array(plain_rope.pairs(layout, rotary_dim))
    first, second = x[..., pair[:, 0]], x[..., pair[:, 1]]
    wanted[..., pair[:, 0]] = first * by.real - second * by.imag
    wanted[..., pair[:, 1]] = first * by.imag + second * by.real
    by = table(rates, range(tokens), layout, np.float32)
    found = turned(x, by)
    close(found, wanted, 1e-6)
    assert turned(x, by, x) is x
    np.testing.assert_array_equal(x, found)


def test_each_sequence_may_have_its_own_positions():
    x = made((2, 3, 4, 2), "<f8", "contiguous")
    places = np.array([[0, 1, 2, 3], [7, 7, 8, 9]])
    found = turned(x, table([QUARTER_TURN], places[:, None, :], "half"))
    for batch in range(2):
        wanted = turned_plainly(x[batch], [QUARTER_TURN], places[batch].tolist(), "half")
        np.testing.assert_array_equal(found[batch], wanted)


@pytest.mark.parametrize(
    ("shape", "positions", "out", "key"),
    [
        ((3, 1), range(3), None, "rotary-dim-out-of-range"),
        ((), range(1), None, "rotary-dim-out-of-range"),
        ((3, 2), range(4), None, "position-count"),
        ((1, 2), range(4), None, "position-count"),
        ((3, 2), range(3), (2, 3), "out-shape"),
    ],
)
def test_rotation_refuses_what_does_not_fit(shape, positions, out, key):
    room = None if out is None else np.zeros(out)
    with pytest.raises(DenseError) as refusal:
        turned(np.zeros(shape), table([QUARTER_TURN], positions), room)
    assert refusal.value.key == key


def test_an_unknown_layout_is_refused():
    with pytest.raises(DenseError, match="unknown-layout"):
        table([QUARTER_TURN], range(2), "halves")


# --- RMSNorm


def normalised_plainly(x, gain, eps, unit_offset):
    rows = x.reshape(-1, x.shape[-1]).astype(float)
    if not rows.size:
        return np.zeros(x.shape)
    given = plain_norms.Norm(
        tuple(map(tuple, rows.tolist())), None if gain is None else tuple(gain), eps, unit_offset
    )
    return np.array([row.output for row in plain_norms.norm(given)]).reshape(x.shape)


@settings(max_examples=100, deadline=None)
@given(arrays, st.integers(1, 9), st.booleans(), st.booleans(), st.sampled_from((1e-6, 0.1)))
def test_rms_norm_is_the_plain_norm(array, width, with_gain, unit_offset, eps):
    x = made((*array["leading"], array["tokens"], width), array["dtype"], array["make"])
    gain = np.linspace(-1, 2, width) if with_gain else None
    wanted = normalised_plainly(x, gain, eps, unit_offset)
    found = through(
        lambda x, out: rms_norm(x, gain, eps, unit_offset, out),
        x,
        array["into"],
        result_dtype(array["dtype"]),
    )
    close(found, wanted, CLOSE[array["dtype"]])


@pytest.mark.parametrize("make", MAKES)
@pytest.mark.parametrize("shape", [(5, 1100, 6), (9000, 7), (3, 300_001)])
def test_rms_norm_of_many_blocks_is_the_formula(shape, make):
    x = made(shape, "<f4", make)
    wide = x.astype(float)
    wanted = wide / np.sqrt((wide**2).mean(axis=-1, keepdims=True))
    close(rms_norm(x), wanted, 1e-6)


@pytest.mark.parametrize(
    ("dtype", "sizes"),
    [
        ("f4", (1e-45, 3e-42, 1e-30, 3.3e-22, 1.0, 1e18, 1e20, 3e38)),
        ("f8", (5e-324, 1e-310, 1e-161, 1.0, 1e300)),
    ],
)
def test_no_square_overflows_or_vanishes(dtype, sizes):
    """Rows of very different sizes beside each other, each with its own plain result."""
    rows = np.outer(sizes, (1.0, -0.5, 0.25)).astype(dtype)
    rows[:, 1:] = np.where(rows[:, :1] < 1e-40, 0, rows[:, 1:])
    wanted = normalised_plainly(rows, (2.0, 1.0, 1.0), 0.0, False)
    found = rms_norm(rows, np.array([2.0, 1.0, 1.0]))
    np.testing.assert_allclose(found, wanted, rtol=1e-6 if dtype == "f4" else 1e-15)


def test_a_small_epsilon_counts_beside_small_numbers():
    row = np.array([[1e-25, 1e-25]], np.float32)
    np.testing.assert_allclose(rms_norm(row, eps=1e-50), np.sqrt(0.5), rtol=1e-6)
    np.testing.assert_array_equal(rms_norm(np.zeros((2, 3)), eps=1e-300), 0)


def test_nan_and_infinity_stay_in_their_row():
    rows = np.array([[3.0, 4.0], [np.nan, 1.0], [np.inf, 1.0]])
    found = rms_norm(rows)
    np.testing.assert_allclose(found[0], [0.848528137423857, 1.131370849898476], rtol=1e-15)
    assert np.isnan(found[1]).all()
    assert np.isnan(found[2, 0])
    assert found[2, 1] == 0


def test_the_older_way_to_sum_squares_gives_the_same(monkeypatch):
    x = made((40, 300), "<f4", "contiguous")
    now = rms.square_sums(x)
    monkeypatch.delattr(np, "vecdot", raising=False)
    np.testing.assert_allclose(rms.square_sums(x), now, rtol=1e-6)
    assert rms.square_sums(x[0]).shape == ()


def test_a_row_of_zeros_is_named():
    x = np.ones((2, 3, 4), np.float32)
    x[1, 0] = 0
    with pytest.raises(DenseError) as refusal:
        rms_norm(x)
    assert (refusal.value.key, refusal.value.facts) == ("zero-row", {"row": 4})


@pytest.mark.parametrize(
    ("x", "options", "key"),
    [
        (np.zeros((2, 0)), {}, "array-no-coordinates"),
        (np.array(1.0), {}, "array-no-coordinates"),
        (np.ones(2), {"gain": np.ones(3)}, "gain-width"),
        (np.ones(2), {"gain": np.ones((1, 2))}, "gain-width"),
        (np.ones(2), {"eps": -1.0}, "negative-eps"),
        (np.ones(2), {"eps": float("nan")}, "negative-eps"),
        (np.ones(2), {"out": np.ones(3)}, "out-shape"),
    ],
)
def test_rms_norm_refuses_what_does_not_fit(x, options, key):
    with pytest.raises(DenseError) as refusal:
        rms_norm(x, **options)
    assert refusal.value.key == key


# --- gated feed-forward networks


@settings(max_examples=100, deadline=None)
@given(arrays, st.integers(0, 9), st.sampled_from(sorted(ACTIVATIONS)))
def test_gating_is_the_plain_product(array, width, name):
    gate = made((*array["leading"], array["tokens"], width), array["dtype"], array["make"])
    up = made(gate.shape, array["dtype"], "contiguous", seed=1)
    act = ACTIVATIONS[name]
    wanted = np.array(
        [act(float(g)) * float(u) for g, u in zip(gate.ravel(), up.ravel(), strict=True)]
    ).reshape(gate.shape)
    found = through(
        lambda gate, out: gated(gate, up, name, out), gate, array["into"], result_dtype(array["dtype"])
    )
    close(found, wanted, max(CLOSE[array["dtype"]], 1e-12))


def test_the_product_may_be_written_over_up():
    gate, up = np.array([1.0, 2.0]), np.array([3.0, 5.0])
    wanted = gated(gate, up)
    assert gated(gate, up, out=up) is up
    np.testing.assert_array_equal(up, wanted)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_silu_far_out_loses_no_digits(dtype):
    """Down to the smallest numbers of the format, and beside a NaN; e^(−x) overflows on the way."""
    x = -np.array([50, 86, 87.5, 88.8, 95, 100, 699, 701, 709.9, 720, 740, 1000], dtype)
    wanted = np.array([ACTIVATIONS["silu"](float(each)) for each in x]).astype(dtype)
    limits = np.finfo(dtype)
    for values in (x, np.append(x, np.nan).astype(dtype)):
        found = gated(values, np.ones_like(values))[: x.size]
        np.testing.assert_allclose(found, wanted, rtol=16 * limits.eps, atol=limits.smallest_subnormal * 2)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_silu_of_a_number_is_the_same_beside_any_other(dtype):
    """Whether or not e^(−x) overflows somewhere in its block."""
    x = np.array([-60, -87.25, -88, -88.5, -700, -705, -709.5], dtype)
    one = np.ones(x.size + 1, dtype)
    beside = [gated(np.append(x, other).astype(dtype), one)[:-1] for other in (0, -1000, -np.inf, np.nan)]
    for found in beside[1:]:
        np.testing.assert_array_equal(found, beside[0])


@pytest.mark.parametrize("make", MAKES)
@pytest.mark.parametrize("shape", [(300_007,), (601, 500), (1, 300_007), (300_007, 1)])
def test_gating_of_many_blocks_is_the_formula(shape, make):
    gate, up = made(shape, "<f4", make), made(shape, "<f4", "contiguous", seed=1)
    wide = gate.astype(float)
    found = gated(gate, up)
    close(found, wide / (1 + np.exp(-wide)) * up, 1e-6)
    for over_up in (True, False):
        into = up.copy() if over_up else gate
        assert gated(gate, into if over_up else up, out=into) is into
        np.testing.assert_array_equal(into, found)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(DTYPES),
    st.sampled_from(MAKES),
    st.sampled_from(((), (1,), (5,), (2, 3), (0,))),
    st.booleans(),
    st.booleans(),
    st.sampled_from(("silu", "relu", "gelu-tanh")),
)
def test_the_network_is_the_plain_network(dtype, make, leading, down, biased, name):
    x = made((*leading, 4), dtype, make)
    matrices = {"wg": made((4, 6), dtype, make, 1), "wu": made((4, 6), dtype, make, 2)}
    biases = {}
    if down:
        matrices["wd"] = made((6, 3), dtype, make, 3)
    if biased:
        biases = {"bg": made((6,), dtype, "contiguous", 4), "bu": made((6,), dtype, "contiguous", 5)}
        biases |= {"bd": made((3,), dtype, "contiguous", 6)} if down else {}
    rows = x.reshape(-1, 4).astype(float).tolist()
    wanted = np.zeros((*leading, 3 if down else 6))
    if rows:
        listed = {key: tuple(map(tuple, matrix.astype(float).tolist())) for key, matrix in matrices.items()}
        listed |= {key: tuple(bias.astype(float).tolist()) for key, bias in biases.items()}
        told = plain_ffn.ffn(plain_ffn.Ffn(tuple(map(tuple, rows)), **listed, activation=name))
        wanted = np.array([row.output for row in told]).reshape(wanted.shape)
    found = gated_ffn(x, **matrices, **biases, activation=name)
    assert found.dtype == result_dtype(dtype)
    close(found, wanted, max(CLOSE[dtype], 1e-12))
    out = np.empty(found.shape, found.dtype)
    assert gated_ffn(x, **matrices, **biases, activation=name, out=out) is out
    np.testing.assert_array_equal(out, found)


@pytest.mark.parametrize(
    ("changed", "key"),
    [
        ({"x": np.ones((2, 3))}, "ffn-arrays"),
        ({"wu": np.ones((2, 4))}, "ffn-arrays"),
        ({"wd": np.ones((2, 3))}, "ffn-arrays"),
        ({"bg": np.ones(2)}, "ffn-arrays"),
        ({"bd": np.ones(1)}, "ffn-arrays"),
        ({"bd": np.ones(1), "wd": None}, "bias-without-down"),
        ({"activation": "swish"}, "unknown-activation"),
        ({"out": np.ones((3, 2))}, "out-shape"),
    ],
)
def test_the_network_refuses_what_does_not_fit(changed, key):
    fitting = {"x": np.ones((1, 2)), "wg": np.ones((2, 3)), "wu": np.ones((2, 3)), "wd": np.ones((3, 2))}
    with pytest.raises(DenseError) as refusal:
        gated_ffn(**{**fitting, **changed})
    assert refusal.value.key == key


def test_gating_refuses_two_shapes():
    with pytest.raises(DenseError, match="branch-arrays"):
        gated(np.ones((1, 2)), np.ones(2))
    with pytest.raises(DenseError, match="out-shape"):
        gated(np.ones(2), np.ones(2), out=np.ones((1, 2)))


# --- results written over the input


@pytest.mark.parametrize("by", [3, -3])
@pytest.mark.parametrize("name", ["interleaved", "half", "norm", "gate", "gate over up"])
def test_a_result_may_overlap_its_input(name, by):
    """Of several blocks, each of which would spoil the next one's or the last one's input."""
    rows = 40_000
    turn = {
        layout: table(Schedule(Fraction(100), 8), range(rows), layout, np.float32)
        for layout in ("interleaved", "half")
    }
    kernels = {
        "interleaved": lambda x, out: turned(x, turn["interleaved"], out),
        "half": lambda x, out: turned(x, turn["half"], out),
        "norm": lambda x, out: rms_norm(x, out=out),
        "gate": lambda x, out: gated(x, other, out=out),
        "gate over up": lambda x, out: gated(other, x, out=out),
    }
    other = made((rows, 8), "<f4", "contiguous", seed=1)
    room = np.zeros((rows + 3, 8), np.float32)
    x, out = (room[:-3], room[3:]) if by > 0 else (room[3:], room[:-3])
    x[...] = made((rows, 8), "<f4", "contiguous")
    wanted = kernels[name](x.copy(), None)
    kernels[name](x, out)
    np.testing.assert_array_equal(out, wanted)


# --- room


def room_beside(call):
    """The most memory that NumPy had at once during the call, in bytes."""
    call()
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("make", ["contiguous", "strided"])
def test_no_kernel_needs_room_of_the_size_of_its_input(make):
    """One per cent a block; what has to be brought into order first needs up to three of them."""
    x = made((32, 1024, 128), "<f4", make)
    out = np.empty(x.shape, np.float32)
    rates = Schedule(Fraction(10000), 128)
    pairs, halves = (table(rates, range(1024), layout, np.float32) for layout in ("interleaved", "half"))
    kernels = (
        lambda: turned(x, pairs, out),
        lambda: turned(x, halves, out),
        lambda: rms_norm(x, out=out),
        lambda: gated(x, x, out=out),
    )
    blocks_needed = 1 if make == "contiguous" else 3
    for kernel in kernels:
        assert room_beside(kernel) < blocks_needed * out.nbytes / 100 + 20_000


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 5), min_size=1, max_size=4), st.integers(1, 40))
def test_blocks_cover_every_row_once(shape, most):
    seen = np.zeros(shape, int)
    for index in blocks(tuple(shape), most):
        block = seen[index]
        block += 1
        assert block.size <= max(most, shape[-1])
    assert (seen == 1).all()

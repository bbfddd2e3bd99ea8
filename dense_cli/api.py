"""The calculations from Python: on arrays of any size, and as the derivations that the commands show.

Everything here can be imported from `dense_cli`. Refusals are `DenseError`s with the words of the commands
as a note. Arrays are NumPy's, or anything that NumPy takes for numbers; float32 and float16 come back as they
are, other numbers as float64.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from dense_cli.errors import DenseError, DenseErrors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from dense_cli.cli.explaining import Explanation
    from dense_cli.models.counting import Count

Given = ParamSpec("Given")
Made = TypeVar("Made")


def with_words(function: Callable[Given, Made]) -> Callable[Given, Made]:
    """The function, with the message and the hint of each refusal as a note."""

    @wraps(function)
    def told(*args: Given.args, **kwargs: Given.kwargs) -> Made:
        try:
            return function(*args, **kwargs)
        except DenseError as error:
            from dense_cli.cli.language import of_environment
            from dense_cli.lang import say_in
            from dense_cli.lang.refusal import hint, message

            say = say_in(of_environment())
            for one in error.errors if isinstance(error, DenseErrors) else (error,):
                error.add_note(f"{message(one, say)}\n{say('common.hint')}: {hint(one, say)}")
            raise

    return told


@with_words
def rope(
    q: ArrayLike,
    k: ArrayLike | None = None,
    *,
    positions: ArrayLike | range = 0,
    key_positions: ArrayLike | range | None = None,
    rope_theta: float | None = None,
    angle: str | float | Sequence[float] | None = None,
    layout: str | None = None,
    rotary_dim: int | None = None,
    config: str | os.PathLike[str] | Mapping[str, object] | None = None,
) -> Any:
    """Rotate queries [..., tokens, width], and keys beside them if given, by their positions.

    Heads and sequences are leading axes; a vector is one token. One whole number as `positions` is that of
    the first token; else each token has its own: a list, or an array that broadcasts to [..., tokens].
    `key_positions` are those of the keys where they are others.

    Pairs turn by `rope_theta`**(−2i/r) radians per position, or by the angles given: ``"90deg"``, radians,
    or one for each pair. Without either, two coordinates turn by quarter turns, more by the base 10000.
    Only the first `rotary_dim` = r coordinates turn. A model's `config` (a path, inline JSON, or its fields)
    brings its own settings; what is given beside it counts more.

    Returns the rotated queries, or queries and keys. Raises `DenseError`.

    Source: Su et al., RoFormer, equation 34.

    >>> rope([1.0, 0.0], positions=1).tolist()
    [0.0, 1.0]
    >>> q, k = rope([[1.0, 0.0], [1.0, 0.0]], [[1.0, 0.0], [1.0, 0.0]], positions=1)
    >>> k.tolist()
    [[0.0, 1.0], [-1.0, 0.0]]
    >>> rope([[1, 2, 3, 4]], positions=3, layout="half", rope_theta=100).round(6).tolist()
    [[-1.413353, 0.728592, -2.828857, 4.412386]]
    """
    from dense_cli.cli.turning import turning_of
    from dense_cli.core.kernels.rotation import table, turned
    from dense_cli.core.kernels.walking import working_dtype

    arrays = [_numbers("q", q)] if k is None else [_numbers("q", q), _numbers("k", k)]
    width = _width("q", arrays[0])
    if k is not None and _width("k", arrays[1]) != width:
        raise DenseError("width-mismatch", query_width=width, key_width=arrays[1].shape[-1])
    turning = turning_of(width, rope_theta, angle, layout, rotary_dim, config)
    places = [positions, positions if key_positions is None else key_positions]
    tables: dict[object, Any] = {}
    results = []
    for array, given in zip(arrays, places, strict=False):
        dtype = working_dtype(array)
        key = (dtype.name, id(given), array.shape[-2:-1])  # mostly one table serves both
        if key not in tables:
            tables[key] = table(
                turning.rates,
                _places(array.shape, given),
                turning.layout,
                dtype,
                turning.attention_factor,
                turning.writes,
            )
        results.append(turned(array, tables[key]))
    return results[0] if k is None else tuple(results)


@with_words
def rms_norm(
    x: ArrayLike,
    gain: ArrayLike | None = None,
    eps: float = 0.0,
    unit_offset: bool = False,
    *,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Divide each row of x [..., width] by its root mean square, and multiply it by the gain [width].

    With `unit_offset` a stored gain g acts as 1 + g. The result is written to `out` where it is given; that
    may be x. Raises `DenseError`; a row of zeros with eps 0 is refused.

    Source: Zhang and Sennrich, Root Mean Square Layer Normalization, equation 4, with epsilon added.

    >>> rms_norm([3.0, 4.0]).round(6).tolist()
    [0.848528, 1.131371]
    """
    from dense_cli.core.kernels import rms

    weights = None if gain is None else _numbers("gain", gain)
    return rms.rms_norm(_numbers("x", x), weights, _number("eps", eps), unit_offset, out)


@with_words
def swiglu(
    x: ArrayLike,
    wg: ArrayLike,
    wu: ArrayLike,
    wd: ArrayLike | None = None,
    *,
    bg: ArrayLike | None = None,
    bu: ArrayLike | None = None,
    bd: ArrayLike | None = None,
    activation: str = "silu",
    weights_layout: str = "in-out",
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """The gated feed-forward network (act(x·Wg + bg) ⊙ (x·Wu + bu))·Wd + bd on each row of x [..., width].

    Matrices are stored input by output ([C, F], [C, F], [F, C]); ``weights_layout="out-in"`` takes them
    as linear layers of model code store them. Without `wd` the product is the output. Raises `DenseError`.

    Source: Shazeer, GLU Variants Improve Transformer, equations 5 and 6.

    >>> swiglu([1, -1], [[1, 0], [0, 1]], [[2, 0], [0, -3]], [[1, 0], [1, 1]]).round(6).tolist()
    [0.655293, -0.806824]
    """
    from dense_cli.core.kernels.gating import gated_ffn
    from dense_cli.errors import nearest

    layouts = ("in-out", "out-in")
    if weights_layout not in layouts:
        close = nearest(str(weights_layout), layouts) or layouts
        raise DenseError("unknown-weights-layout", typed=weights_layout, layouts=close)
    matrices = {"wg": wg, "wu": wu, "wd": wd}
    given = {name: _numbers(name, matrix) for name, matrix in matrices.items() if matrix is not None}
    if weights_layout == "out-in":
        given = {name: matrix.T for name, matrix in given.items()}
    biases = {"bg": bg, "bu": bu, "bd": bd}
    given |= {name: _numbers(name, bias) for name, bias in biases.items() if bias is not None}
    return gated_ffn(_numbers("x", x), activation=activation, out=out, **given)


@with_words
def params(
    config: str | os.PathLike[str] | Mapping[str, object],
    *,
    dtype: str | None = None,
    as_family: str | None = None,
) -> Count:
    """Count the parameters of a model from its config: a path, a folder, inline JSON, or its fields.

    The six `parts` of the result add up to its `total`; `terms` are the products that were added. `dtype` is
    for the bytes; `as_family` reads the config as another ``model_type``. Raises `DenseError`.

    >>> block = params({"hidden_size": 12, "query_heads": 3, "head_dim": 4, "ffn_hidden_size": 32})
    >>> block.total, block.parts["ffn"]
    (1752, 1152)
    """
    from dense_cli.models.config import config_of, read_config
    from dense_cli.models.counting import count

    if isinstance(config, Mapping):
        return count(config_of(config, "{…}", as_family), dtype)
    return count(read_config(os.fsdecode(config), as_family), dtype)


@with_words
def explain(
    command: str, *sources: object, digits: int = 6, lang: str | None = None, **options: object
) -> Explanation:
    """What the command of that name shows, step by step; a notebook shows it with its formulas and tables.

    The options are the command's own, with underscores: numbers, lists, arrays, or text as it is typed.
    `pos` is one pair of positions or a list of them, `expect` a value or a mapping from names to values.
    `sources` are what stands without an option: the configs of `params`. Raises `DenseError`.

    >>> told = explain("rope", q=[1, 0], k=[1, 0], pos=(1, 2))
    >>> told.result["rows"][0]["query"]
    [0.0, 1.0]
    >>> explain("rmsnorm", x=[3, 4], expect=[0.6, 0.8]).comparison["mistakes"][0]["id"]
    'sum-not-mean'
    """
    from dense_cli.cli.explaining import explained

    return explained(command, sources, digits, lang, options)


# --- what may be given


def _numbers(name: str, given: ArrayLike) -> NDArray[Any]:
    """The array that is meant. Raises "array-kind" where it holds anything but real numbers."""
    import numpy as np

    try:
        if np.ma.is_masked(given):  # what a mask hides is no number
            raise TypeError
        array = np.asarray(given)
        if array.dtype.kind == "O":  # fractions, or whole numbers of any size
            array = np.array([float(each) for each in array.reshape(-1)]).reshape(array.shape)
    except (TypeError, ValueError, OverflowError):
        raise DenseError("array-kind", name=name, kind=type(given).__name__) from None
    if array.dtype.kind not in "iuf":
        raise DenseError("array-kind", name=name, kind=array.dtype.name)
    return array


def _number(name: str, given: object) -> float:
    """One number as a float. Raises "array-kind" for anything else."""
    try:
        if not isinstance(given, str | bytes):
            return float(given)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        pass
    raise DenseError("array-kind", name=name, kind=type(given).__name__)


def _width(name: str, array: NDArray[Any]) -> int:
    """Numbers in a row. Raises "array-no-coordinates" where there are none."""
    if not array.ndim or not array.shape[-1]:
        raise DenseError("array-no-coordinates", name=name)
    return int(array.shape[-1])


def _places(shape: tuple[int, ...], given: Any) -> Any:
    """The positions of the tokens of an array of this shape."""
    from decimal import Decimal
    from numbers import Rational

    import numpy as np

    if isinstance(given, range):
        return given
    places = np.asarray(given)
    if places.dtype.kind == "O":  # fractions, or whole numbers of any size
        usable = all(isinstance(each, Rational | Decimal) for each in places.flat)
    else:
        usable = places.dtype.kind in "iuf" and bool(np.isfinite(places).all())
    if not usable or np.ma.is_masked(given):
        raise DenseError("array-kind", name="positions", kind=places.dtype.name)
    if places.ndim or len(shape) < 2:
        return given
    first = places.item()
    return range(first, first + shape[-2]) if isinstance(first, int) else first + np.arange(shape[-2])

"""RoPE, RMSNorm and SwiGLU, calculated, shown step by step, and checked.

>>> from dense_cli import rms_norm
>>> rms_norm([3, 4]).round(6).tolist()
[0.848528, 1.131371]
"""

# Type checkers take it for true; importing typing for it would cost half of `--version`.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from dense_cli.api import explain, params, rms_norm, rope, swiglu

__version__ = "0.1.0"
__all__ = ["__version__", "explain", "params", "rms_norm", "rope", "swiglu"]


def __getattr__(name: str) -> object:
    # Loaded when asked for: the command needs none of it, and must start at once.
    if name in __all__:
        from dense_cli import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

"""How characters are spelled on a stream whose encoding lacks them."""

from __future__ import annotations

SPELLED = "dense-spelled"
"""The name of the error handler."""

_GREEK = {
    "α": "alpha",
    "β": "beta",
    "γ": "gamma",
    "δ": "delta",
    "ε": "epsilon",
    "ζ": "zeta",
    "η": "eta",
    "θ": "theta",
    "ι": "iota",
    "κ": "kappa",
    "λ": "lambda",
    "μ": "mu",
    "ν": "nu",
    "ξ": "xi",
    "ο": "omicron",
    "π": "pi",
    "ρ": "rho",
    "σ": "sigma",
    "τ": "tau",
    "υ": "upsilon",
    "φ": "phi",
    "χ": "chi",
    "ψ": "psi",
    "ω": "omega",
}
# No quotation mark and no backslash stands on the right: in JSON they would end or bend a string.
SPELLING: dict[str, str] = {
    **_GREEK,
    "Σ": "Sum",
    "Δ": "Delta",
    "Φ": "Phi",
    "√": "sqrt",
    "≈": "~=",
    "≠": "!=",
    "≤": "<=",
    "≥": ">=",
    "·": "*",
    "⋅": "*",
    "⊙": "(*)",
    "×": "x",
    "÷": "/",
    "−": "-",
    "±": "+/-",
    "∞": "inf",
    "∑": "sum",
    "→": "->",
    "←": "<-",
    "′": "'",
    "″": "''",
    "°": "deg",
    "–": "-",
    "—": "--",
    "…": "...",
    "‘": "'",
    "’": "'",
    "“": "'",
    "”": "'",
    "\u00a0": " ",
    "│": "|",
    "┃": "|",
    "─": "-",
    "━": "-",
    "═": "=",
    "╴": "-",
    "╶": "-",
    "•": "*",
    "✓": "ok",
    "✗": "x",
    **dict(zip("，。、；：？！（）［］", ",.,;:?!()[]", strict=True)),
    **{mark: str(place) for place, mark in enumerate("₀₁₂₃₄₅₆₇₈₉")},
    **{mark: f"^{place}" for place, mark in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
    **dict(zip("₊₋ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", "+-aehijklmnoprstuvx", strict=True)),
}


def spelled(error: UnicodeError) -> tuple[str, int]:
    """A codecs error handler: known signs in ASCII, every other character by its number.

    The numbers are written as JSON and Python write them, so that JSON stays the same document.

    >>> spelled(UnicodeEncodeError("ascii", "√2", 0, 1, ""))
    ('sqrt', 1)
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    found = error.object[error.start : error.end]
    return "".join(SPELLING.get(mark) or _numbered(mark) for mark in found), error.end


def _numbered(mark: str) -> str:
    code = ord(mark)
    if code < 0x10000:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"

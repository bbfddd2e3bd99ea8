"""Text of users and of languages, made harmless for each format it goes into."""

from __future__ import annotations

import re

GREEK = {
    "α": "alpha",
    "β": "beta",
    "γ": "gamma",
    "δ": "delta",
    "ε": "varepsilon",
    "ζ": "zeta",
    "η": "eta",
    "θ": "theta",
    "κ": "kappa",
    "λ": "lambda",
    "μ": "mu",
    "ν": "nu",
    "ξ": "xi",
    "π": "pi",
    "ρ": "rho",
    "σ": "sigma",
    "τ": "tau",
    "φ": "varphi",
    "χ": "chi",
    "ψ": "psi",
    "ω": "omega",
    "Δ": "Delta",
    "Φ": "Phi",
}
LATEX_MARKS = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "√": r"\ensuremath{\surd}",
    "≈": r"\ensuremath{\approx}",
    "×": r"\ensuremath{\times}",
    "·": r"\ensuremath{\cdot}",
    "−": r"\ensuremath{-}",
    "±": r"\ensuremath{\pm}",
    "≤": r"\ensuremath{\leq}",
    "≥": r"\ensuremath{\geq}",
    "≠": r"\ensuremath{\neq}",
    "→": r"\ensuremath{\to}",
    "∞": r"\ensuremath{\infty}",
    "′": r"\ensuremath{'}",
    "²": r"\ensuremath{^2}",
    "³": r"\ensuremath{^3}",
    "⊙": r"\ensuremath{\odot}",
    "Σ": r"\ensuremath{\Sigma}",
    "—": "---",
    "–": "--",
    "“": "``",
    "”": "''",
    "‘": "`",
    "’": "'",
    "…": r"\ldots{}",
    "\u00a0": "~",
    **{letter: rf"\ensuremath{{\{name}}}" for letter, name in GREEK.items()},
    **{letter: rf"\ensuremath{{_{place}}}" for place, letter in enumerate("₀₁₂₃₄₅₆₇₈₉")},
}
CHINESE = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003134f]")
LAST_LATIN = "\u017f"


def escaped(text: str) -> str:
    """Text that LaTeX sets as it stands; a letter that its fonts lack is named by its number.

    >>> escaped("50% of a_b")
    '50\\\\% of a\\\\_b'
    """
    told = (LATEX_MARKS.get(mark, mark if _has_glyph(mark) else _numbered(mark)) for mark in text)
    return re.sub("-(?=-)", "-{}", "".join(told))  # or TeX draws one dash for the two of an option


def _has_glyph(mark: str) -> bool:
    return mark.isprintable() and (mark <= LAST_LATIN or CHINESE.match(mark) is not None)


def _numbered(mark: str) -> str:
    return "U+" + format(ord(mark), "04X")


MARKDOWN_WORDS = {mark: f"&#{ord(mark)};" for mark in "<>&|$"} | {mark: "\\" + mark for mark in "\\`*_[]~#"}
MARKDOWN_TYPED = MARKDOWN_WORDS | {mark: f"&#{ord(mark)};" for mark in ":@!"}
_AUTOLINK = re.compile(r"(?i)\bwww\.")


def markdown_words(text: str) -> str:
    """Words of a language: no mark in them is Markdown's."""
    return "".join(MARKDOWN_WORDS.get(mark, mark) for mark in text)


def markdown_typed(text: str) -> str:
    """A user's text: no table, tag, link, picture, mention, emoji or list can come of it.

    >>> markdown_typed("a|b :x:")
    'a&#124;b &#58;x&#58;'
    """
    shown = "".join(MARKDOWN_TYPED.get(mark, mark) for mark in _AUTOLINK.sub("www\uf8ff", text))
    if shown[:1] in "-+=" or re.match(r"\d+[.)]", shown):
        shown = f"&#{ord(shown[0])};{shown[1:]}" if shown else shown
    return shown.replace("\uf8ff", "&#46;")


_MARKUP = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})
_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def markup(text: str) -> str:
    """Text as HTML and XML set it, well-formed whatever it holds.

    >>> markup("<b>")
    '&lt;b&gt;'
    """
    return _NOT_XML.sub(lambda found: f"\\x{ord(found[0]):02x}", text).translate(_MARKUP)

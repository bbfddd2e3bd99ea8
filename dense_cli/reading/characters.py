"""Single characters: which stand for which when a number is typed, and which are never let through.

The fold is a list, never a Unicode normal form: NFKC turns ``3²`` into ``32``.
"""

from __future__ import annotations

from dense_cli.errors import DenseError

_SPACES = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_REMOVED = "\u200b\u200c\u200d\u2060\ufeff"  # zero-width spaces and joiners, byte order mark
_MINUS = "\u2212\uff0d\u2013\u2010\u2011\ufe63"
_FULL_WIDTH = "()[]{}+*/^.,:;%=@\\_!?#$&'<>|~\"`0123456789"
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

_FOLD: dict[int, str] = {
    **{ord(full): " " for full in _SPACES},
    **{ord(gone): "" for gone in _REMOVED},
    **{ord(minus): "-" for minus in _MINUS},
    **{ord(plain) + 0xFEE0: plain for plain in _FULL_WIDTH + _LETTERS},
    **{ord(times): "*" for times in "×·⋅∙∗"},
    **{ord(over): "/" for over in "÷∕⁄"},
    **dict.fromkeys(map(ord, "、﹐"), ","),
    **dict.fromkeys(map(ord, "。｡"), "."),
    ord("【"): "[",
    ord("】"): "]",
    ord("º"): "°",
    ord("˚"): "°",
    ord("\t"): " ",
}
_RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿ", "0123456789+-()n", strict=True))
_LOWERED = "₀₁₂₃₄₅₆₇₈₉"
_VULGAR = {
    "½": "1/2",
    "¼": "1/4",
    "¾": "3/4",
    "⅓": "1/3",
    "⅔": "2/3",
    "⅛": "1/8",
    "⅜": "3/8",
    "⅝": "5/8",
    "⅞": "7/8",
}


def fold(text: str) -> str:
    """`text` with full-width and word-processor characters replaced by the plain ones they stand for.

    >>> fold("［−１，０］")
    '[-1,0]'

    Line breaks stay, as ``\\n``. Raises DenseError for characters that would change the meaning if folded
    (superscripts, subscripts, one-character fractions) and for control, bidirectional and unassigned ones.
    """
    if text.isprintable() and text.isascii():
        return text
    folded = text.replace("\r\n", "\n").replace("\r", "\n").translate(_FOLD)
    if not folded.replace("\n", " ").isprintable():
        _refuse_hidden(text)
    if not folded.isascii():
        _refuse_small(text)
    return folded


def spaced(text: str) -> str:
    """`text` folded, with one blank where there were several and no empty lines.

    >>> spaced("  1,   0 \\n\\n 0,1")
    '1, 0\\n0,1'

    No run of blanks is left that a pattern could go through again and again.
    """
    lines = (" ".join(line.split()) for line in fold(text).split("\n"))
    return "\n".join(line for line in lines if line)


def _refuse_hidden(text: str) -> None:
    for place, character in enumerate(text, 1):
        if not character.isprintable() and character not in "\r\n" and ord(character) not in _FOLD:
            raise DenseError(
                "hidden-character", typed=text, part=character, code=f"U+{ord(character):04X}", place=place
            )


def _refuse_small(text: str) -> None:
    for place, character in enumerate(text, 1):
        if character in _RAISED:
            raise DenseError(
                "superscript", typed=text, part=character, place=place, instead="^" + _RAISED[character]
            )
        if character in _VULGAR:
            raise DenseError(
                "one-character-fraction", typed=text, part=character, place=place, instead=_VULGAR[character]
            )
        if character in _LOWERED:
            raise DenseError("subscript", typed=text, part=character, place=place)


def visible(text: str, limit: int = 100) -> str:
    """`text` as it may be printed: no character of it can move the cursor, hide, or reorder others.

    Characters of the categories Cc, Cf, Cs, Co and Cn, and line separators, are written as escapes; what is
    longer than `limit` characters loses its middle.

    >>> visible("\\x1b[2J\\u202e46")
    '\\\\x1b[2J\\\\u202e46'
    >>> visible("0123456789" * 10, limit=11)
    '01234…56789'
    """
    if len(text) <= limit and text.isprintable():
        return text
    if len(text) > 2 * limit:  # a long text is never walked as a whole
        text = text[:limit] + text[-limit:]
        cut = True
    else:
        cut = False
    shown = [_escaped(character) for character in text]
    if not cut and sum(map(len, shown)) <= limit:
        return "".join(shown)
    head, tail = limit // 2, limit - limit // 2 - 1
    return f"{_fitting(shown, head)}…{_fitting(shown[::-1], tail, backwards=True)}"


def _fitting(shown: list[str], room: int, backwards: bool = False) -> str:
    """As many whole pieces as fit into `room` characters, so that no escape is cut in two."""
    kept: list[str] = []
    for piece in shown:
        room -= len(piece)
        if room < 0:
            break
        kept.append(piece)
    return "".join(reversed(kept) if backwards else kept)


def _escaped(character: str) -> str:
    if character.isprintable() or character in _SPACES:
        return character
    named = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(character)
    if named:
        return named
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"

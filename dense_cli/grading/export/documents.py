"""Strict JSON for other programs."""

from __future__ import annotations

import json
import re
from typing import Any

_HIDDEN = re.compile(
    "[\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
)


def dumped(data: Any, *, sort_keys: bool = False, indent: int | None = None) -> str:
    """`data` as JSON without NaN, in which characters that hide or move others are escaped.

    >>> dumped({"b": "张三\\u202e", "a": 0.5}, sort_keys=True)
    '{"a": 0.5, "b": "张三\\\\u202e"}'
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, sort_keys=sort_keys, indent=indent)
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)

"""Exit codes, as scripts meet them."""

from enum import IntEnum


class Exit(IntEnum):
    """How a call ended."""

    DONE = 0
    DIFFERS = 1
    """Done, but what was compared did not hold."""
    UNUSABLE = 2
    """The call or its input cannot be used."""
    FAULT = 70
    """The program is wrong, not the input."""
    INTERRUPTED = 130
    CLOSED_PIPE = 141

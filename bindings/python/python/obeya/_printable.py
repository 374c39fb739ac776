"""Replaces control characters in text for output: a terminal would execute them, and XML forbids them."""

from __future__ import annotations

_BLANK = dict.fromkeys(map(ord, "\t\n\v\f\r\x85"), " ")
_REPLACED = dict.fromkeys([*range(0x20), *range(0x7F, 0xA0), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF], "\ufffd")
_PRINTABLE = {**_REPLACED, **_BLANK}
"""C0 and C1 control characters, and what else XML 1.0 has no character for (section 2.2)."""


def printable(text: str) -> str:
    """The text on one line: white-space controls become blanks, all other controls U+FFFD."""
    return text.translate(_PRINTABLE)

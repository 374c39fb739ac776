"""Waits for a call's result without the GIL; stays interruptible by Ctrl-C."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from obeya._obeya import Call

_T = TypeVar("_T")


def answer(call: Call[_T]) -> _T:
    """Makes the call."""
    return call.wait()

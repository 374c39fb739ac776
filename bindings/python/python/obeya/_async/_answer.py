"""Awaits a call's result."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from obeya._obeya import Call

_T = TypeVar("_T")


async def answer(call: Call[_T]) -> _T:
    """Makes the call."""
    return await call

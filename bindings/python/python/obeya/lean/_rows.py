"""The rows of a frame that a chart uses. A record with a value that it cannot use is left out, by name and with why.

No record is left out unseen: every result has `left_out`, its text has their number, and a picture has it below the title.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from typing import TypeVar

import pyarrow as pa

from obeya.lean import _dates, _frame

_Value = TypeVar("_Value")


def named(left_out: Sequence[str], most: int = 3) -> str:
    """The first of the records left out, and how many more there are."""
    more = f"; and {len(left_out) - most} more" if len(left_out) > most else ""
    return "; ".join(left_out[:most]) + more


class Rows:
    """The rows of a frame, and the reasons of those that are left out."""

    def __init__(self, table: pa.Table, key: str) -> None:
        self.table = table
        self._key = key
        self._why: dict[int, str] = {}

    def leave_out(self, row: int, why: str) -> None:
        """Leaves a row out. ``why`` continues the name of its record; the first reason stays."""
        self._why.setdefault(row, f"{self.name(row)} {why}")

    def name(self, row: int) -> str:
        """The name of a row in messages."""
        return _frame.record(self.table, row, self._key)

    def numbers(self, name: str, argument: str, *, needed: bool = True) -> list[float | None]:
        """Numbers. Rows with something else are left out, and those without one if each row needs one."""
        return self._checked(_frame.numbers(self.table, name, argument), name, needed=needed)

    def words(self, name: str, argument: str, *, needed: bool = True) -> list[str | None]:
        """Texts. Rows without one are left out if each row needs one."""
        return self._checked(_frame.words(self.table, name, argument), name, needed=needed)

    def stamps(self, name: str, argument: str, *, needed: bool = True) -> list[_dates.Stamp | None]:
        """Days and moments. Rows with something else are left out, and those without one if each row needs one."""
        return self._checked(_dates.stamps(self.table, name, argument), name, needed=needed)

    def days(self, name: str, argument: str, tz: str) -> list[datetime.date | None]:
        """Days. A day, or midnight UTC, stays that day; another moment belongs to the day it has in the time zone ``tz``."""
        where = _dates.zone(tz)
        return [None if stamp is None else stamp.local(where) for stamp in self.stamps(name, argument)]

    def refuse(self, values: Sequence[_Value | None], why: Callable[[_Value], str | None]) -> None:
        """Leaves out the rows whose value has a reason not to be used."""
        for row, value in enumerate(values):
            reason = None if value is None else why(value)
            if reason:
                self.leave_out(row, reason)

    @property
    def usable(self) -> list[int]:
        """The rows that are not left out. If there are rows and each has been left out, that is an error."""
        usable = [row for row in range(self.table.num_rows) if row not in self._why]
        if self._why and not usable:
            message = f"no record of {self.table.num_rows} can be used: {named(self.left_out, 1)}"
            raise ValueError(message)
        return usable

    @property
    def left_out(self) -> tuple[str, ...]:
        """For each record that is left out which it is and why, in the order of the frame."""
        return tuple(why for _, why in sorted(self._why.items()))

    def _checked(self, values: Sequence[_Value | _frame.Unusable | None], name: str, *, needed: bool) -> list[_Value | None]:
        found: list[_Value | None] = []
        for row, value in enumerate(values):
            if isinstance(value, _frame.Unusable):
                self.leave_out(row, f"has the {name} {value}")
                found.append(None)
            else:
                if value is None and needed:
                    self.leave_out(row, f"has no {name}")
                found.append(value)
        return found

"""The flow of improvements through their stages, from the one date per stage in a record.

What a record does not hold cannot be shown: going back to a stage empties the dates of later ones, so a second run through a
stage is not seen, and a stage that was skipped has no date. ``Open`` improvements go through no stages and are left out.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import pyarrow as pa

from obeya.lean import _dates, _frame
from obeya.lean._rows import Rows

STAGES: Mapping[str, str] = {
    "Suggested": "suggestionDate",
    "Planned": "plannedDate",
    "InProgress": "inProgressDate",
    "Implemented": "implementedDate",
    "Evaluated": "evaluatedDate",
    "Archived": "archivedDate",
}
"""The stages of an improvement in their order, and the columns of the dates on which they are entered."""

DAY = datetime.timedelta(days=1)

FIRST_YEAR, LAST_YEAR = 1900, 2199
"""No improvement has dates outside of these years. Systems write 0001-01-01 and 9999-12-31 where there is no date."""


class Entry(NamedTuple):
    """When a record enters a stage."""

    moment: datetime.datetime
    """In UTC; of a day, its first moment."""
    day: datetime.date
    """Its day in the time zone of the call. A day that was recorded without a time is the same in each."""
    whole: bool
    """Whether only the day is known, as `Stamp.whole` says."""

    def after(self, other: Entry) -> bool:
        """Whether it certainly comes after another. Two on one day, of which only the day is known, may be in either order."""
        return self.day > other.day if self.whole or other.whole else self.moment > other.moment

    def since(self, other: Entry) -> datetime.timedelta:
        """The time from another one. Where a day counts from its first moment, it may begin before the moment it follows."""
        return max(self.moment - other.moment, datetime.timedelta(0))


@dataclass(frozen=True)
class Staged:
    """When records enter their stages, and the records that are left out."""

    entries: list[list[Entry | None]]
    """For each record its stages in their order."""
    left_out: tuple[str, ...]
    """For each record that is left out which it is and why."""


def staged(
    table: pa.Table, stages: Mapping[str, str], status: str | None, key: str, tz: str, *, never: bool = False
) -> Staged:
    """The dates of the records, without those that are impossible. If no other record has a date, that is an error.

    With ``never`` a date after the last year means "never" and is allowed.
    """
    where = _dates.zone(tz)
    columns = [_dates.stamps(table, name, "stages") for name in stages.values()]
    rows = Rows(table, key)
    wanted = [True] * table.num_rows
    if status is not None:
        wanted = [word != "Open" for word in _frame.words(table, status, "status")]
    found: list[list[Entry | None]] = []
    for row, want in enumerate(wanted):
        if not want:
            continue
        try:
            found.append(_possible(stages, [column[row] for column in columns], where, never=never))
        except _Impossible as why:
            rows.leave_out(row, str(why))
    if rows.left_out and not any(any(entries) for entries in found):
        raise ValueError(rows.left_out[0])
    return Staged(found, rows.left_out)


class _Impossible(Exception):
    """Why a record cannot have these dates."""


def _possible(
    stages: Mapping[str, str], dates: Sequence[_dates.Found], where: datetime.tzinfo, *, never: bool
) -> list[Entry | None]:
    """The entries of a record, if it can have them."""
    possible: list[Entry | None] = []
    for (name, column), date in zip(stages.items(), dates, strict=True):
        if date is None:
            possible.append(None)
            continue
        if isinstance(date, _dates.Beyond):
            if not (date.after and never):
                raise _Impossible(_outside(name, date.text))
            # Python has no later date, and all after the last year mean the same.
            date = _dates.Stamp(datetime.datetime.max.replace(tzinfo=datetime.timezone.utc), None)
        elif not isinstance(date, _dates.Stamp):
            raise _Impossible(f"has the {column} {date}")
        year = date.moment.year
        if year < FIRST_YEAR or (year > LAST_YEAR and not never):
            raise _Impossible(_outside(name, date.moment.isoformat()))
        possible.append(Entry(date.moment, date.local(where), date.whole))
    present = [(name, entry) for name, entry in zip(stages, possible, strict=True) if entry is not None]
    for (earlier, first), (later, second) in combinations(present, 2):
        if first.after(second):
            why = f"is {later} on {second.moment.isoformat()}, before it is {earlier} on {first.moment.isoformat()}"
            raise _Impossible(why)
    return possible


def _outside(name: str, date: str) -> str:
    return f"is {name} on {date}, outside of the years {FIRST_YEAR} to {LAST_YEAR}"

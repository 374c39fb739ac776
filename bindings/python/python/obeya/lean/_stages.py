"""The flow of improvements through their stages, from the one date per stage in a record.

What a record does not hold cannot be shown: going back to a stage empties the dates of later ones, so a second run through a
stage is not seen, and a stage that was skipped has no date. ``Open`` improvements go through no stages and are left out.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import pyarrow as pa

from obeya.lean import _frame, _plot

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


@dataclass(frozen=True)
class Staged:
    """The dates of records, and the records that are left out."""

    dates: list[list[datetime.datetime | None]]
    """The dates of each record in the order of the stages."""
    left_out: tuple[str, ...]
    """For each record that is left out which it is and why."""


def staged(
    table: pa.Table, stages: Mapping[str, str], status: str | None, key: str, *, never: bool = False
) -> Staged:
    """The dates of the records, without those that are impossible. If no other record has a date, that is an error.

    With ``never`` a date after the last year means "never" and is allowed.
    """
    columns = [_frame.all_instants(table, name, "stages") for name in stages.values()]
    kept = [True] * table.num_rows
    if status is not None:
        kept = [word != "Open" for word in _frame.words(table, status, "status")]
    found: list[list[datetime.datetime | None]] = []
    left_out: list[str] = []
    for row, keep in enumerate(kept):
        if not keep:
            continue
        dates = [column[row] for column in columns]
        try:
            found.append(_possible(stages, dates, never=never))
        except _Impossible as why:
            left_out.append(f"{_frame.record(table, row, key)} {why}")
    if left_out and not any(any(dates) for dates in found):
        raise ValueError(left_out[0])
    return Staged(found, tuple(left_out))


class _Impossible(Exception):
    """Why a record cannot have these dates."""


def _possible(
    stages: Iterable[str], dates: Sequence[datetime.datetime | _frame.Beyond | None], *, never: bool
) -> list[datetime.datetime | None]:
    """The dates of a record, if it can have them."""
    possible: list[datetime.datetime | None] = []
    for name, date in zip(stages, dates, strict=True):
        if isinstance(date, _frame.Beyond):
            if not (date.after and never):
                raise _Impossible(_outside(name, date.text))
            # Python has no later date, and all after the last year mean the same.
            moment: datetime.datetime | None = datetime.datetime.max.replace(tzinfo=datetime.timezone.utc)
        else:
            moment = date
        possible.append(moment)
        if moment is None:
            continue
        if moment.year < FIRST_YEAR or (moment.year > LAST_YEAR and not never):
            raise _Impossible(_outside(name, moment.isoformat()))
    present = [(name, date) for name, date in zip(stages, possible, strict=True) if date is not None]
    for (earlier, first), (later, second) in pairwise(present):
        if second < first:
            why = f"is {later} on {second.isoformat()}, before it is {earlier} on {first.isoformat()}"
            raise _Impossible(why)
    return possible


def _outside(name: str, date: str) -> str:
    return f"is {name} on {date}, outside of the years {FIRST_YEAR} to {LAST_YEAR}"


def without(left_out: Sequence[str]) -> str:
    """The part of a chart's summary that counts the records left out."""
    return f", {_plot.plural(len(left_out), 'record')} with impossible dates left out" if left_out else ""

"""The flow of improvements through their stages, from the one date per stage that a record holds.

What a record does not hold cannot be shown: going back to a stage empties the dates of later ones, so a second run through a
stage is not seen, and a stage that was skipped has no date. ``Open`` improvements go through no stages and are left out.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from itertools import pairwise

import pyarrow as pa

from obeya.lean import _frame

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


def records(table: pa.Table, stages: Mapping[str, str], status: str | None, key: str) -> list[list[datetime.datetime | None]]:
    """The dates of each record in the order of the stages."""
    columns = [_frame.instants(table, name, "stages") for name in stages.values()]
    kept = [True] * table.num_rows
    if status is not None:
        kept = [word != "Open" for word in _frame.words(table, status, "status")]
    found: list[list[datetime.datetime | None]] = []
    for row, keep in enumerate(kept):
        if not keep:
            continue
        dates = [column[row] for column in columns]
        present = [(name, date) for name, date in zip(stages, dates, strict=True) if date is not None]
        for (earlier, first), (later, second) in pairwise(present):
            if second < first:
                named = _frame.record(table, row, key)
                message = f"{named} is {later} on {second.isoformat()}, before it is {earlier} on {first.isoformat()}"
                raise ValueError(message)
        found.append(dates)
    return found

"""Rare events as a series: what lies between one of them and the next."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pyarrow as pa

from obeya.lean import _control, _dates, _frame, _input, _plot
from obeya.lean._rows import Rows, named


def given(
    data: _input.Frame, date: str | None, between: str | None, name: str, unit: str | None
) -> tuple[pa.Table, str | None, str | None, str | None]:
    """The frame, with the columns of dates and of intervals. Values alone are either, by their kind."""
    alone = between or date or name
    table = _input.table(data, alone)
    if not _input.alone(table, alone):
        return table, date, between, unit
    index = _input.INDEX if _input.INDEX in table.column_names else None
    if between is None and not _frame.is_number(table.column(alone).type):
        return table, alone, None, unit
    return table.rename_columns([name, *table.column_names[1:]]), index, name, unit or between


def intervals(
    rows: Rows, date: str | None, phases: _control.Phases, tz: str, apart: Callable[[Any, Any], float], *, days: bool
) -> list[_control.Point]:
    """What lies between each event and the one before it, with the date and the phase of the later one.

    Without ``days`` moments are compared, of which the second of two equal ones is left out.
    """
    if date is None:
        message = "expected a column of dates (argument `date`), or one of intervals (argument `between`)"
        raise ValueError(message)
    stamps = rows.stamps(date, "date")
    where = _dates.zone(tz)
    moments = [
        None if stamp is None else _dates.midnight(stamp.local(where)) if days else stamp.moment for stamp in stamps
    ]
    phase = _control.phase_names(rows, phases, stamps, tz)
    events = sorted(
        ((moment, row) for row, moment in enumerate(moments) if moment is not None), key=lambda event: event[0]
    )
    if not days:
        for (before, _), (moment, row) in pairwise(events):
            if moment == before:
                rows.leave_out(row, f"is at {moment.isoformat()}, as the event before: no time is between them")
    usable = set(rows.usable)
    events = [event for event in events if event[1] in usable]
    if rows.table.num_rows and len(events) < 2:
        without = f" that can be used; left out: {named(rows.left_out)}" if rows.left_out else ""
        message = f"an interval needs two events; the frame has {len(events)}{without}"
        raise ValueError(message)
    return [_control.Point(apart(before, moment), moment, phase[row]) for (before, _), (moment, row) in pairwise(events)]


def no_count(number: float, name: str) -> str | None:
    whole = number >= 0 and number == int(number)
    return None if whole else f"has the {name} {_plot.short(number)}, which is no whole number from 0"


def no_time(number: float, name: str) -> str | None:
    return None if number > 0 else f"has the {name} {_plot.short(number)}, which is not above zero"

"""The values of a datasource by day, week or month. The service groups them, so no value is read."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING

from obeya import F
from obeya._report._read import earliest, latest
from obeya._report._targets import Combine, Period
from obeya.lean import _dates

if TYPE_CHECKING:
    from obeya import Client

_OWN_CLOCK = (("", "valueDate"),)
"""Which values are grouped together, and by which instant."""

_BEHIND_UTC = (
    (" and hour(valueDate) ne 0", "valueDate"),
    (" and hour(valueDate) eq 0", "valueDate add case(time(valueDate) eq 00:00:00:duration'PT12H',true:duration'PT0S')"),
)
"""By a clock behind UTC, midnight UTC is on the evening before the day that it stands for in `lean`; noon is on that day.
Only values of that hour are read for this; all others come from rollups."""


def by_period(
    client: Client,
    datasource: int,
    period: Period,
    window: tuple[datetime.date, datetime.date],
    tz: str,
    *,
    where: str | None = None,
    combine: Combine = "mean",
) -> dict[datetime.date, float]:
    """The mean or the sum of the values of each period that has any, by its first day, the earliest one first.

    A window is the first day of its first period, and the day after its last one.
    """
    first, end = window
    condition = ((F.value_date >= earliest(first, tz)) & (F.value_date < latest(end, tz)))._text()
    if where is not None:
        # It is checked by itself, where a mistake has its own position.
        client.datasources.values_v2(datasource, where=where, top=0).page()
        condition = f"({where}) and {condition}"
    clock = _dates.zone(tz)
    sums: dict[datetime.date, float] = {}
    counts: dict[datetime.date, int] = {}
    for also, instant in _BEHIND_UTC if _is_behind_utc(window, tz) else _OWN_CLOCK:
        values = client.datasources.values_v2(datasource, where=condition + also)
        for group in values.group_by(begin=f"bin({instant},'{period}','{tz}')").agg(total=("value", "sum"), n="count"):
            day = group["begin"].astimezone(clock).date()
            if first <= day < end and group["total"] is not None:
                sums[day] = sums.get(day, 0.0) + group["total"]
                counts[day] = counts.get(day, 0) + group["n"]
    return {day: sums[day] if combine == "sum" else sums[day] / counts[day] for day in sorted(sums)}


def _is_behind_utc(window: tuple[datetime.date, datetime.date], tz: str) -> bool:
    """Whether the clock of a zone is ever behind UTC in a window."""
    first, end = window
    days = (first + datetime.timedelta(days=number) for number in range((end - first).days + 1))
    offsets = (datetime.datetime.combine(day, datetime.time(), _dates.zone(tz)).utcoffset() for day in days)
    return any(offset is not None and offset < datetime.timedelta() for offset in offsets)

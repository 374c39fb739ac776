"""Days since the last incident, and the longest stretch without one."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from obeya.lean import _dates, _frame, _input, _plot, _plotly
from obeya.lean._result import Result
from obeya.lean._rows import Rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_AXIS = "days (◆ longest stretch)"
_COLUMNS = ("group", "incidents", "last", "days", "record", "record_from", "record_to", "is_record")


@dataclass(frozen=True, eq=False, repr=False)
class DaysSince(Result):
    """How long it is since the last incident, a row for each group. Its columns: ``group``, ``incidents``, ``last`` (day), ``days``
    since then, ``record`` (the longest stretch so far, in days), ``record_from``, ``record_to`` and ``is_record`` (whether the
    present stretch is longer than each one before; false where there is none before).
    """

    as_of: datetime.date
    """The reference day."""
    days: int | None
    """Days since the last incident of any group; None without any."""
    record: int | None
    """The longest stretch of a group in days; None without any incident."""
    later: int
    """How many incidents after ``as_of`` were left out."""

    def _says(self) -> str:
        if self.days is None or self.record is None:
            return f"no incident up to {self.as_of}"
        return (
            f"{_plot.plural(self.days, 'day')} on {self.as_of} since the last incident, "
            f"longest stretch {_plot.plural(self.record, 'day')}"
        )

    def _title(self) -> str:
        return f"Days since the last incident, on {self.as_of}"

    def _bars(self) -> list[dict[str, Any]]:
        """The groups. More than can be read are one bar: those whose last incident is longest ago."""
        rows = self._rows()
        if len(rows) <= _plot.BARS:
            return rows
        rest = sorted(rows, key=lambda row: int(row["days"]))[_plot.BARS - 1 :]
        others = {
            "group": f"({len(rest)} others)",
            "days": min(row["days"] for row in rest),
            "last": max(row["last"] for row in rest),
            "record": max(row["record"] for row in rest),
            "is_record": False,
        }
        return [*(row for row in rows if row not in rest), others]

    def _figure(self) -> tuple[float, float]:
        return self._size[0], _plot.tall(min(len(self), _plot.BARS))

    def _draw(self, ax: Axes, title: str) -> None:
        rows = self._bars()
        _plot.frame(ax, title, x=_AXIS, grid="x")
        places = list(range(len(rows)))
        ax.barh(places, [row["days"] for row in rows], color=_plot.GREEN, height=0.55, gid="days")
        ax.plot(
            [row["record"] for row in rows],
            places,
            linestyle="",
            marker="D",
            color=_plot.BLACK,
            markersize=6,
            gid="records",
        )
        _plot.categories(ax, [row["group"] for row in rows], "all" if len(rows) == 1 else "(none)")
        for at, row in enumerate(rows):
            # Behind the longer one, so that neither covers the text.
            ax.annotate(_figures(row), (row["record"], at), (9, 0), textcoords="offset points", va="center", fontsize=_plot.SMALL)
        ax.margins(x=0.28)
        ax.set_xlim(left=0)

    def _chart(self, alt: Any, title: Any) -> Any:
        rows = [{**row, "group": _plot.called(row["group"], len(self))} for row in self._bars()]
        base = alt.Chart(_plot.data(alt, rows), title=title, width=480).encode(y=alt.Y("group:N", sort=None, title=None))
        bars = base.mark_bar(color=_plot.GREEN).encode(
            x=alt.X("days:Q", title="days"), tooltip=["group:N", "days:Q", "record:Q", "last:T"]
        )
        marks = base.mark_point(shape="diamond", color=_plot.BLACK, filled=True, size=70).encode(x="record:Q")
        return alt.layer(bars, marks)

    def _subplots(self) -> list[_plotly.Subplot]:
        rows = self._bars()
        names = [_plot.called(row["group"], len(self)) for row in rows]
        part = _plotly.named_rows(names, _AXIS, rangemode="tozero")
        days, records = [row["days"] for row in rows], [row["record"] for row in rows]
        said = [
            _plotly.text(f"{name}\n{_plot.plural(row['days'], 'day')} since {row['last']}\nlongest stretch {stretch}")
            for name, row, stretch in zip(names, rows, [_plot.plural(row["record"], "day") for row in rows], strict=True)
        ]
        places = range(len(rows))
        bars = [at + _plotly.BELOW for at in places]
        part.traces += [
            _plotly.bars("days", bars, days, said, width=_plotly.THICK, marker={"color": _plot.GREEN}),
            _plotly.marks("records", records, bars, said, marker={"symbol": "diamond", "color": _plot.BLACK, "size": 9}),
            _plotly.above_bars(places, [_figures(row) for row in rows]),
        ]
        return [part]


def _figures(row: dict[str, Any]) -> str:
    """The figures of a group, beside its bar."""
    return f"{row['days']}, a record" if row["is_record"] else f"{row['days']} (record {row['record']})"


def days_since(
    data: _input.Frame,
    *,
    date: str = "incidentDate",
    by: str | None = None,
    as_of: _dates.Day | None = None,
    tz: str = "UTC",
    key: str = "id",
) -> DaysSince:
    """Days since the last incident, and the longest stretch there has been.

    The present stretch is the number of days from the last incident to ``as_of``; a stretch is the number of days between two
    incidents that follow each other. The time before the first incident is no stretch, because the frame does not show when
    counting began. The record is the longest stretch, the present one included.

    Args:
        date: The column of days or moments.
        by: A column of groups, such as ``reportedByGroup``. A group without incidents is not in the frame and gets no row.
        as_of: The day up to which to count; today in ``tz`` by default. Later incidents are left out.
        tz: The time zone in which moments are days. Midnight UTC, which is how a day is stored, stays that day.
        key: The column that names a record in `left_out`: an incident without a date is on no day, and may be the last one.

    Days alone, in a list, an array or a Series, are the incidents. Without rows the chart has no groups.

    Raises:
        ValueError: A column is missing or of the wrong kind, or no incident of those in the frame is left.
    """
    until = _dates.day(as_of, tz)
    table = _input.table(data, date)
    used = Rows(table, key)
    days = used.days(date, "date", tz)
    usable = set(used.usable)
    rows: list[dict[str, Any]] = []
    for group, places in _frame.grouped(table, by).items():
        own = sorted(day for day in (days[place] for place in places if place in usable) if day is not None and day <= until)
        if own:
            stretches = [*pairwise(own), (own[-1], until)]
            lengths = [(end - start).days for start, end in stretches]
            # Of equal stretches the first is the record: it is broken by a longer one only.
            start, end = stretches[lengths.index(max(lengths))]
            rows.append(
                {
                    "group": group,
                    "incidents": len(own),
                    "last": own[-1],
                    "days": lengths[-1],
                    "record": max(lengths),
                    "record_from": start,
                    "record_to": end,
                    "is_record": len(lengths) > 1 and lengths[-1] > max(lengths[:-1]),
                }
            )
    if not rows and table.num_rows:
        message = f"no incident up to {until} in a frame of {table.num_rows} rows: nothing to count from"
        raise ValueError(message)
    number, day = pa.int64(), pa.date32()
    kinds = (pa.string(), number, day, number, number, day, day, pa.bool_())
    return DaysSince(
        table=pa.Table.from_pylist(rows, schema=pa.schema(list(zip(_COLUMNS, kinds, strict=True)))),
        as_of=until,
        days=min((row["days"] for row in rows), default=None),
        record=max((row["record"] for row in rows), default=None),
        later=sum(day is not None and day > until for day in days),
        left_out=used.left_out,
    )

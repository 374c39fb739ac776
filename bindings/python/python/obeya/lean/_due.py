"""Open records past their due date, by responsible person."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from obeya.lean import _dates, _frame, _input, _plot, _plotly
from obeya.lean._result import Result
from obeya.lean._rows import Rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_CLOSED = ("Resolved", "Rejected", "Implemented", "Evaluated", "Archived")
"""Where nothing is to be done any more: incidents to be resolved, and improvements to be implemented."""

_AGES = (
    (7, "up to 7 days", _plot.YELLOW),
    (30, "8 to 30 days", _plot.ORANGE),
    (None, "more than 30 days", _plot.VERMILLION),
)
_NOBODY = "(nobody)"
_NONE = "nothing is overdue"


@dataclass(frozen=True, eq=False, repr=False)
class Overdue(Result):
    """Overdue records by responsible person, most of them first. Its columns: ``responsible`` (null: nobody), ``overdue``, ``open``
    (all open records of theirs, with a due date or without), ``longest`` (days past the due date), ``keys`` (the records, the
    longest overdue first) and ``days`` (how long each of these is overdue).
    """

    as_of: datetime.date
    """The reference day."""
    overdue: int
    """How many are overdue in all."""
    open: int
    """How many are open in all."""
    undated: int
    """How many are open without a due date, and thus never overdue."""

    def _says(self) -> str:
        return f"{self.overdue} of {self.open} open records are overdue on {self.as_of}, {self.undated} have no due date"

    def _title(self) -> str:
        return f"Overdue on {self.as_of}: {self.overdue} of {self.open} open"

    def _is_blank(self) -> bool:
        # Nothing open is no lack of data: the chart shows that nothing is overdue.
        return False

    def _bars(self) -> list[dict[str, Any]]:
        """Who has overdue records. If there are too many to read, those with the fewest share one bar."""
        rows = [row for row in self._rows() if row["overdue"]]
        if len(rows) <= _plot.BARS:
            return rows
        rest = rows[_plot.BARS - 1 :]
        others = {
            "responsible": f"({len(rest)} others)",
            "overdue": sum(row["overdue"] for row in rest),
            "longest": max(row["longest"] for row in rest),
            "days": [day for row in rest for day in row["days"]],
        }
        return [*rows[: _plot.BARS - 1], others]

    def _figure(self) -> tuple[float, float]:
        return self._size[0], _plot.tall(len(self._bars()))

    def _draw(self, ax: Axes, title: str) -> None:
        rows = self._bars()
        _plot.frame(ax, title, x="overdue records", grid="x")
        start = [0] * len(rows)
        for at, (_, text, shade) in enumerate(_AGES):
            counts = [_aged(row["days"])[at] for row in rows]
            ax.barh(range(len(rows)), counts, left=start, height=0.6, color=shade, edgecolor="white", label=text, gid=text)
            start = [one + other for one, other in zip(start, counts, strict=True)]
        _plot.categories(ax, [row["responsible"] for row in rows], _NOBODY)
        for at, row in enumerate(rows):
            ax.annotate(_figures(row), (row["overdue"], at), (4, 0), textcoords="offset points", va="center", fontsize=_plot.SMALL)
        ax.margins(x=0.3)
        ax.xaxis.set_major_locator(_plot.require("matplotlib.ticker").MaxNLocator(integer=True))
        if not rows:
            ax.set_xlim(0, 1)
            ax.text(0.5, 0.5, _NONE, transform=ax.transAxes, ha="center", color=_plot.GREY, gid="nothing")
        else:
            ax.legend(
                loc="upper left",
                bbox_to_anchor=(0, -0.15),
                ncols=3,
                frameon=False,
                fontsize=_plot.SMALL,
                borderaxespad=0,
            )

    def _chart(self, alt: Any, title: Any) -> Any:
        rows = [
            {"responsible": _called(row), "age": text, "order": at, "records": _aged(row["days"])[at]}
            for row in self._bars()
            for at, (_, text, _) in enumerate(_AGES)
        ]
        scale = alt.Scale(domain=[text for _, text, _ in _AGES], range=[shade for _, _, shade in _AGES])
        return (
            alt.Chart(_plot.data(alt, rows), title=title, width=440)
            .mark_bar()
            .encode(
                y=alt.Y("responsible:N", sort=None, title=None),
                x=alt.X("records:Q", title="overdue records", axis=alt.Axis(tickMinStep=1)),
                color=alt.Color("age:N", scale=scale, title="overdue"),
                order=alt.Order("order:Q"),
                tooltip=["responsible:N", "age:N", "records:Q"],
            )
        )

    def _subplots(self) -> list[_plotly.Subplot]:
        rows = self._bars()
        if not rows:
            return [_plotly.nothing(_NONE)]
        names = [_called(row) for row in rows]
        most = max(row["overdue"] for row in rows)
        part = _plotly.named_rows(names, "overdue records", rangemode="tozero", **({"dtick": 1} if most < 10 else {}))
        places, start = range(len(rows)), [0] * len(rows)
        for at, (_, text, shade) in enumerate(_AGES):
            counts = [_aged(row["days"])[at] for row in rows]
            said = [_plotly.text(f"{name}\n{count} overdue {text}") for name, count in zip(names, counts, strict=True)]
            look = {"base": start, "width": _plotly.THICK, "marker": {"color": shade}, "showlegend": True}
            part.traces.append(_plotly.bars(text, [place + _plotly.BELOW for place in places], counts, said, **look))
            start = [one + other for one, other in zip(start, counts, strict=True)]
        part.traces.append(_plotly.above_bars(places, [_figures(row) for row in rows]))
        return [part]


def _called(row: dict[str, Any]) -> str:
    return _NOBODY if row["responsible"] is None else str(row["responsible"])


def _figures(row: dict[str, Any]) -> str:
    """The figures of a person, beside the bar."""
    return f"{row['overdue']}, longest {_plot.plural(row['longest'], 'day')}"


def overdue(
    data: _input.Frame,
    *,
    due: str = "dueDate",
    status: str = "status",
    responsible: str = "responsibleDisplayName",
    key: str = "id",
    closed: str | Sequence[str] = _CLOSED,
    as_of: _dates.Day | None = None,
    tz: str = "UTC",
) -> Overdue:
    """Open records past their due date, by responsible person. Takes incidents, improvements, or both in one frame.

    A record is overdue on the days after its due day: one that is due today has until the day ends. The days are counted from the
    due day to ``as_of``.

    Args:
        due: The column of days or moments; a record without is open, never overdue.
        status: The column of statuses.
        responsible: The column of names; ``responsibleUserId`` distinguishes people of the same name.
        key: The column that names the records.
        closed: The statuses of finished records: by default incidents that are resolved or rejected, and
            improvements that are implemented, evaluated or archived.
        as_of: The day on which to look; today in ``tz`` by default.
        tz: The time zone in which moments are days. Midnight UTC, which is how a day is stored, stays that day.

    Left out are records without a status, of which it is not known whether they are open, and open ones whose due date is no
    date or before the year 1. One that is due after the year 9999 is never overdue.

    Raises:
        ValueError: A column is missing or of the wrong kind, or no record can be used.
    """
    today = _dates.day(as_of, tz)
    table = _input.table(data)
    used = Rows(table, key)
    states = used.words(status, "status")
    finished = {closed} if isinstance(closed, str) else set(closed)
    where = _dates.zone(tz)
    dues: list[datetime.date | None] = [None] * table.num_rows
    for row, (stamp, state) in enumerate(zip(_dates.stamps(table, due, "due"), states, strict=True)):
        if state in finished:
            continue
        if isinstance(stamp, _dates.Beyond) and stamp.after:
            # It stands for "never", as the last day of the calendar does.
            dues[row] = datetime.date.max
        elif isinstance(stamp, _frame.Unusable):
            used.leave_out(row, f"has the {due} {stamp}")
        elif stamp is not None:
            dues[row] = stamp.local(where)
    usable = set(used.usable)
    keys = _frame.words(table, key, "key")
    rows: list[dict[str, Any]] = []
    undated = 0
    for person, places in _frame.grouped(table, responsible, "responsible").items():
        open_places = [place for place in places if place in usable and states[place] not in finished]
        if not open_places:
            continue
        undated += sum(dues[place] is None for place in open_places)
        late = [((today - day).days, keys[place]) for place in open_places if (day := dues[place]) is not None and day < today]
        late.sort(key=lambda record: -record[0])
        rows.append(
            {
                "responsible": person,
                "overdue": len(late),
                "open": len(open_places),
                "longest": late[0][0] if late else None,
                "keys": [name for _, name in late],
                "days": [days for days, _ in late],
            }
        )
    rows.sort(key=lambda row: (-row["overdue"], -(row["longest"] or 0)))
    count = pa.int64()
    fields = [
        ("responsible", pa.string()),
        ("overdue", count),
        ("open", count),
        ("longest", count),
        ("keys", pa.list_(pa.string())),
        ("days", pa.list_(count)),
    ]
    return Overdue(
        table=pa.Table.from_pylist(rows, schema=pa.schema(fields)),
        as_of=today,
        overdue=sum(row["overdue"] for row in rows),
        open=sum(row["open"] for row in rows),
        undated=undated,
        left_out=used.left_out,
    )


def _aged(days: Sequence[int]) -> list[int]:
    """How many are of each age."""
    counts, below = [], 0
    for most, _, _ in _AGES:
        counts.append(sum(below < day and (most is None or day <= most) for day in days))
        below = most or below
    return counts

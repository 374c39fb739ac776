"""The safety cross: a month's days, and what happened on each."""

from __future__ import annotations

import calendar
import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any, ClassVar, overload

import pyarrow as pa

from obeya.lean import _dates, _frame, _input, _plot, _plotly
from obeya.lean._panels import Panels, panels
from obeya.lean._result import Result
from obeya.lean._rows import Rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_CROSS = tuple(
    (row, column) for row, columns in enumerate((3, 3, 7, 7, 7, 3, 1)) for column in range((7 - columns) // 2, (7 + columns) // 2)
)
"""The positions of 31 days: three columns up, seven across, and down again."""

_UNGRADED = -1
"""The rank of a severity that is not known: any other says more."""

_UNKNOWN = "unknown"
"""How a picture calls a severity that is not known."""

_WHITE = "#FFFFFF"
_SHADES = (_plot.PALE, _plot.YELLOW, _plot.ORANGE, _plot.VERMILLION)


@dataclass(frozen=True, eq=False, repr=False)
class SafetyCross(Result):
    """A month as a cross of its days. Its columns: ``day``, ``state`` (``safe``, ``incident`` or ``to come``), ``severity`` (the
    worst of the day; null without incidents, or if that of none is known) and ``incidents``.
    """

    month: datetime.date
    """The first day of the month."""
    safe: int
    """How many days went by without an incident."""
    incidents: int
    """How many incidents there were."""
    order: tuple[str, ...]
    """The severities, from the least to the worst; none if they do not count."""
    ungraded: tuple[str, ...]
    """For each incident up to the reference day whose severity is not in ``order``, which it is and why. It counts, and its
    day is not safe."""

    _size: ClassVar[tuple[float, float]] = (6.4, 6.0)

    def _says(self) -> str:
        return f"{self.month:%Y-%m}, {_plot.plural(self.safe, 'safe day')}, {_plot.plural(self.incidents, 'incident')}" + (
            f", {len(self.ungraded)} of unknown severity" if self.ungraded else ""
        )

    def _title(self) -> str:
        return f"Safety cross {self.month:%Y-%m}: {_plot.plural(self.safe, 'day')} without incident"

    def _shade(self, row: dict[str, Any]) -> str:
        if row["state"] != "incident":
            return _plot.GREEN if row["state"] == "safe" else _WHITE
        if row["severity"] is None:
            return _plot.PURPLE if self.order else _plot.VERMILLION
        # The worst severity has the strongest colour, however many there are.
        return _SHADES[max(0, len(_SHADES) - len(self.order) + self.order.index(row["severity"]))]

    def _key(self) -> list[tuple[str, str]]:
        """What each colour means."""
        return [
            ("safe", _plot.GREEN),
            *((word, self._shade({"state": "incident", "severity": word})) for word in self.order),
            *([(self._nameless(), self._shade({"state": "incident", "severity": None}))] if self.ungraded or not self.order else []),
            ("to come", _WHITE),
        ]

    def _word(self, row: dict[str, Any]) -> str:
        """What a day is called by the key of the colours."""
        return str(row["severity"] or self._nameless()) if row["state"] == "incident" else str(row["state"])

    def _nameless(self) -> str:
        """How the picture calls an incident without a severity."""
        return _UNKNOWN if self.order else "incident"

    def _kind(self) -> str:
        return f"Safety cross {self.month:%Y-%m}"

    def _draw(self, ax: Axes, title: str) -> None:
        patches = _plot.require("matplotlib.patches")
        ax.set_title(title, loc="left", fontsize=11, fontweight="bold")
        ax.set_aspect("equal")
        ax.set_axis_off()
        ax.set_xlim(-0.05, 7.05)
        ax.set_ylim(8.0, -0.05)
        for row, (down, across) in zip(self._rows(), _CROSS, strict=False):
            ink = _ink(row)
            ax.add_patch(
                patches.Rectangle(
                    (across + 0.03, down + 0.03),
                    0.94,
                    0.94,
                    facecolor=self._shade(row),
                    edgecolor=_plot.GREY,
                    linewidth=0.6,
                )
            )
            ax.text(across + 0.1, down + 0.1, str(row["day"].day), va="top", fontsize=10, color=ink)
            if row["state"] == "incident":
                # Below the label: beside it there is no space in a small figure.
                count = f"\n×{row['incidents']}" if row["incidents"] > 1 else ""
                ax.text(
                    across + 0.5,
                    down + 0.64,
                    _plot.literal(self._word(row)) + count,
                    ha="center",
                    va="center",
                    fontsize=_plot.SMALL,
                    color=ink,
                )
        key = self._key()
        # Long labels get more space than short ones.
        room = [len(word) + 5 for word, _ in key]
        for (word, shade), before in zip(key, accumulate(room, initial=0), strict=False):
            x = 7 * before / sum(room)
            ax.add_patch(patches.Rectangle((x + 0.03, 7.45), 0.25, 0.25, facecolor=shade, edgecolor=_plot.GREY, linewidth=0.6))
            ax.text(x + 0.36, 7.575, _plot.literal(word), va="center", fontsize=_plot.SMALL)

    def _chart(self, alt: Any, title: Any) -> Any:
        rows = [
            {
                **row,
                "number": row["day"].day,
                "down": down,
                "across": across,
                "shade": self._shade(row),
                "says": self._word(row) if row["state"] == "incident" else "",
            }
            for row, (down, across) in zip(self._rows(), _CROSS, strict=False)
        ]
        base = alt.Chart(_plot.data(alt, rows), title=title, width=420, height=420).encode(
            x=alt.X("across:O", axis=None),
            y=alt.Y("down:O", axis=None),
            tooltip=["day:T", "state:N", "severity:N", "incidents:Q"],
        )
        boxes = base.mark_rect(stroke=_plot.GREY).encode(color=alt.Color("shade:N", scale=None))
        return alt.layer(
            boxes,
            base.mark_text(dy=-12).encode(text="number:N"),
            base.mark_text(dy=10, fontSize=9).encode(text="says:N"),
        )

    def _subplots(self) -> list[_plotly.Subplot]:
        # Boxes are as wide as they are high, on the left of a wide figure.
        square = {"visible": False, "constrain": "domain", "fixedrange": True}
        part = _plotly.Subplot(
            {**square, "range": [0, 7], "constraintoward": "left"},
            {**square, "range": [7, 0], "constraintoward": "top", "scaleanchor": "x"},
            400,
            below=16,
        )
        days = list(zip(self._rows(), _CROSS, strict=False))
        for word, shade in self._key():
            own = [(row, place) for row, place in days if self._word(row) == word and self._shade(row) == shade]
            look: dict[str, Any] = {"marker": {"color": shade, "line": {"color": _plot.GREY, "width": 1}}, "showlegend": True}
            if own:
                texts = [_numbered(row, word) for row, _ in own]
                font = {"color": [_ink(row) for row, _ in own], "size": _plotly.SIZE}
                look |= {"text": texts, "textposition": "inside", "insidetextanchor": "middle", "insidetextfont": font}
                look |= {"constraintext": "none", "textangle": 0}
            said = [_plotly.lines("\n".join([str(row["day"]), word, *_incidents(row)]), 48) for row, _ in own]
            xs: list[float | None] = [across + 0.5 for _, (_, across) in own]
            bottoms: list[float | None] = [down + 0.03 for _, (down, _) in own]
            if not own:
                # The legend has its colour all the same, if there is a box that is nowhere.
                xs, bottoms, said = [None], [None], [""]
            part.traces.append(_plotly.box(_plotly.text(word), xs, bottoms, said, **look))
        return [part]


def _ink(row: dict[str, Any]) -> str:
    """The colour of the texts of a day: black is read on each shade of a day that is over."""
    return _plot.ink(_plot.GREY) if row["state"] == "to come" else _plot.BLACK


def _incidents(row: dict[str, Any]) -> list[str]:
    return [_plot.plural(row["incidents"], "incident")] if row["incidents"] else []


def _numbered(row: dict[str, Any], word: str) -> str:
    """The texts of a day in its box: its number, and what happened."""
    if row["state"] != "incident":
        return str(row["day"].day)
    count = f" ×{row['incidents']}" if row["incidents"] > 1 else ""
    return _plotly.text(f"{row['day'].day}{count}\n{_plot.shortened(word, 7)}")


@overload
def safety_cross(
    data: _input.Frame,
    *,
    month: str | datetime.date | None = None,
    date: str = "incidentDate",
    severity: str | None = "severity",
    order: Sequence[str] = ("None", "Low", "Medium", "High"),
    as_of: _dates.Day | None = None,
    tz: str = "UTC",
    key: str = "id",
    by: None = None,
) -> SafetyCross: ...
@overload
def safety_cross(
    data: _input.Frame,
    *,
    month: str | datetime.date | None = None,
    date: str = "incidentDate",
    severity: str | None = "severity",
    order: Sequence[str] = ("None", "Low", "Medium", "High"),
    as_of: _dates.Day | None = None,
    tz: str = "UTC",
    key: str = "id",
    by: str | Sequence[str],
) -> Panels[SafetyCross]: ...
def safety_cross(
    data: _input.Frame,
    *,
    month: str | datetime.date | None = None,
    date: str = "incidentDate",
    severity: str | None = "severity",
    order: Sequence[str] = ("None", "Low", "Medium", "High"),
    as_of: _dates.Day | None = None,
    tz: str = "UTC",
    key: str = "id",
    by: str | Sequence[str] | None = None,
) -> SafetyCross | Panels[SafetyCross]:
    """The safety cross of a month: each day safe, with its worst incident, or to come.

    The green cross is a daily board of lean safety work; a day is safe when the frame has no incident of it. Choose what counts
    (``severity ne 'None'``, a type, an area) by what you pass.

    Args:
        month: ``"2026-03"`` or any day of the month; that of ``as_of`` by default.
        date: The column of days or moments.
        severity: The column of severities. An incident with none, or with one that is not in ``order``, counts all the same: its
            day is an incident of unknown severity, never a safe day, and ``ungraded`` names it. None: severities do not count.
        order: The severities from the least severe to the worst.
        as_of: The last day that is over; today in ``tz`` by default. Later days are to come, and incidents of them are left out.
        tz: The time zone in which moments are days. Midnight UTC, which is how a day is stored, stays that day.
        key: The column that names a record in messages. Incidents without a date are on no day, and left out.
        by: One or more columns of groups: the result is a cross of each. A group without incidents is not in the frame.

    Days alone, in a list, an array or a Series, are incidents whose severities do not count. Without rows all past days are safe.

    Raises:
        ValueError: A column is missing or of the wrong kind, no record can be used, or none of the severities is in ``order``.
    """
    last = _dates.day(as_of, tz)
    first = _month(month, last)
    table = _input.table(data, date)
    if _input.alone(table, date):
        severity = None

    def chart(own: pa.Table) -> SafetyCross:
        return _cross(Rows(own, key), first, last, date, severity, order, tz)

    return chart(table) if by is None else panels(table, by, chart)


def _cross(
    used: Rows,
    first: datetime.date,
    last: datetime.date,
    date: str,
    severity: str | None,
    order: Sequence[str],
    tz: str,
) -> SafetyCross:
    """The cross of the month that begins with ``first``."""
    days = used.days(date, "date", tz)
    words: list[str | None] = [None] * len(days)
    if severity is not None:
        words = _frame.words(used.table, severity, "severity")
    ranks = {word: rank for rank, word in enumerate(order)}
    strange = next((word for word in words if word is not None), None)
    if strange is not None and not any(word in ranks for word in words):
        message = f"no severity is one of {', '.join(order)}; found {strange!r} (argument `order`)"
        raise ValueError(message)
    worst: dict[datetime.date, list[int]] = {}
    ungraded: list[str] = []
    for row in used.usable:
        day, word = days[row], words[row]
        if day is None or day > last:
            continue
        worst.setdefault(day, []).append(_UNGRADED if word is None else ranks.get(word, _UNGRADED))
        if word not in ranks and severity is not None:
            found = f"no {severity}" if word is None else f"the {severity} {word!r}"
            ungraded.append(f"{used.name(row)} has {found}; expected one of {', '.join(order)}")
    month_days = [first.replace(day=n) for n in range(1, calendar.monthrange(first.year, first.month)[1] + 1)]
    states = ["incident" if day in worst else "safe" if day <= last else "to come" for day in month_days]
    counts = [len(worst.get(day, ())) for day in month_days]
    table = pa.table(
        {
            "day": pa.array(month_days, pa.date32()),
            "state": pa.array(states, pa.string()),
            "severity": pa.array([_worst(order, worst.get(day, ())) for day in month_days], pa.string()),
            "incidents": pa.array(counts, pa.int64()),
        }
    )
    return SafetyCross(
        table=table,
        month=first,
        safe=states.count("safe"),
        incidents=sum(counts),
        order=() if severity is None else tuple(order),
        ungraded=tuple(ungraded),
        left_out=used.left_out,
    )


def _worst(order: Sequence[str], ranks: Sequence[int]) -> str | None:
    """The worst severity of a day that is known."""
    rank = max(ranks, default=_UNGRADED)
    return None if rank == _UNGRADED else order[rank]


def _month(month: str | datetime.date | None, last: datetime.date) -> datetime.date:
    if month is None:
        return last.replace(day=1)
    if isinstance(month, str):
        try:
            return datetime.datetime.strptime(month[:7], "%Y-%m").date()
        except ValueError as error:
            message = f"expected a month such as 2026-03; found {month!r}"
            raise ValueError(message) from error
    if not isinstance(month, datetime.date):
        message = f"expected a month such as 2026-03; found {month!r}"
        raise ValueError(message)  # noqa: TRY004
    return datetime.date(month.year, month.month, 1)

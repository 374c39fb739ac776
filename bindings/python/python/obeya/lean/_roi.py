"""What improvements cost and brought."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from obeya.lean import _frame, _input, _plot, _plotly
from obeya.lean._result import Result
from obeya.lean._rows import Rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_COST = "#999999"


@dataclass(frozen=True, eq=False, repr=False)
class Roi(Result):
    """Return on investment, a row for each group. Its columns: ``group``, ``counted``, ``incomplete`` (records that lack cost or
    gain and do not count), ``cost``, ``gain``, ``net`` and ``roi`` (null where the cost is 0).
    """

    cost: float
    """What all that count cost."""
    gain: float
    """The gains."""
    net: float
    """Gain less cost."""
    roi: float | None
    """Of all groups together; 1 is a gain of twice the cost. None where the cost is 0."""
    incomplete: int
    """How many records lack cost or gain, and do not count."""
    unit: str
    """The unit of cost and gain."""

    def _says(self) -> str:
        brought = "no cost" if self.roi is None else f"ROI {_plot.percent(self.roi)}"
        return (
            f"cost {_plot.short(self.cost)} {self.unit}, gain {_plot.short(self.gain)} {self.unit}, {brought}, "
            f"{_plot.plural(self.incomplete, 'record')} incomplete"
        )

    def _title(self) -> str:
        return "Return on investment" + (f" ({self.incomplete} records incomplete)" if self.incomplete else "")

    def _figure(self) -> tuple[float, float]:
        return self._size[0], _plot.tall(len(self), 0.44)

    def _draw(self, ax: Axes, title: str) -> None:
        rows = self._rows()
        _plot.frame(ax, title, x=self.unit, grid="x")
        places = list(range(len(rows)))
        ax.barh([at - 0.19 for at in places], [row["cost"] for row in rows], height=0.36, color=_COST, gid="cost")
        ax.barh([at + 0.19 for at in places], [row["gain"] for row in rows], height=0.36, color=_plot.GREEN, gid="gain")
        _plot.categories(ax, [row["group"] for row in rows], "all" if len(rows) == 1 else "(none)")
        for at, row in enumerate(rows):
            for shift, text, reach in zip((-0.19, 0.19), _figures(row), (row["cost"], row["gain"]), strict=True):
                ax.annotate(
                    text,
                    (max(reach, 0), at + shift),
                    (4, 0),
                    textcoords="offset points",
                    va="center",
                    fontsize=_plot.SMALL,
                )
        ax.margins(x=0.32)
        ax.axvline(0, color=_plot.BLACK, linewidth=0.8)
        ax.xaxis.set_major_locator(_plot.require("matplotlib.ticker").MaxNLocator(4))
        ax.xaxis.set_major_formatter(lambda value, _: _plot.short(value))

    def _chart(self, alt: Any, title: Any) -> Any:
        rows = [
            {
                "group": _plot.called(row["group"], len(self)),
                "kind": kind,
                "amount": row[kind],
                "roi": row["roi"],
            }
            for row in self._rows()
            for kind in ("cost", "gain")
        ]
        return (
            alt.Chart(_plot.data(alt, rows), title=title, width=480)
            .mark_bar()
            .encode(
                y=alt.Y("group:N", sort=None, title=None),
                yOffset=alt.YOffset("kind:N", sort=["cost", "gain"]),
                x=alt.X("amount:Q", title=self.unit),
                color=alt.Color("kind:N", title=None, scale=alt.Scale(domain=["cost", "gain"], range=[_COST, _plot.GREEN])),
                tooltip=["group:N", "kind:N", "amount:Q", alt.Tooltip("roi:Q", format=".0%")],
            )
        )

    def _subplots(self) -> list[_plotly.Subplot]:
        rows = self._rows()
        names = [_plot.called(row["group"], len(rows)) for row in rows]
        part = _plotly.named_rows(names, self.unit, 84, nticks=5, zeroline=True)
        for kind, shade, place in (("cost", _COST, -0.5), ("gain", _plot.GREEN, 0.0)):
            figures = [_figures(row)[kind == "gain"] for row in rows]
            said = [_plotly.text(f"{name}\n{figure} ({self.unit})") for name, figure in zip(names, figures, strict=True)]
            bars = [at + place + 0.32 for at in range(len(rows))]
            part.traces += [
                _plotly.bars(kind, bars, [row[kind] for row in rows], said, width=0.2, marker={"color": shade}),
                _plotly.words(f"{kind}s", [0] * len(rows), [at + place + 0.11 for at in range(len(rows))], figures),
            ]
        return [part]


def _figures(row: dict[str, Any]) -> tuple[str, str]:
    """The texts of the bars of cost and gain."""
    brought = "" if row["roi"] is None else f", ROI {_plot.percent(row['roi'])}"
    return f"cost {_plot.short(row['cost'])}", f"gain {_plot.short(row['gain'])}{brought}"


def roi(
    data: _input.Frame,
    *,
    cost: str = "costOfInvestment",
    gain: str = "gainOfInvestment",
    hour_rate: float | None = None,
    cost_hours: str = "costOfInvestmentHours",
    gain_hours: str = "gainOfInvestmentHours",
    by: str | None = None,
    key: str = "id",
    unit: str = "currency",
) -> Roi:
    """What improvements cost and brought: ROI = (gain - cost) / cost, of the sums of each group.

    Records hold money and hours apart. Hours count only with ``hour_rate``, what an hour costs: then cost is money + rate ×
    hours, and gain likewise; an amount that is missing beside one that is there is 0. For what was expected instead of what was
    found, pass ``estimatedCostOfInvestment`` and its three companions.

    The ratio is that of the sums, not the mean of the records' ratios, in which a tiny investment would weigh as much as a large
    one.

    Source: P. P. Phillips, J. J. Phillips, *Return on Investment Basics*, ASTD Press 2005.

    Args:
        cost, gain: Columns of money.
        hour_rate: Money per hour, not negative. None: hours are ignored.
        cost_hours, gain_hours: Columns of hours.
        by: A column of groups, such as ``category``.
        key: The column that names a record in messages.
        unit: What money is counted in, for the chart.

    A record that lacks the cost or the gain is incomplete: it is not counted, as half of it would flatter or spoil the ratio. One
    with a negative cost, or with something that is no number, is left out.

    Raises:
        ValueError: A column is missing or of the wrong kind, no record can be used, or the rate is negative.
    """
    table = _input.table(data)
    used = Rows(table, key)
    costs, gains = used.numbers(cost, "cost", needed=False), used.numbers(gain, "gain", needed=False)
    if hour_rate is not None:
        if not hour_rate >= 0:
            message = f"expected a rate per hour that is not negative; found {hour_rate}"
            raise ValueError(message)
        hours = used.numbers(cost_hours, "cost_hours", needed=False), used.numbers(gain_hours, "gain_hours", needed=False)
        costs = [_with_hours(*pair, hour_rate) for pair in zip(costs, hours[0], strict=True)]
        gains = [_with_hours(*pair, hour_rate) for pair in zip(gains, hours[1], strict=True)]
    used.refuse(costs, lambda amount: f"has a negative cost, {_plot.short(amount)}" if amount < 0 else None)
    usable = set(used.usable)
    rows: list[dict[str, Any]] = []
    for group, all_places in _frame.grouped(table, by).items():
        places = [place for place in all_places if place in usable]
        pairs = [(c, g) for c, g in ((costs[place], gains[place]) for place in places) if c is not None and g is not None]
        rows.append({"group": group, "counted": len(pairs), "incomplete": len(places) - len(pairs), **_sums(pairs)})
    count, amount_of = pa.int64(), pa.float64()
    names = ("group", "counted", "incomplete", "cost", "gain", "net", "roi")
    kinds = (pa.string(), count, count, amount_of, amount_of, amount_of, amount_of)
    total = _sums([(row["cost"], row["gain"]) for row in rows])
    return Roi(
        table=pa.Table.from_pylist(rows, schema=pa.schema(list(zip(names, kinds, strict=True)))),
        cost=total["cost"] or 0.0,
        gain=total["gain"] or 0.0,
        net=total["net"] or 0.0,
        roi=total["roi"],
        incomplete=sum(row["incomplete"] for row in rows),
        unit=unit,
        left_out=used.left_out,
    )


def _with_hours(money: float | None, hours: float | None, rate: float) -> float | None:
    return None if money is None and hours is None else (money or 0.0) + rate * (hours or 0.0)


def _sums(pairs: Sequence[tuple[float, float]]) -> dict[str, float | None]:
    cost, gain = fsum(c for c, _ in pairs), fsum(g for _, g in pairs)
    return {"cost": cost, "gain": gain, "net": gain - cost, "roi": (gain - cost) / cost if cost else None}

"""Pareto charts: which few categories make up most of a total."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from math import fsum
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from obeya.lean import _frame, _plot
from obeya.lean._result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_OTHER = "(other)"
_NONE = "(none)"


@dataclass(frozen=True, eq=False, repr=False)
class Pareto(Result):
    """A Pareto chart, the largest category first. Its columns: ``category`` (null for rows without one), ``amount``, ``share`` of
    the total and ``cumulative`` share.
    """

    total: float
    """The sum of all amounts."""
    vital: tuple[str | None, ...]
    """The vital few: the largest categories that together reach ``threshold`` of the total, those in ``(other)`` among them."""
    threshold: float
    """Which share of the total the vital few reach together."""
    folded: int
    """How many categories are in ``(other)``."""
    empty: int
    """How many rows of a column of lists have none, and do not count."""
    by: str
    """The column of the categories."""
    amount: str
    """What is summed, with its unit."""

    def _says(self) -> str:
        without = f", {_plot.plural(self.empty, 'row')} without" if self.empty else ""
        return (
            f"{_plot.plural(self.categories, 'category', 'categories')}, total {_plot.short(self.total)} {self.amount}, "
            f"{len(self.vital)} of them are {_plot.percent(self.threshold)} or more{without}"
        )

    @property
    def categories(self) -> int:
        """How many categories there are, those in ``(other)`` among them."""
        return len(self) - bool(self.folded) + self.folded

    def _vital(self, place: int) -> bool:
        """Whether the row in this place is one of the vital few. ``(other)`` is not a category."""
        return place < len(self.vital) and not (self.folded and place == len(self) - 1)

    def _title(self) -> str:
        return f"Pareto chart: {self.amount} by {self.by}"

    def _draw(self, ax: Axes, title: str) -> None:
        rows = self._rows()
        places = list(range(len(rows)))
        _plot.frame(ax, title, y=self.amount)
        colours = [_plot.BLUE if self._vital(at) else _plot.SKY for at in places]
        bars = ax.bar(places, [row["amount"] for row in rows], color=colours, width=0.8)
        texts = ax.bar_label(bars, [_plot.short(row["amount"]) for row in rows], fontsize=_plot.SMALL, padding=2)
        # The line begins on top of the first bar, and goes up to the right.
        texts[0].set_horizontalalignment("right")
        texts[0].set_position((-5, 2))
        crowded = len(rows) > 6
        ax.set_xticks(
            places,
            [_plot.literal(_plot.wrapped(_name(row["category"]), 24 if crowded else 12)) for row in rows],
            rotation=35 if crowded else 0,
            ha="right" if crowded else "center",
            fontsize=_plot.SMALL,
        )
        ax.tick_params(axis="x", length=0)
        # One height for both axes, so that a share can be read on either.
        ax.set_ylim(0, self.total * 1.05)

        def share(amount: Any) -> Any:
            return amount / self.total * 100

        def amount(share: Any) -> Any:
            return share / 100 * self.total

        shares = ax.secondary_yaxis("right", functions=(share, amount))
        shares.set_ylabel("cumulative share (%)")
        heights = [row["cumulative"] * self.total for row in rows]
        ax.plot(places, heights, color=_plot.ORANGE, marker="o", markersize=4, linewidth=1.4, gid="cumulative")
        ax.axhline(self.threshold * self.total, color=_plot.GREY, linestyle="--", linewidth=1, gid="threshold")

    def _chart(self, alt: Any, title: str) -> Any:
        rows = [
            {**row, "category": _name(row["category"]), "vital": self._vital(at)} for at, row in enumerate(self._rows())
        ]
        base = alt.Chart(_plot.data(alt, rows), title=title, width=560, height=300).encode(
            x=alt.X("category:N", sort=None, title=None, axis=alt.Axis(labelAngle=-35))
        )
        bars = base.mark_bar().encode(
            y=alt.Y("amount:Q", title=self.amount, scale=alt.Scale(domain=[0, self.total * 1.05], nice=False)),
            color=alt.Color("vital:N", legend=None, scale=alt.Scale(domain=[True, False], range=[_plot.BLUE, _plot.SKY])),
            tooltip=[
                "category:N",
                "amount:Q",
                alt.Tooltip("share:Q", format=".1%"),
                alt.Tooltip("cumulative:Q", format=".1%"),
            ],
        )
        line = base.mark_line(point=True, color=_plot.ORANGE).encode(
            y=alt.Y(
                "cumulative:Q", title="cumulative share", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1.05], nice=False)
            )
        )
        return alt.layer(bars, line).resolve_scale(y="independent")


def _name(category: str | None) -> str:
    return _NONE if category is None else category


def pareto(
    data: _frame.Frame,
    *,
    by: str = "incidentType",
    weight: str | None = None,
    threshold: float = 0.8,
    top: int | None = None,
    unit: str | None = None,
) -> Pareto:
    """Which categories make up most of a total: of rows, or of a weight such as minutes of downtime.

    ``share`` is amount / total, ``cumulative`` the sum of the shares up to there. The vital few are the least number of largest
    categories whose cumulative share reaches ``threshold``. Equal amounts are in the order of their names.

    Sources: J. M. Juran (ed.), *Quality Control Handbook*, 1951 (the vital few and the trivial many); D. C. Montgomery,
    *Introduction to Statistical Quality Control*, section 5.4.

    Args:
        by: The column of categories. Of a column of lists, such as an incident's ``causes``, every entry counts: an incident with
            two causes is one of each. ``causes`` is short for ``causes.title``; ``consequences.unit`` names another field.
        weight: A column of numbers to sum instead of counting rows, or a field of the same list: ``by="consequences",
            weight="consequences.amount"`` sums what each consequence amounts to; see that all have one unit.
        threshold: Which share of the total the vital few have, above 0 and at most 1.
        top: How many categories to keep; the others become ``(other)``, which comes last whatever its amount. The vital few are
            the same with and without.
        unit: The unit of the amounts, for the chart.

    Rows without a category are one of their own (null); of a column of lists, rows without an entry count nowhere, and ``empty``
    says how many they are. Categories that sum to 0 stay.

    Raises:
        ValueError: A column is missing or of the wrong kind, a weight is missing or negative, or the total is 0.
    """
    if not 0 < threshold <= 1:
        message = f"expected a threshold above 0 and at most 1; found {threshold}"
        raise ValueError(message)
    if top is not None and top < 1:
        message = f"expected to keep at least 1 category; found top={top}"
        raise ValueError(message)
    amounts, empty = _amounts(_frame.table(data), by, weight)
    ranked = sorted(amounts.items(), key=lambda item: (-item[1], item[0] is None, item[0] or ""))
    total = fsum(amount for _, amount in ranked)
    if not total > 0:
        message = f"nothing to chart: the total of {weight or 'rows'} is 0"
        raise ValueError(message)
    running = list(accumulate(amount for _, amount in ranked))
    # Not running[-1] / total: rounding must not keep the last from reaching all.
    cumulative = [*(amount / total for amount in running[:-1]), 1.0]
    few = next(at for at, share in enumerate(cumulative) if share >= threshold - 1e-12) + 1
    vital = tuple(name for name, _ in ranked[:few])
    rest = ranked[top:] if top is not None else []
    if rest:
        ranked = [*ranked[:top], (_OTHER, fsum(amount for _, amount in rest))]
        cumulative = [*cumulative[:top], 1.0]
    table = pa.table(
        {
            "category": pa.array([name for name, _ in ranked], pa.string()),
            "amount": pa.array([amount for _, amount in ranked], pa.float64()),
            "share": pa.array([amount / total for _, amount in ranked], pa.float64()),
            "cumulative": pa.array(cumulative, pa.float64()),
        }
    )
    return Pareto(
        table=table,
        total=total,
        vital=vital,
        threshold=threshold,
        folded=len(rest),
        empty=empty,
        by=by,
        amount=_plot.labelled(weight, unit) if weight else unit or "count",
    )


def _amounts(table: pa.Table, by: str, weight: str | None) -> tuple[dict[str | None, float], int]:
    """The amount of each category, and how many rows have no entry in the lists that hold them."""
    names, rows = _frame.exploded(table, by, "by")
    empty = table.num_rows - len(rows.unique()) if rows is not None else 0
    if weight is None:
        weights = pa.chunked_array([pa.array([1.0] * len(names), pa.float64())])
    elif "." in weight:
        if weight.partition(".")[0] != by.partition(".")[0] or rows is None:
            message = f"{weight!r} is a field of other lists than {by!r}, so their entries do not belong together"
            raise ValueError(message)
        weights, _ = _frame.exploded(table, weight, "weight")
    else:
        weights = _frame.column(table, weight, "weight")
        if rows is not None:
            weights = weights.take(rows)
    joined = pa.table({"category": names, "amount": weights})
    numbers = _frame.numbers(joined, "amount", "weight")
    _frame.known(numbers, weight or "amount", "leave those rows out, or give them 0")
    if any(number is not None and number < 0 for number in numbers):
        message = f"column {weight!r} has negative amounts, which have no share in a total"
        raise ValueError(message)
    texts = pa.array(_frame.words(joined, "category", "by"), pa.string())
    sums = (
        pa.table({"category": texts, "amount": pa.array(numbers, pa.float64())}).group_by("category").aggregate([("amount", "sum")])
    )
    return dict(zip(sums["category"].to_pylist(), sums["amount_sum"].to_pylist(), strict=True)), empty

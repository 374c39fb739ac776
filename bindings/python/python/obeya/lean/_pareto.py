"""Pareto charts: which few categories make up most of a total."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import accumulate
from math import fsum
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from obeya.lean import _frame, _plot
from obeya.lean._result import Result
from obeya.lean._rows import Rows, named

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
    """The name of the sum, with its unit."""

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

    def _chart(self, alt: Any, title: Any) -> Any:
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
    key: str = "id",
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
            weight="consequences.amount"`` sums what each consequence amounts to. If ``by`` is a column of lists, the number
            of a row is split evenly among its entries, so the total is that of the rows, and `Pareto.amount` says so.
            Amounts with a ``unit`` beside them, as in ``consequences``, are only summed within one unit.
        threshold: Which share of the total the vital few have, above 0 and at most 1.
        top: How many categories to show; the others become ``(other)``, which comes last whatever its amount. The vital few are
            the same with and without.
        unit: The unit of the amounts, for the chart. If units stand beside the amounts, only the entries of this unit count;
            it can be left out if there is only one.
        key: The column that names a record in `left_out`. An amount that is missing, negative or no number is left out, and its
            record is named; the other entries of the record count.

    Rows without a category are one of their own (null); of a column of lists, rows without an entry count nowhere, and ``empty``
    says how many they are. Categories that sum to 0 stay.

    Raises:
        ValueError: A column is missing or of the wrong kind, no amount can be used, the amounts have several units and ``unit``
            names none of them, or the total is 0.
    """
    if not 0 < threshold <= 1:
        message = f"expected a threshold above 0 and at most 1; found {threshold}"
        raise ValueError(message)
    if top is not None and top < 1:
        message = f"expected to keep at least 1 category; found top={top}"
        raise ValueError(message)
    used = Rows(_frame.table(data), key)
    entries = _entries(used, by, weight, unit)
    ranked = sorted(entries.sums().items(), key=lambda item: (-item[1], item[0] is None, item[0] or ""))
    total = fsum(amount for _, amount in ranked)
    if not total > 0:
        message = f"nothing to chart: the total of {weight or 'rows'} is 0"
        raise ValueError(message)
    running = list(accumulate(amount for _, amount in ranked))
    # Not running[-1] / total: rounding must not make the last one miss the total.
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
        empty=entries.empty,
        by=by,
        amount=entries.name,
        left_out=used.left_out,
    )


@dataclass(frozen=True)
class _Entries:
    """The counted or summed entries: a category and an amount each."""

    categories: list[str | None]
    amounts: list[float]
    empty: int
    """How many rows of a column of lists have no entry."""
    name: str
    """The name of the amounts."""

    def sums(self) -> dict[str | None, float]:
        """The amount of each category."""
        found: dict[str | None, list[float]] = {}
        for category, amount in zip(self.categories, self.amounts, strict=True):
            found.setdefault(category, []).append(amount)
        return {category: fsum(amounts) for category, amounts in found.items()}


def _entries(used: Rows, by: str, weight: str | None, unit: str | None) -> _Entries:
    table = used.table
    names, parents = _frame.exploded(table, by, "by")
    entries = pa.table({"category": names, "row": pa.array(range(len(names))) if parents is None else parents})
    if weight is not None:
        amounts, units = _weights(table, by, weight, parents)
        entries = entries.append_column("amount", amounts)
        if units is not None:
            entries, unit = _of_one_unit(entries.append_column("unit", units), weight, unit)
    rows = Counter(entries["row"].to_pylist())
    empty = 0 if parents is None else table.num_rows - len(rows)
    categories = _frame.words(entries, "category", "by")
    if weight is None:
        return _Entries(categories, [1.0] * len(categories), empty, unit or "count")
    numbers: list[Any] = _frame.numbers(entries, "amount", "weight")
    for row, number in zip(entries["row"].to_pylist(), numbers, strict=True):
        why = _unusable(number, weight)
        if why:
            used.leave_out(row, why)
    whole = [_unusable(number, weight) is None for number in numbers]
    if numbers and not any(whole):
        message = f"no amount of {weight!r} can be used: {named(used.left_out, 1)}"
        raise ValueError(message)
    categories = [category for category, good in zip(categories, whole, strict=True) if good]
    parts = [row for row, good in zip(entries["row"].to_pylist(), whole, strict=True) if good]
    numbers = [number for number, good in zip(numbers, whole, strict=True) if good]
    name = _plot.labelled(weight, unit)
    if parents is None or "." in weight:
        return _Entries(categories, [number or 0.0 for number in numbers], empty, name)
    if any(count > 1 for count in rows.values()):
        name += f", split evenly among {by.partition('.')[0]}"
    shares = [(number or 0.0) / rows[row] for number, row in zip(numbers, parts, strict=True)]
    return _Entries(categories, shares, empty, name)


def _unusable(number: Any, weight: str) -> str | None:
    """Why an amount has no share in a total."""
    if number is None:
        return f"has no {weight}"
    if isinstance(number, _frame.Unusable):
        return f"has the {weight} {number}"
    return f"has a negative {weight}, {_plot.short(number)}" if number < 0 else None


def _weights(
    table: pa.Table, by: str, weight: str, parents: pa.ChunkedArray | None
) -> tuple[pa.ChunkedArray, pa.ChunkedArray | None]:
    """The amount of each entry, and its unit where there is a column or field of units besides ``amount``."""
    lists, _, field = weight.partition(".")
    if not field:
        beside = weight == "amount" and "unit" in table.column_names
        amounts = _frame.column(table, weight, "weight")
        units = _frame.column(table, "unit", "unit") if beside else None
        if parents is None:
            return amounts, units
        return amounts.take(parents), None if units is None else units.take(parents)
    if lists != by.partition(".")[0] or parents is None:
        message = f"{weight!r} is a field of other lists than {by!r}, so their entries do not belong together"
        raise ValueError(message)
    amounts, _ = _frame.exploded(table, weight, "weight")
    kind = table.schema.field(lists).type.value_type
    beside = field == "amount" and pa.types.is_struct(kind) and kind.get_field_index("unit") >= 0
    return amounts, _frame.exploded(table, f"{lists}.unit", "unit")[0] if beside else None


def _of_one_unit(entries: pa.Table, weight: str, unit: str | None) -> tuple[pa.Table, str | None]:
    """The entries whose amounts are in the requested unit, or in the only one there is."""
    units = _frame.words(entries, "unit", "weight")
    found = sorted({name for name in units if name is not None})
    if not found:
        return entries, unit
    several = len(found) + (None in units) > 1
    if (unit is None and several) or (unit is not None and unit not in found):
        listed = ", ".join([*found, *(["no unit"] if None in units else [])])
        message = f"the amounts of {weight!r} are in {listed}, which have no common sum: choose one (argument `unit`)"
        raise ValueError(message if unit is None else f"{message}; found {unit!r}")
    unit = found[0] if unit is None else unit
    return entries.filter(pa.array([name == unit for name in units], pa.bool_())), unit

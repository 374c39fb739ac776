"""Pareto charts: which few categories make up most of a total."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from obeya.lean import _input, _plot, _plotly
from obeya.lean._amounts import Split, amounts, shared_by
from obeya.lean._result import Result
from obeya.lean._rows import Rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_OTHER = "(other)"
_NONE = "(none)"

_LONG = 40
"""The number of letters from which the name of an axis is written smaller."""


_CROWDED = 6
"""The number of categories above which their names have one line."""


@dataclass(frozen=True, eq=False, repr=False)
class Pareto(Result):
    """A Pareto chart, the largest category first. Its columns: ``category`` (null for rows without one), ``amount``, ``share`` of
    the total and ``cumulative`` share: that of the category and those before it together.
    """

    total: float
    """The sum over the records, each of them once. With ``split="each"`` the bars add up to more."""
    vital: tuple[str | None, ...]
    """The vital few: the largest categories that together reach ``threshold`` of the total, those in ``(other)`` among them."""
    threshold: float
    """Which share of the total the vital few reach together."""
    folded: int
    """How many categories are in ``(other)``."""
    empty: int
    """How many rows do not count, because they have no entry in a column of lists, or no amount of the unit."""
    uncategorised: float
    """What the rows without an entry in a column of lists amount to. It is not part of the total."""
    split: Split | None
    """How records with several categories count: in equal parts, or for each in full. None where no record has several, or where
    entries are counted."""
    by: str
    """The column of the categories."""
    amount: str
    """The name of the sum, with its unit."""

    def _says(self) -> str:
        amount = f" ({_plot.short(self.uncategorised)})" if self.uncategorised else ""
        without = f", {_plot.plural(self.empty, 'row')} without{amount}" if self.empty else ""
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

    def _together(self) -> str:
        """The name of the cumulative share. A record that counts for several bars counts once in it."""
        return "share of records with any so far" if self.split == "each" else "cumulative share"

    def _title(self) -> str:
        total = f", total {_plot.short(self.total)}" if self.split else ""
        return f"Pareto chart: {self.amount.removesuffix(shared_by(self.split, self.by))} by {self.by}{total}"

    def _draw(self, ax: Axes, title: str) -> None:
        rows = self._rows()
        places = list(range(len(rows)))
        _plot.frame(ax, title, y=self.amount)
        if len(self.amount) > _LONG:
            ax.yaxis.label.set_fontsize(_plot.SMALL)
        colours = [_plot.BLUE if self._vital(at) else _plot.SKY for at in places]
        bars = ax.bar(places, [row["amount"] for row in rows], color=colours, width=0.8)
        texts = ax.bar_label(bars, [_plot.short(row["amount"]) for row in rows], fontsize=_plot.SMALL, padding=2)
        # The line begins on top of the first bar, and goes up to the right.
        texts[0].set_horizontalalignment("right")
        texts[0].set_position((-5, 2))
        names = [_name(row["category"]) for row in rows]
        # Two lines of a turned label would cover its neighbours.
        crowded = len(rows) > _CROWDED
        ax.set_xticks(
            places,
            [_plot.literal(_plot.shortened(name, 22) if crowded else _plot.wrapped(name, 12)) for name in names],
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
        shares.set_ylabel(f"{self._together()} (%)")
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
                "cumulative:Q", title=self._together(), axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1.05], nice=False)
            )
        )
        return alt.layer(bars, line).resolve_scale(y="independent")

    def _subplots(self) -> list[_plotly.Subplot]:
        rows = self._rows()
        names = [_name(row["category"]) for row in rows]
        crowded = len(rows) > _CROWDED
        labels = [_plotly.text(_plot.shortened(name, 22)) if crowded else _plotly.wrapped(name, 12) for name in names]
        ticks = {"tickvals": list(range(len(rows))), "ticktext": labels}
        fixed = {"fixedrange": True}
        part = _plotly.Subplot(
            # Turned texts go beyond the last bar, and plotly would hide those that leave the figure.
            {**ticks, "range": [-0.6, len(rows) - 0.4], "ticklabeloverflow": "allow", "showgrid": False},
            # One height for both axes, and no other by zooming, so that a share can be read on either.
            {"title": _plotly.titled(self.amount, 34), "range": [0, self.total * 1.05], **fixed},
            320,
            right={"title": _plotly.titled(f"{self._together()} (%)"), "range": [0, 105], "dtick": 20, "showgrid": False, **fixed},
            margin=64,
            below=150 if crowded else 90,
        )
        said = [
            _plotly.lines(
                f"{name}\n{_plot.short(row['amount'])} {self.amount}\n"
                f"{_plot.percent(row['share'])}, together {_plot.percent(row['cumulative'])}",
                48,
            )
            for name, row in zip(names, rows, strict=True)
        ]
        shades = [_plot.BLUE if self._vital(at) else _plot.SKY for at in range(len(rows))]
        inks = ["#FFFFFF" if shade == _plot.BLUE else _plot.BLACK for shade in shades]
        places, figures = list(range(len(rows))), [_plot.short(row["amount"]) for row in rows]
        # plotly hides those that have no place: see "uniformtext".
        inside = {"text": figures, "textposition": "auto", "textangle": 0, "insidetextfont": {"color": inks}}
        bars = {"type": "bar", "name": "amounts", "x": places, "y": [row["amount"] for row in rows], "width": 0.8}
        hover = {"hoverinfo": "text", "hovertext": said, "cliponaxis": False}
        part.traces.append({**bars, **inside, **hover, "marker": {"color": shades}})
        shares = [row["cumulative"] * 100 for row in rows]
        line = {"mode": "lines+markers", "marker": {"color": _plot.ORANGE, "size": 6}, "yaxis": "right", "cliponaxis": False}
        part.traces.append(
            _plotly.stroke("cumulative", places, shares, _plot.ORANGE, 1.8, hoverinfo="text", hovertext=said, **line)
        )
        ends = {"x0": 0, "x1": 1, "xref": "x domain", "y0": self.threshold * self.total, "y1": self.threshold * self.total}
        dashed = {"color": _plot.GREY, "width": 1, "dash": "dash"}
        part.shapes.append({"type": "line", "name": "threshold", "yref": "y", **ends, "line": dashed})
        return [part]


def _name(category: str | None) -> str:
    return _NONE if category is None else category


def pareto(
    data: _input.Frame,
    *,
    by: str = "incidentType",
    weight: str | None = None,
    threshold: float = 0.8,
    top: int | None = None,
    unit: str | None = None,
    split: Split | None = None,
    key: str = "id",
) -> Pareto:
    """Which categories make up most of a total: of rows, or of a weight such as minutes of downtime.

    ``share`` is amount / total, ``cumulative`` the share of the categories up to there together. The vital few are the least
    number of largest categories whose cumulative share reaches ``threshold``. Equal amounts are in the order of their names.

    A record with several categories, such as an incident with two causes, has one amount, and which of them cost how much is
    not recorded. ``split="equal"`` gives each an equal part: the bars add up to the total. ``split="each"`` gives each the whole:
    a bar is what the records with this cause cost, the bars add up to more than the total, and ``cumulative`` counts a record
    once. The total is the same with both.

    Sources: J. M. Juran (ed.), *Quality Control Handbook*, 1951 (the vital few and the trivial many); D. C. Montgomery,
    *Introduction to Statistical Quality Control*, section 5.4.

    Args:
        by: The column of categories. Of a column of lists, such as an incident's ``causes``, every entry counts. ``causes`` is
            short for ``causes.title``; ``consequences.unit`` names another field.
        weight: A column of numbers to sum instead of counting rows, or a field of lists, such as ``consequences.amount``: that
            is summed for each record, or for each entry if ``by`` is of the same list. Amounts with a ``unit`` beside them are
            only summed within one unit.
        threshold: Which share of the total the vital few have, above 0 and at most 1.
        top: How many categories to show; the others become ``(other)``, which comes last whatever its amount. The vital few are
            the same with and without.
        unit: The unit of the amounts, for the chart. If units stand beside the amounts, only the entries of this unit count;
            it can be left out if there is only one.
        split: How a record with several categories counts, see above; a weight is split in equal parts by default. If nothing is
            weighed, the entries are counted by default (two causes are two); with ``split`` the records are.
        key: The column that names a record in `left_out`. An amount that is missing, negative or no number is left out, and its
            record is named; the other entries of the record count.

    Rows without a category are one of their own (null); of a column of lists, rows without an entry count nowhere: ``empty``
    says how many they are, ``uncategorised`` what they amount to. Categories that sum to 0 stay. Words alone, in a list, an array or a Series, are the
    categories. Without rows the chart has no bars.

    Raises:
        ValueError: A column is missing or of the wrong kind, no amount can be used, the amounts have several units and ``unit``
            names none of them, each entry has an amount of its own and there is nothing to split, or the total is 0.
    """
    if not 0 < threshold <= 1:
        message = f"expected a threshold above 0 and at most 1; found {threshold}"
        raise ValueError(message)
    if top is not None and top < 1:
        message = f"expected to keep at least 1 category; found top={top}"
        raise ValueError(message)
    if split not in (None, "equal", "each"):
        message = f"expected split to be equal or each; found {split!r}"
        raise ValueError(message)
    used = Rows(_input.table(data, by), key)
    found = amounts(used, by, weight, unit, split)
    ranked = found.ranked()
    total = found.total
    if not total > 0 and used.table.num_rows:
        message = f"nothing to chart: the total of {weight or 'rows'} is 0"
        raise ValueError(message)
    # Not running[-1] / total: rounding must not make the last one miss the total.
    cumulative = [*(amount / total for amount in found.running([name for name, _ in ranked])[:-1]), 1.0]
    if not ranked:
        cumulative = []
    few = next((at for at, share in enumerate(cumulative) if share >= threshold - 1e-12), -1) + 1
    vital = tuple(name for name, _ in ranked[:few])
    rest = ranked[top:] if top is not None else []
    if rest:
        ranked = [*ranked[:top], (_OTHER, found.of({name for name, _ in rest}))]
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
        empty=found.empty,
        uncategorised=found.uncategorised,
        split=found.split,
        by=by,
        amount=found.name,
        left_out=used.left_out,
    )


"""A chart for each group of a frame, one below the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import pyarrow as pa

from obeya.lean import _frame, _plot, _plotly
from obeya.lean._result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_Chart = TypeVar("_Chart", bound=Result)

_MOST = 16
"""How many charts one figure has."""
_NAMED = 3
"""How many groups without a chart a picture names."""
_WIDTH = 64
"""How many letters a line above the picture has."""
_HEIGHT = 0.75
"""The height of a chart among others, as a share of its height alone."""


@dataclass(frozen=True, eq=False, repr=False)
class Panels(Result, Generic[_Chart]):
    """A chart for each group, groups by name. Its columns: ``group`` (null for rows without one) and those of the charts.

    Each chart is complete: its limits, phases and figures are those of its group alone. A figure shows 16 of them: where there
    are more, those with the most signals, and its title says how many there are, and how many signals are in the others.
    Groups without a chart are in ``left_out`` with the reason, and below the title.
    """

    charts: Mapping[str | None, _Chart]
    """The charts by group; a group of several columns is named by all of them, such as ``Line 1, Day``."""
    failed: Mapping[str | None, str]
    """The groups that have no chart, and why, such as too few points."""
    by: str
    """The columns of the groups."""
    signals: int
    """How many points rules hit in all charts; 0 for charts without rules."""

    def _says(self) -> str:
        ruled = any(hasattr(chart, "signals") for chart in self.charts.values())
        signals = f", {_plot.plural(self.signals, 'signal')}" if ruled else ""
        return f"{_plot.plural(len(self.charts), 'chart')} by {self.by}{signals}"

    def _without(self) -> str:
        records = sum(len(chart.left_out) for chart in self.charts.values())
        kind = next((chart._impossible for chart in self.charts.values()), "")
        parts = [f"{_plot.plural(records, 'record')}{kind} left out"] if records else []
        if self.failed:
            names = ", ".join(_plot.shortened(_name(group)) for group in list(self.failed)[:_NAMED])
            more = f" and {len(self.failed) - _NAMED} more" if len(self.failed) > _NAMED else ""
            parts.append(f"no chart of {names}{more}")
        return ", ".join(parts)

    def _title(self) -> str:
        kind = next((chart._kind() for chart in self.charts.values()), "No chart")
        return f"{kind} by {self.by}{self._hidden()}"

    def _lines(self, text: str) -> str:
        # Names of groups make it as long as they are.
        return fill(text, _WIDTH)

    def _hidden(self) -> str:
        """What the picture does not show."""
        if len(self.charts) <= _MOST:
            return ""
        shown = [chart for _, chart in self._shown()]
        ruled = any(hasattr(chart, "signals") for chart in shown)
        others = f"; {_plot.plural(self.signals - sum(map(_signals, shown)), 'signal')} in the others" if ruled else ""
        return f" ({_MOST} of {len(self.charts)} shown{others})"

    def _figure(self) -> tuple[float, float]:
        shown = self._shown()
        return (
            max((chart._figure()[0] for _, chart in shown), default=self._size[0]),
            sum(chart._figure()[1] * _HEIGHT for _, chart in shown) + 0.4 if shown else self._size[1],
        )

    def _shown(self) -> list[tuple[str | None, _Chart]]:
        charts = list(self.charts.items())
        if len(charts) > _MOST:
            # What is exceptional must be seen. Charts with equally many signals stay in the order of their
            # names.
            charts.sort(key=lambda item: -_signals(item[1]))
        return charts[:_MOST]

    def _is_blank(self) -> bool:
        return not self.charts

    def _draw(self, ax: Axes, title: str) -> None:
        shown = self._shown()
        for panel, (group, chart) in zip(_plot.divided(ax, [1] * len(shown)), shown, strict=True):
            chart._draw(panel, "")
            panel.annotate(
                _plot.literal(_name(group)),
                xy=(1, 1),
                xycoords="axes fraction",
                xytext=(0, 3),
                textcoords="offset points",
                ha="right",
                va="bottom",
                fontsize=10,
                fontweight="bold",
                gid="group",
            )
        # Above the names of the group and of the phases.
        ax.set_title(title, loc="left", fontsize=11, fontweight="bold", pad=24)

    def _chart(self, alt: Any, title: Any) -> Any:
        return alt.vconcat(*(chart._chart(alt, _plot.plain(_name(group))) for group, chart in self._shown()), title=title)

    def _subplots(self) -> list[_plotly.Subplot]:
        parts = []
        for group, chart in self._shown():
            first, *others = chart._parts()
            parts += [first.headed(_name(group)), *others]
        return parts


def panels(table: pa.Table, by: str | Sequence[str], make: Callable[[pa.Table], _Chart]) -> Panels[_Chart]:
    """A chart of the rows of each group. A group that ``make`` refuses has none; if it refuses all, that is an error."""
    names = list(by) if isinstance(by, Sequence) and not isinstance(by, str) else [by]
    if not names:
        message = "expected a column of groups in `by`; found none"
        raise ValueError(message)
    whole = _frame.without_views(table).append_column(_frame.ROW, pa.array(range(table.num_rows), pa.int64()))
    charts: dict[str | None, _Chart] = {}
    failed: dict[str | None, str] = {}
    for group, rows in _frame.grouped_by(table, names).items():
        try:
            charts[group] = make(whole.take(pa.array(rows, pa.int64())))
        except ValueError as error:
            failed[group] = str(error)
    if failed and not charts:
        group, why = next(iter(failed.items()))
        message = f"no group of {', '.join(names)} can be charted; {_name(group)}: {why}"
        raise ValueError(message)
    parts = [
        chart.table.add_column(0, "group", pa.array([group] * len(chart), pa.string())) for group, chart in charts.items()
    ]
    return Panels(
        table=pa.concat_tables(parts) if parts else pa.table({"group": pa.array([], pa.string())}),
        charts=charts,
        failed=failed,
        by=" and ".join(names),
        left_out=(
            *(f"{_name(group)}: {why}" for group, chart in charts.items() for why in chart.left_out),
            *(f"{_name(group)} has no chart: {why}" for group, why in failed.items()),
        ),
        signals=sum(map(_signals, charts.values())),
    )


def _signals(chart: Result) -> int:
    """How many points rules hit; 0 in a chart without rules."""
    return int(getattr(chart, "signals", 0))


def _name(group: str | None) -> str:
    return "(none)" if group is None else group

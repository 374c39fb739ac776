"""A chart for each group of a frame, one below the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import pyarrow as pa

from obeya.lean import _frame, _plot
from obeya.lean._result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_Chart = TypeVar("_Chart", bound=Result)

_MOST = 16
"""How many charts one figure has."""
_HEIGHT = 0.75
"""The height of a chart among others, as a share of its height alone."""


@dataclass(frozen=True, eq=False, repr=False)
class Panels(Result, Generic[_Chart]):
    """A chart for each group, groups by name. Its columns: ``group`` (null for rows without one) and those of the charts.

    Each chart is complete: its limits, phases and figures are those of its group alone. A figure shows the first 16; its
    title says how many there are.
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
        failed = f", {_plot.plural(len(self.failed), 'group')} without" if self.failed else ""
        return f"{_plot.plural(len(self.charts), 'chart')} by {self.by}{signals}{failed}"

    def _title(self) -> str:
        kind = next((chart._kind() for chart in self.charts.values()), "No chart")
        shown = f" ({_MOST} of {len(self.charts)} shown)" if len(self.charts) > _MOST else ""
        return f"{kind} by {self.by}{shown}"

    def _figure(self) -> tuple[float, float]:
        shown = self._shown()
        return (
            max((chart._figure()[0] for _, chart in shown), default=self._size[0]),
            sum(chart._figure()[1] * _HEIGHT for _, chart in shown) + 0.4 if shown else self._size[1],
        )

    def _shown(self) -> list[tuple[str | None, _Chart]]:
        return list(self.charts.items())[:_MOST]

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


def panels(table: pa.Table, by: str | Sequence[str], make: Callable[[pa.Table], _Chart]) -> Panels[_Chart]:
    """A chart of the rows of each group. A group that ``make`` refuses has none; if it refuses all, that is an error."""
    names = [by] if isinstance(by, str) else list(by)
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
        left_out=tuple(f"{_name(group)}: {why}" for group, chart in charts.items() for why in chart.left_out),
        signals=sum(int(getattr(chart, "signals", 0)) for chart in charts.values()),
    )


def _name(group: str | None) -> str:
    return "(none)" if group is None else group

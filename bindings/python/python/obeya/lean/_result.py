"""What every function of this package answers with: a frame that knows its figures and can draw itself."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, overload

import pyarrow as pa

from obeya.lean import _plot, _plotly, _plotly_figure

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd
    import plotly.graph_objects as go
    import polars as pl
    from matplotlib.axes import Axes

_SHOWN = 20


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """A frame with named figures. It does not change, and may be read as often as wanted."""

    table: pa.Table
    """The frame, as an Arrow table."""
    left_out: tuple[str, ...] = field(default=(), kw_only=True)
    """For each record that is left out because it has a value that cannot be used, which it is and why. The picture has their
    number below its title. Of charts by group it also has the groups without a chart."""

    _impossible: ClassVar[str] = ""
    """What the records that are left out have in common."""
    _size: ClassVar[tuple[float, float]] = (6.4, 4.0)
    """Width and height of a default figure, in inches at 100 dots each."""

    def to_arrow(self) -> pa.Table:
        """The frame as a `pyarrow.Table`."""
        return self.table

    def to_pandas(self) -> pd.DataFrame:
        """The frame for pandas; integers and texts with missing values have nullable types."""
        from obeya import _frames

        _frames.require("pyarrow", "pandas")
        return _frames.frame(self.table, days_as_objects=True)

    def to_polars(self) -> pl.DataFrame:
        """The frame for polars."""
        from obeya import _frames

        _frames.require("polars")
        return _frames.polars_frame(self.table, len(self))

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any:
        return self.table.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __repr__(self) -> str:
        return f"<obeya.lean.{type(self).__name__}: {self._summary()}>"

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.table.column_names)
        rows = "".join(
            "<tr>" + "".join(f"<td>{html.escape(_cell(value))}</td>" for value in row.values()) + "</tr>"
            for row in self.table.slice(0, _SHOWN).to_pylist()
        )
        more = len(self) - _SHOWN
        rest = f"<p>and {more} rows more</p>" if more > 0 else ""
        return (
            f"<p><b>{html.escape(self._title())}</b>: {html.escape(self._summary())}</p>"
            f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{rest}"
        )

    @overload
    def plot(self, ax: Axes | None = None, *, title: str | None = None, backend: Literal["matplotlib"] = "matplotlib") -> Axes: ...
    @overload
    def plot(self, ax: None = None, *, title: str | None = None, backend: Literal["altair"]) -> alt.TopLevelMixin: ...
    @overload
    def plot(self, ax: None = None, *, title: str | None = None, backend: Literal["plotly"]) -> go.Figure: ...
    def plot(self, ax: Axes | None = None, *, title: str | None = None, backend: str = "matplotlib") -> Any:
        """Draws the chart and answers with the matplotlib ``Axes``, with an altair chart or with a plotly ``Figure``.

        Without ``ax`` a figure of 640 pixels' width is made. ``backend="altair"`` needs altair, ``backend="plotly"`` needs plotly,
        and both take no ``ax``. A figure of plotly is as wide as its place, says more where the pointer is, and shows all texts as
        they are: also those that look like HTML or like formulas, and ``title``.
        """
        if backend == "matplotlib":
            axes = _plot.axes(ax, self._figure())
            # Dollars in a title of the caller's are wanted: they make formulas.
            head = _plot.plain(title) if title else _plot.literal(self._lines(self._title()))
            head = f"{head}\n{_plot.literal(self._lines(self._without()))}" if self.left_out else head
            if self._is_blank():
                _plot.blank(axes, head)
            else:
                self._draw(axes, head)
            return axes
        if backend not in ("altair", "plotly"):
            message = f"expected the backend matplotlib, altair or plotly; found {backend!r}"
            raise ValueError(message)
        if ax is not None:
            message = f"{backend} draws on no Axes: leave out `ax`"
            raise ValueError(message)
        if backend == "altair":
            altair, head = _plot.require("altair"), _plot.plain(title or self._title())
            titled = altair.TitleParams(head, subtitle=_plot.plain(self._without())) if self.left_out else head
            if self._is_blank():
                nothing = altair.Data(values=[{"text": _plot.NOTHING}])
                return altair.Chart(nothing, title=titled, width=480).mark_text().encode(text="text:N")
            return self._chart(altair, titled)
        graph = _plot.require("plotly.graph_objects")
        return _plotly_figure.figure(graph, title or self._title(), self._without() if self.left_out else "", self._parts())

    def _is_blank(self) -> bool:
        """Whether there is nothing to draw."""
        return not len(self)

    def _parts(self) -> list[_plotly.Subplot]:
        """The subplots of a figure of plotly; where there is nothing to draw, one that says so."""
        return [_plotly.nothing()] if self._is_blank() else self._subplots()

    def _figure(self) -> tuple[float, float]:
        """Width and height of a default figure of this chart."""
        return self._size

    def _lines(self, text: str) -> str:
        """A text above the picture, in lines that fit."""
        return text

    def _kind(self) -> str:
        """The chart's name without the figures of one group."""
        return self._title()

    def _rows(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self.table.to_pylist()
        return rows

    def _summary(self) -> str:
        """The figures in a line, with the number of records left out."""
        return f"{self._says()}, {self._without()}" if self.left_out else self._says()

    def _without(self) -> str:
        return f"{_plot.plural(len(self.left_out), 'record')}{self._impossible} left out"

    def _says(self) -> str:
        """The figures in a line."""
        raise NotImplementedError

    def _title(self) -> str:
        raise NotImplementedError

    def _draw(self, ax: Axes, title: str) -> None:
        raise NotImplementedError

    def _chart(self, alt: Any, title: Any) -> Any:
        raise NotImplementedError

    def _subplots(self) -> list[_plotly.Subplot]:
        raise NotImplementedError


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return _plot.short(value)
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value)

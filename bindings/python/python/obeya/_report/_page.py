"""The report as one self-contained page: no network, no scripts. It is well-formed XML too, which a test checks.

Each chart is drawn twice, for a wide and for a narrow screen, because a chart that shrinks shrinks its labels too.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import obeya
from obeya._printable import printable
from obeya._report._charts import Cell, Chart, charts
from obeya._report._gather import Figures
from obeya._report._svg import element
from obeya.lean._plot import percent, plural, short

_MARK = '<meta name="generator" content="obeya '
"""The marker of such a page, of any version."""

_WIDTHS = {"column": 5.6, "tall": 5.6, "across": 9.6}
_NARROW = 4.2
"""Inches. In the place each is shown in, texts then have about the size of those around them."""

_STYLE = """
:root { color-scheme: light; --ink: #1b1f24; --soft: #57606a; --line: #d8dee4; --blue: #0072b2; }
* { box-sizing: border-box; }
body { margin: 0; background: #f4f6f8; color: var(--ink); font: 16px/1.5 system-ui, "Segoe UI", Roboto, Arial, sans-serif; }
header, main, footer { max-width: 1200px; margin: 0 auto; padding: 0 20px; }
header { padding-top: 28px; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0; }
h2 { font-size: 1.15rem; margin: 36px 0 12px; padding-bottom: 6px; border-bottom: 2px solid var(--blue); }
h1 small { display: block; font-size: 1rem; font-weight: normal; color: var(--soft); margin-top: 6px; }
h3 { font-size: 1rem; line-height: 1.3; margin: 0; overflow-wrap: anywhere; }
p { margin: 4px 0 0; }
.soft, footer { color: var(--soft); font-size: 0.9rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(160px, 1fr)); gap: 12px; }
.tiles { margin: 20px 0 0; padding: 0; list-style: none; }
.tiles li, figure { background: #fff; border: 1px solid var(--line); border-radius: 8px; padding: 14px 16px; }
.tiles b { display: block; font-size: 1.5rem; white-space: nowrap; line-height: 1.25; font-variant-numeric: tabular-nums; }
.charts { display: grid; grid-template-columns: 1fr; gap: 16px; align-items: start; }
figure { margin: 0; min-width: 0; }
figcaption p { color: var(--soft); font-size: 0.92rem; }
svg { display: block; width: 100%; height: auto; margin: 10px auto 0; max-width: 680px; }
svg * { stroke-linejoin: round; stroke-linecap: butt; }
svg.narrow { display: none; }
details { margin-top: 10px; font-size: 0.88rem; }
summary { cursor: pointer; color: var(--blue); }
.scroll { overflow: auto; max-height: 22rem; margin-top: 6px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 3px 12px 3px 0; border-bottom: 1px solid var(--line); vertical-align: bottom; }
th { font-weight: 600; }
.n { text-align: right; }
footer { padding-top: 24px; padding-bottom: 32px; }
.across svg.wide { max-width: none; }
@media (min-width: 1060px) {
  .charts { grid-template-columns: 1fr 1fr; }
  .across { grid-column: 1 / -1; }
  .tall { grid-row: span 2; }
}
@media (max-width: 760px) {
  .across svg.wide { display: none; }
  .across svg.narrow { display: block; }
}
@media (max-width: 600px) {
  header, main, footer { padding-left: 12px; padding-right: 12px; }
  .tiles { grid-template-columns: 1fr 1fr; gap: 8px; }
  .tiles li, figure { padding: 12px; }
  svg.wide { display: none; }
  svg.narrow { display: block; }
}
@page { size: A4; margin: 12mm; }
@media print {
  body { background: #fff; font-size: 10pt; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  header, main, footer { max-width: none; padding: 0 1px; }
  .tiles { grid-template-columns: repeat(3, 1fr); gap: 6px; }
  .tiles b { font-size: 1.3rem; }
  .tiles li, figure { padding: 8px 10px; break-inside: avoid; }
  .charts { grid-template-columns: 1fr 1fr; gap: 8px; }
  h1 { font-size: 1.5rem; }
  h2 { margin: 16px 0 8px; break-after: avoid; }
  .across { grid-column: 1 / -1; }
  .tall { grid-row: span 2; }
  .column svg.wide, .tall svg.wide, details { display: none; }
  .column svg.narrow, .tall svg.narrow, .across svg.wide { display: block; }
  .across svg.narrow { display: none; }
}
""".strip()


def page(figures: Figures) -> str:
    """The whole page."""
    wanted = figures.wanted
    title = _escape(f"{wanted.title}, {wanted.today}")
    read = f"{plural(figures.incidents, 'incident')} and {plural(figures.improvements, 'improvement')} on record"
    parts = [
        "<!DOCTYPE html>",
        '<html xmlns="http://www.w3.org/1999/xhtml" lang="en">',
        "<head>",
        '<meta charset="utf-8" />',
        '<meta name="viewport" content="width=device-width, initial-scale=1" />',
        f'{_MARK}{obeya.__version__}" />',
        f"<title>{title}</title>",
        f"<style>\n{_STYLE}\n</style>",
        "</head>",
        "<body>",
        "<header>",
        f"<h1>{_escape(wanted.title)} <small>Lean report of {wanted.today:%Y-%m-%d}: {read}</small></h1>",
        '<ul class="tiles">',
        *_tiles(figures),
        "</ul>",
        "</header>",
        "<main>",
        *_sections(list(charts(figures))),
        *_failed(figures),
        "</main>",
        f"<footer>Drawn by obeya {obeya.__version__}. Days are those of UTC. "
        "Each chart has its figures as a table below it.</footer>",
        "</body>",
        "</html>",
    ]
    return "\n".join(parts) + "\n"


def is_report(path: Path) -> bool:
    """Whether a file is such a page, of any version."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return _MARK in file.read(1000)
    except OSError:
        return False


def _escape(text: str) -> str:
    """Text, escaped for a page."""
    return html.escape(printable(text))


def _tiles(figures: Figures) -> Iterator[str]:
    for number, label in _key_figures(figures):
        yield f"<li><b>{_escape(number)}</b>{_escape(label)}</li>"


def _key_figures(figures: Figures) -> Iterator[tuple[str, str]]:
    since, late, process = figures.since, figures.late_incidents, figures.process
    if since is not None and since.days is not None:
        yield plural(since.days, "day"), f"since the last serious incident (longest {since.record})"
    if late is not None:
        yield f"{late.overdue} of {late.open}", "open incidents are overdue"
    if process is not None:
        signals = process.chart.signals
        yield plural(signals, "signal"), f"in {plural(len(process.chart), 'week')} of {process.name}"
    if figures.times is not None and figures.times.p85 is not None:
        yield f"{figures.times.p85:.0f} days", "from idea to done for 85% of improvements, at most"
    if figures.good is not None and figures.good.ratio is not None:
        yield percent(figures.good.ratio), "of evaluated improvements judged good"
    if figures.roi is not None and figures.roi.roi is not None:
        yield percent(figures.roi.roi), "return on what improvements cost"


def _sections(drawn: Sequence[Chart]) -> Iterator[str]:
    for section, members in groupby(drawn, key=lambda chart: chart.section):
        yield f"<section><h2>{_escape(section)}</h2>"
        yield '<div class="charts">'
        for chart in members:
            yield from _figure(chart)
        yield "</div></section>"
    if not drawn:
        yield "<p>There is nothing to chart yet.</p>"


def _failed(figures: Figures) -> Iterator[str]:
    if figures.failed:
        yield "<section><h2>Not charted</h2><ul>"
        for name, why in figures.failed.items():
            yield f"<li>{_escape(name)}: {_escape(why)}</li>"
        yield "</ul></section>"


def _figure(chart: Chart) -> Iterator[str]:
    yield f'<figure id="{chart.name}" class="{chart.place}">'
    yield f"<figcaption><h3>{_escape(chart.title)}</h3><p>{_escape(chart.says)}</p></figcaption>"
    for kind, size in (("wide", (_WIDTHS[chart.place], chart.wide)), ("narrow", (_NARROW, chart.narrow))):
        yield element(chart.result, size, name=f"{chart.name}-{kind}", title=chart.title, says=chart.says, kind=kind)
    yield "<details><summary>Figures as a table</summary>"
    # The table may be wider or longer than its place; with a tabindex it can be moved by keys.
    yield f'<div class="scroll" tabindex="0" role="group" aria-label="{_escape(chart.title)}"><table>'
    yield (
        "<thead><tr>"
        + "".join(f"<th{_side(chart, at)}>{_escape(name)}</th>" for at, name in enumerate(chart.head))
        + "</tr></thead>"
    )
    yield "<tbody>"
    for row in chart.rows:
        yield "<tr>" + "".join(f"<td{_side(chart, at)}>{_escape(_shown(cell))}</td>" for at, cell in enumerate(row)) + "</tr>"
    yield "</tbody></table></div></details></figure>"


def _side(chart: Chart, column: int) -> str:
    """Numbers are aligned to the right, and so is their heading."""
    cells = [row[column] for row in chart.rows if row[column] is not None]
    numbers = cells and all(not isinstance(cell, str) or cell.endswith("%") for cell in cells)
    return ' class="n"' if numbers else ""


def _shown(cell: Cell) -> str:
    if cell is None:
        return ""
    return short(cell) if isinstance(cell, (int, float)) else str(cell)

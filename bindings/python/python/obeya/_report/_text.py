"""The report for a terminal: plain text, at most 80 columns, some thirty lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from obeya._printable import printable
from obeya._report._gather import Figures
from obeya._report._phrases import changes, last_signal
from obeya.lean import Pareto
from obeya.lean._plot import percent, plural, short

_WIDTH = 80
_BAR = 24


def text(figures: Figures) -> str:
    """The whole report."""
    return "\n".join(map(printable, _lines(figures))) + "\n"


def _lines(figures: Figures) -> Iterator[str]:
    wanted = figures.wanted
    yield f"{wanted.title}, {wanted.today}"
    yield f"{plural(figures.incidents, 'incident')} and {plural(figures.improvements, 'improvement')} on record"
    for heading, sentences in (
        (f"Safety ({figures.serious})", _safety(figures)),
        ("Incidents", _incidents(figures)),
        ("Process", _process(figures)),
        ("Improvements", _improvements(figures)),
        ("Not charted", _failed(figures)),
    ):
        found = list(sentences)
        if found:
            yield ""
            yield heading.upper() if "(" not in heading else _capitals(heading)
            yield from found


def _capitals(heading: str) -> str:
    word, _, rest = heading.partition(" ")
    return f"{word.upper()} {rest}"


def _says(sentence: str) -> list[str]:
    return wrap(sentence, _WIDTH, initial_indent="  ", subsequent_indent="    ")


def _safety(figures: Figures) -> Iterator[str]:
    since, cross, between = figures.since, figures.cross, figures.between
    if since is not None and since.days is not None and since.record is not None:
        yield from _says(f"{plural(since.days, 'day')} since the last one; the longest stretch was {plural(since.record, 'day')}")
    if between is not None:
        yield from _says(
            f"{between.centre:.1f} days between two on average, up to {between.upper:.0f} is noise; "
            f"{plural(between.signals, 'signal')} (g chart)"
        )
    if cross is not None:
        kind = figures.wanted.safety or "all types"
        yield from _says(
            f"{cross.month:%Y-%m}: {plural(cross.safe, 'day')} without any incident ({kind}), "
            f"{plural(cross.incidents, 'incident')}"
        )


def _incidents(figures: Figures) -> Iterator[str]:
    late = figures.late_incidents
    if late is not None:
        rows = [row for row in late.to_arrow().to_pylist() if row["overdue"]]
        longest = f", the longest by {plural(max(row['longest'] for row in rows), 'day')}" if rows else ""
        yield from _says(f"{late.open} open, {late.overdue} of them overdue{longest}")
        if rows:
            yield from _says("overdue: " + ", ".join(f"{row['responsible'] or '(nobody)'} {row['overdue']}" for row in rows[:5]))
    if figures.types is not None:
        yield from _says(f"{plural(figures.recent, 'incident')} in 52 weeks, by type:")
        yield from _bars(figures.types)
    if figures.causes is not None:
        kind, causes = figures.causes
        yield from _says(f"{kind}, most frequent causes:")
        yield from _bars(causes, 4)


def _bars(pareto: Pareto, most: int | None = None) -> Sequence[str]:
    rows = pareto.to_arrow().to_pylist()
    rows = rows[: -1 if pareto.folded else None][:most]
    width = max(len(row["category"] or "(none)") for row in rows)
    largest = max(row["amount"] for row in rows)
    return [
        f"    {row['category'] or '(none)':{width}}  {row['amount']:7,.0f}  {percent(row['share']):>5}  "
        + "#" * round(_BAR * row["amount"] / largest)
        for row in rows
    ]


def _process(figures: Figures) -> Iterator[str]:
    process = figures.process
    if process is None:
        return
    chart = process.chart
    unit = f" {process.unit}" if process.unit else ""
    yield from _says(
        f"{process.name}, {plural(len(chart), 'week')}: mean {short(chart.centre)}{unit}, natural process limits "
        f"{short(chart.lower)} to {short(chart.upper)}, last week {short(process.weeks[-1]['value'])} (XmR of weekly means)"
    )
    for sentence in (*changes(process), last_signal(process)):
        yield from _says(sentence)


def _failed(figures: Figures) -> Iterator[str]:
    for name, why in figures.failed.items():
        yield from _says(f"{name}: {why}")


def _improvements(figures: Figures) -> Iterator[str]:
    late, times, good, roi, pick = figures.late_improvements, figures.times, figures.good, figures.roi, figures.pick
    if late is not None:
        yield from _says(f"{late.open} open, {late.overdue} of them overdue")
    if times is not None and times.median is not None and times.p85 is not None:
        yield from _says(
            f"from suggestion to implementation half take at most {times.median:.0f} days, 85% at most {times.p85:.0f} "
            f"({times.finished} of them)"
        )
    if pick is not None:
        named = ", ".join(f"{name.lower()} {count}" for name, count in pick.counts.items())
        yield from _says(f"not begun: {named}, not placed {pick.unplaced} (PICK)")
    if good is not None and good.ratio is not None and good.lower is not None and good.upper is not None:
        yield from _says(
            f"{good.good} of {good.evaluated} judged good, {percent(good.ratio)} "
            f"({percent(good.confidence)} interval {percent(good.lower)} to {percent(good.upper)})"
        )
    if roi is not None and roi.roi is not None:
        yield from _says(f"return on investment {percent(roi.roi)}: {short(roi.cost)} {roi.unit} brought {short(roi.gain)}")

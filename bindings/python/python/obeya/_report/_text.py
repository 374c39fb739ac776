"""The report for a terminal: plain text, at most 80 columns. What a morning meeting asks first comes first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from obeya._printable import printable
from obeya._report import _says
from obeya._report._gather import Figures
from obeya._report._morning import Item
from obeya._report._words import Words
from obeya.lean import Pareto

_WIDTH = 80
_BAR = 24
_LISTED = 5
"""How many records a list has."""


def text(figures: Figures) -> str:
    """The whole report."""
    return "\n".join(map(printable, _lines(figures, Words(figures.wanted.lang)))) + "\n"


def _lines(figures: Figures, words: Words) -> Iterator[str]:
    wanted = figures.wanted
    yield f"{wanted.title}, {wanted.today}"
    yield _says.head(figures, words)
    for heading, sentences in (
        (words("section.yesterday"), _yesterday(figures, words)),
        (words("section.today"), _today(figures, words)),
        (words("section.targets"), _targets(figures, words)),
        (f"{words('section.safety')} ({_says.serious(figures, words)})", _safety(figures, words)),
        (words("section.incidents"), _incidents(figures, words)),
        (words("section.process"), _process(figures, words)),
        (words("section.improvements"), _improvements(figures, words)),
        (words("section.failed"), _failed(figures, words)),
    ):
        found = list(sentences)
        if found:
            yield ""
            head, bracket, rest = heading.partition(" (")
            yield head.upper() + bracket + rest
            yield from found


def _line(sentence: str) -> list[str]:
    return wrap(sentence, _WIDTH, initial_indent="  ", subsequent_indent="    ")


def _yesterday(figures: Figures, words: Words) -> Iterator[str]:
    yield from _line(", ".join(f"{words.number(number)} {name}" for number, name in _says.since_yesterday(figures, words)))
    for item in figures.yesterday.serious[:_LISTED]:
        yield from _line(_item(figures, item, words))


def _today(figures: Figures, words: Words) -> Iterator[str]:
    due, late = figures.today.due, figures.today.late
    if not due and not late:
        yield from _line(words("today.nothing"))
        return
    yield from _line(f"{words.number(len(due))} {words('today.due')}, {words.number(len(late))} {words('today.late')}")
    for items in (due, late):
        for item in items[:_LISTED]:
            yield from _line(f"{_item(figures, item, words)}: {lateness(item, words)}")
        if len(items) > _LISTED:
            yield from _line(words.count("more", len(items) - _LISTED))


def lateness(item: Item, words: Words) -> str:
    """How late a record is."""
    return words.count("today.by", item.days) if item.days else words("today.is_due")


def _item(figures: Figures, item: Item, words: Words) -> str:
    address = figures.wanted.address(item.kind, item.id)
    return f"{item.title} ({item.who or words('nobody')})" + (f", {address}" if address else "")


def _targets(figures: Figures, words: Words) -> Iterator[str]:
    for meter in figures.meters:
        name = f"{words(f'group.{meter.target.group}')}: {meter.target.name}"
        if meter.last is None:
            yield from _line(f"{name}: {words('meter.nothing')}")
            continue
        day, value = meter.last
        yield from _line(
            words(
                "meter.says",
                name=name,
                last=_says.with_unit(value, meter, words),
                when=_says.when(meter, day, words),
                target=_says.target(meter, words),
                state=_says.state(meter, words),
                met=_says.met(meter, words),
                trend=words(f"trend.{meter.trend}"),
            )
        )


def _safety(figures: Figures, words: Words) -> Iterator[str]:
    since, cross, between = figures.since, figures.cross, figures.between
    if since is not None and since.days is not None and since.record is not None:
        record = words.count("since.days", since.record)
        yield from _line(words("since.text", days=words.count("since.days", since.days), record=record))
    if between is not None:
        yield from _line(
            words(
                "between.text",
                mean=words.number(round(between.centre, 1)),
                upper=words.number(round(between.upper)),
                signals=words.count("signals", between.signals),
            )
        )
    if cross is not None:
        yield from _line(
            words(
                "cross.short",
                month=words.month(cross.month),
                safe=words.count("cross.safe", cross.safe),
                kind=figures.wanted.safety or words("all_types"),
                incidents=words.count("incidents", cross.incidents),
            )
        )


def _incidents(figures: Figures, words: Words) -> Iterator[str]:
    late = figures.late_incidents
    if late is not None:
        rows = [row for row in late.to_arrow().to_pylist() if row["overdue"]]
        longest = max((row["longest"] for row in rows), default=0)
        tail = f", {words.count('overdue.longest_text', longest)}" if rows else ""
        yield from _line(words("overdue.text", open=late.open, overdue=late.overdue) + tail)
        if rows:
            who = ", ".join(f"{row['responsible'] or words('nobody')} {row['overdue']}" for row in rows[:_LISTED])
            yield from _line(words("overdue.who", who=who))
    if figures.types is not None:
        yield from _line(words.count("types.text", figures.recent))
        yield from _bars(figures.types, words)
    if figures.causes is not None:
        kind, causes = figures.causes
        yield from _line(words("causes.text", kind=kind))
        yield from _bars(causes, words, 4)


def _bars(pareto: Pareto, words: Words, most: int | None = None) -> Sequence[str]:
    rows = pareto.to_arrow().to_pylist()
    rows = rows[: -1 if pareto.folded else None][:most]
    # A long name must leave place for its bar.
    names = [printable(row["category"] or words("none"))[:36] for row in rows]
    width = max(map(len, names))
    largest = max(row["amount"] for row in rows)
    return [
        f"    {name:{width}}  {words.number(row['amount']):>7}  {words.percent(row['share']):>5}  "
        + "#" * round(_BAR * row["amount"] / largest)
        for name, row in zip(names, rows, strict=True)
    ]


def _process(figures: Figures, words: Words) -> Iterator[str]:
    process = figures.process
    if process is None:
        return
    chart = process.chart
    yield from _line(
        words(
            "process.text",
            name=_says.process_name(process, words),
            weeks=words.count("process.weeks", len(chart)),
            mean=words.number(chart.centre),
            unit=f" {process.unit}" if process.unit else "",
            lower=words.number(chart.lower),
            upper=words.number(chart.upper),
            last=words.number(process.weeks[-1]["value"]),
        )
    )
    for sentence in (*_says.changes(process, words), _says.last_signal(process, words)):
        yield from _line(sentence)


def _failed(figures: Figures, words: Words) -> Iterator[str]:
    for name, why in _says.failures(figures, words):
        yield from _line(f"{name}: {why}")


def _improvements(figures: Figures, words: Words) -> Iterator[str]:
    late, times, good, roi, pick = figures.late_improvements, figures.times, figures.good, figures.roi, figures.pick
    if late is not None:
        yield from _line(words("overdue.text", open=late.open, overdue=late.overdue))
    if times is not None and times.median is not None and times.p85 is not None:
        yield from _line(
            words(
                "times.text",
                median=words.number(round(times.median)),
                p85=words.number(round(times.p85)),
                finished=words.count("times.finished", times.finished),
            )
        )
    if pick is not None:
        quadrants = ", ".join(f"{words.of('quadrant', name)} {count}" for name, count in pick.counts.items())
        yield from _line(words("pick.text", quadrants=quadrants, unplaced=pick.unplaced))
    if good is not None and good.ratio is not None and good.lower is not None and good.upper is not None:
        yield from _line(
            words(
                "evaluations.text",
                good=good.good,
                evaluated=good.evaluated,
                share=words.percent(good.ratio),
                confidence=words.percent(good.confidence),
                lower=words.percent(good.lower),
                upper=words.percent(good.upper),
            )
        )
    if roi is not None and roi.roi is not None:
        cost, gain = words.number(roi.cost), words.number(roi.gain)
        yield from _line(words("roi.text", share=words.percent(roi.roi), cost=cost, unit=roi.unit, gain=gain))

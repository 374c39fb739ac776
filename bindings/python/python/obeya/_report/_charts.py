"""The charts of safety, incidents and the process, and the order of all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from obeya._report import _says
from obeya._report._chart import Chart, Column, Table, table
from obeya._report._control import control
from obeya._report._draw import bar
from obeya._report._gather import Figures
from obeya._report._ideas import ideas
from obeya._report._words import Words
from obeya.lean import Overdue, Pareto

BARS = 9
"""How many bars a chart has. Those that follow are summed up in one line."""


def charts(figures: Figures, words: Words) -> Iterator[Chart]:
    """The charts there is data for, in the order of the page."""
    for make in (since, between, _types, _late_incidents, _causes, _process):
        chart = make(figures, words)
        if chart is not None:
            yield chart
    yield from ideas(figures, words, _late_improvements(figures, words))


def since(figures: Figures, words: Words) -> Chart | None:
    """Days since the last serious incident, by group."""
    by_group, since = figures.since_by_group, figures.since
    if by_group is None or since is None or since.days is None or since.record is None:
        return None
    rows = by_group.to_arrow().to_pylist()
    longest = max(row["record"] for row in rows) or 1
    shown = [
        [
            row["group"] or words("none"),
            bar(("pale", 0, row["record"] / longest), ("good", 0, row["days"] / longest)),
            words.number(row["days"]),
            words.number(row["record"]),
        ]
        for row in rows
    ]
    columns = [
        Column(words("since.group"), "name"),
        Column("", "drawing"),
        Column(words("since.now"), "number"),
        Column(words("since.record"), "number"),
    ]
    return Chart(
        name="since",
        section="safety",
        title=words("since.title"),
        says=words(
            "since.says",
            days=words.count("since.days", since.days),
            serious=_says.serious(figures, words),
            record=words.count("since.days", since.record),
        ),
        body=table(Table(columns, _few(shown, words)), "bars"),
    )


def _few(rows: Sequence[list[Any]], words: Words) -> list[list[Any]]:
    """As many rows as there is place for, and how many more there are."""
    if len(rows) <= BARS:
        return list(rows)
    more = words.count("more", len(rows) - BARS + 1)
    return [*rows[: BARS - 1], [more, *[None] * (len(rows[0]) - 1)]]


def between(figures: Figures, words: Words) -> Chart | None:
    """The g chart of serious incidents."""
    chart = figures.between
    if chart is None:
        return None
    title = words("between.title")
    says = words(
        "between.says",
        mean=words.number(round(chart.centre, 1)),
        upper=words.number(round(chart.upper)),
        signals=words.count("signals", chart.signals),
    )
    rows = chart.to_arrow().to_pylist()
    return Chart(
        name="between",
        section="safety",
        title=title,
        says=says,
        body=control("between", title, says, rows, words, zero=True),
        figures=Table(
            [
                Column(words("between.date"), "name"),
                Column(words("between.value"), "number"),
                Column(words("process.rules")),
            ],
            [[words.day(row["date"].date()), words.number(row["value"]), ", ".join(row["rules"])] for row in rows],
        ),
    )


def _types(figures: Figures, words: Words) -> Chart | None:
    if figures.types is None:
        return None
    return _pareto("types", words("types.title"), figures.types, words("types.column"), words)


def _causes(figures: Figures, words: Words) -> Chart | None:
    if figures.causes is None:
        return None
    kind, causes = figures.causes
    return _pareto("causes", words("causes.title", kind=kind), causes, words("causes.column"), words)


def _pareto(name: str, title: str, pareto: Pareto, what: str, words: Words) -> Chart:
    rows = pareto.to_arrow().to_pylist()
    largest = max(row["amount"] for row in rows)
    vital = set(pareto.vital)

    def named(category: str | None, at: int) -> str:
        # What is folded comes last.
        if pareto.folded and at == len(rows) - 1:
            return words("others")
        return category or words("none")

    return Chart(
        name=name,
        section="incidents",
        title=title,
        says=words(
            "pareto.says",
            first=named(rows[0]["category"], 0),
            share=words.percent(rows[0]["share"]),
            vital=len(pareto.vital),
            all=pareto.categories,
            threshold=words.percent(pareto.threshold),
        ),
        body=table(
            Table(
                [
                    Column(what, "name"),
                    Column("", "drawing"),
                    Column(words("pareto.amount"), "number"),
                    Column(words("pareto.share"), "number"),
                    Column(words("pareto.cumulative"), "number"),
                ],
                [
                    [
                        named(row["category"], at),
                        bar(("strong" if row["category"] in vital else "weak", 0, row["amount"] / largest)),
                        words.number(row["amount"]),
                        words.percent(row["share"]),
                        words.percent(row["cumulative"]),
                    ]
                    for at, row in enumerate(rows)
                ],
            ),
            "bars",
        ),
    )


def _late_incidents(figures: Figures, words: Words) -> Chart | None:
    return _late("overdue-incidents", "incidents", figures.late_incidents, words)


def _late_improvements(figures: Figures, words: Words) -> Chart | None:
    return _late("overdue-improvements", "improvements", figures.late_improvements, words)


def _late(name: str, section: str, late: Overdue | None, words: Words) -> Chart | None:
    if late is None or not late.overdue:
        return None
    rows = [row for row in late.to_arrow().to_pylist() if row["overdue"]]
    most = max(row["overdue"] for row in rows)
    longest = max(row["longest"] for row in rows)
    return Chart(
        name=name,
        section=section,
        place="tall",
        title=words(f"{name}.title"),
        says=words(f"{name}.says", overdue=late.overdue, open=late.open, days=words.count("overdue.days", longest)),
        body=table(
            Table(
                [
                    Column(words(f"{name}.column"), "name"),
                    Column("", "drawing"),
                    Column(words("overdue.overdue"), "number"),
                    Column(words("overdue.open"), "number"),
                    Column(words("overdue.longest"), "number"),
                ],
                _few(
                    [
                        [
                            row["responsible"] or words("nobody"),
                            bar(("bad", 0, row["overdue"] / most)),
                            words.number(row["overdue"]),
                            words.number(row["open"]),
                            words.number(row["longest"]),
                        ]
                        for row in rows
                    ],
                    words,
                ),
            ),
            "bars",
        ),
    )


def _process(figures: Figures, words: Words) -> Chart | None:
    process = figures.process
    if process is None:
        return None
    title = words("process.title", name=_says.process_name(process, words))
    chart, rows = process.chart, process.weeks
    limits = words(
        "process.says", mean=words.number(chart.centre), lower=words.number(chart.lower), upper=words.number(chart.upper)
    )
    says = " ".join([limits, *_says.changes(process, words), _says.last_signal(process, words)])
    return Chart(
        name="process",
        section="process",
        title=title,
        says=says,
        body=control("process", title, says, rows, words),
        figures=Table(
            [
                Column(words("process.week"), "name"),
                Column(words("process.mean"), "number"),
                Column(words("process.lower"), "number"),
                Column(words("process.upper"), "number"),
                Column(words("process.rules")),
            ],
            [
                [
                    words.day(row["date"].date()),
                    *(words.number(row[line]) for line in ("value", "lower", "upper")),
                    ", ".join(row["rules"]),
                ]
                for row in rows
            ],
        ),
        place="wide",
    )

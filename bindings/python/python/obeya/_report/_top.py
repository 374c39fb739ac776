"""The parts of the page that a morning meeting looks at first: since yesterday, today, the safety cross, and the targets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from obeya._report import _says
from obeya._report._chart import Column, Table, table
from obeya._report._draw import Dots, Line, Mark, axis, plot
from obeya._report._gather import Figures
from obeya._report._markup import Markup, element, joined
from obeya._report._meters import Meter
from obeya._report._morning import Item, Kind
from obeya._report._targets import GROUPS
from obeya._report._words import Words
from obeya.lean import SafetyCross
from obeya.lean._safety_cross import _CROSS

LISTED = 7
"""How many late or serious records are listed."""

_DUE = 5
"""How many of those that are due."""

_KINDS: tuple[Kind, ...] = ("incidents", "improvements", "tasks")

_DOTS = {"None": "○", "Low": "●", "Medium": "●●", "High": "●●●", "unknown": "?"}
"""Severities without colours."""


def yesterday(figures: Figures, words: Words) -> Markup:
    """What has happened since yesterday."""
    found = figures.yesterday
    tiles = []
    for at, (number, name) in enumerate(_says.since_yesterday(figures, words)):
        # The second counts the serious ones.
        mood = None if at != 1 else "bad" if number else "good"
        tiles.append(element("li", element("b", words.number(number), class_=mood), name, class_="card"))
    said = words("yesterday.days", first=words.day(found.first), last=words.day(figures.wanted.today))
    below = element("p", words("yesterday.quiet"), class_="good")
    if found.serious:
        hidden = len(found.serious) - LISTED
        more = element("p", words.count("more", hidden), class_="soft") if hidden > 0 else None
        below = joined(_items(figures, found.serious[:LISTED], words, late=False), more)
    return joined(
        element("p", said, class_="soft"),
        element("ul", *tiles, class_="tiles"),
        element("div", below, class_="card"),
    )


def today(figures: Figures, words: Words) -> Markup:
    """What is due and what is late."""
    due, late = figures.today.due, figures.today.late
    tiles = [
        _tile(due, words("today.due"), None, words),
        _tile(late, words("today.late"), "bad" if late else "good", words),
    ]
    if not due and not late:
        listed = element("p", words("today.nothing"), class_="good")
    else:
        listed = _items(figures, [*due[:_DUE], *late[:LISTED]], words, late=True)
        hidden = max(len(due) - _DUE, 0) + max(len(late) - LISTED, 0)
        if hidden:
            more = f"{words.count('more', hidden)}. {words('today.latest')}"
            listed = joined(listed, element("p", more, class_="soft"))
    return joined(element("ul", *tiles, class_="tiles"), element("div", listed, class_="card"))


def _tile(items: Sequence[Item], name: str, mood: str | None, words: Words) -> Markup:
    """How many records there are, and how many of each kind."""
    kinds = Counter(item.kind for item in items)
    said = ", ".join(words.count(kind, kinds[kind]) for kind in _KINDS if kinds[kind])
    below = element("span", said, class_="soft") if said else None
    return element("li", element("b", words.number(len(items)), class_=mood), name, " ", below, class_="card")


def _items(figures: Figures, items: Sequence[Item], words: Words, *, late: bool) -> Markup:
    """Records as a table."""
    columns = [Column(words("today.title"), "name"), Column("", "text less"), Column(words("today.who"))]
    if late:
        columns.append(Column(words("today.days"), "number"))
    rows = []
    for item in items:
        address = figures.wanted.address(item.kind, item.id)
        title = item.title or f"{words(f'kind.{item.kind}')} {item.id}"
        row: list[str | Markup | None] = [
            element("a", title, href=address) if address else title,
            words(f"kind.{item.kind}"),
            item.who or words("nobody"),
        ]
        if late:
            row.append(words.count("today.by", item.days) if item.days else words("today.is_due"))
        rows.append(row)
    return table(Table(columns, rows), "items")


def cross(figures: Figures, words: Words) -> Markup | None:
    """The safety cross of the month."""
    found = figures.cross
    if found is None:
        return None
    rows = found.to_arrow().to_pylist()
    over = found.safe + sum(row["state"] == "incident" for row in rows)
    says = words(
        "cross.says",
        safe=words.number(found.safe),
        over=words.count("cross.over", over),
        kind=figures.wanted.safety or words("all_types"),
        incidents=words.count("incidents", found.incidents),
    )
    since = figures.since
    tile = None
    if since is not None and since.days is not None and since.record is not None:
        longest = element("span", words.count("since.longest", since.record), class_="soft")
        tile = element(
            "p",
            element("b", words.number(since.days), class_="big"),
            " ",
            words.count("since.tile", since.days),
            " (",
            longest,
            ")",
        )
    title = element("h3", words("cross.title", month=words.month(found.month)))
    caption = element("figcaption", title, element("p", says))
    return element("figure", caption, _grid(found, words), _key(words), tile, id="cross", class_="card tall")


def _grid(found: SafetyCross, words: Words) -> Markup:
    """Seven rows of seven places, of which the days take those of the cross."""
    places = dict(zip(_CROSS, found.to_arrow().to_pylist(), strict=False))
    rows = []
    for down in range(7):
        cells = []
        for across in range(7):
            day = places.get((down, across))
            if day is None:
                cells.append(element("td"))
                continue
            said = [words.day(day["day"]), words(f"state.{day['state']}")]
            dots = None
            if day["state"] == "incident":
                severity = day["severity"] or "unknown"
                class_ = f"day severity-{severity.lower()}"
                dots = element("span", _DOTS.get(severity, "●"), class_="dots-of", aria_hidden="true")
                said += [words.of("severity", severity), words.count("incidents", day["incidents"])]
            else:
                class_ = "day safe" if day["state"] == "safe" else "day ahead"
            cells.append(element("td", str(day["day"].day), dots, class_=class_, title=", ".join(said)))
        rows.append(element("tr", *cells))
    return element("table", element("tbody", *rows), class_="cross")


def _key(words: Words) -> Markup:
    keys = [element("span", words("state.safe"), class_="day safe")]
    for severity in ("None", "Low", "Medium", "High"):
        text = f"{_DOTS[severity]} {words.of('severity', severity)}"
        keys.append(element("span", text, class_=f"day severity-{severity.lower()}"))
    return element("p", *keys, class_="legend")


def targets(figures: Figures, words: Words) -> Markup | None:
    """The meters by group, each with its target and its course."""
    if not figures.meters:
        return None
    columns = ("name", "last", "target", "", "met", "trend", "course")
    kinds = ("name", "number", "number", "state", "number less", "text less", "course")
    head = element(
        "tr",
        *(
            element("th", words(f"meter.{name}") if name else "", scope="col", class_=kind)
            for name, kind in zip(columns, kinds, strict=True)
        ),
    )
    rows = []
    for group in GROUPS:
        meters = [(at, meter) for at, meter in enumerate(figures.meters) if meter.target.group == group]
        if meters:
            rows.append(element("tr", element("th", words(f"group.{group}"), colspan=len(columns), scope="colgroup"), class_="group"))
        rows += [_meter(at, meter, words) for at, meter in meters]
    shown = element("table", element("thead", head), element("tbody", *rows), class_="meters")
    return element("div", shown, class_="card", id="targets-table")


def _meter(at: int, meter: Meter, words: Words) -> Markup:
    last = meter.last
    state = _says.state(meter, words)
    mood = None if last is None else "good" if meter.target.met(last[1]) else "bad"
    # A mark beside the colour: who sees no colours sees it too.
    mark = "" if last is None else "✓ " if mood == "good" else "✗ "
    said = None if last is None else _says.when(meter, last[0], words)
    return element(
        "tr",
        element("th", meter.target.name, scope="row", class_="name"),
        element(
            "td",
            None if last is None else element("b", _says.with_unit(last[1], meter, words), class_=mood),
            element("span", f" {said}", class_="soft less") if said else None,
            class_="number",
        ),
        element("td", _says.target(meter, words), class_="number"),
        element("td", f"{mark}{state}", class_=f"state {mood or 'soft'}"),
        element("td", _says.met(meter, words) if meter.points else None, class_="number less"),
        element("td", words(f"trend.{meter.trend}"), class_=f"text less {_mood(meter)}"),
        element("td", _course(at, meter, words), class_="course"),
    )


def _mood(meter: Meter) -> str:
    return {"better": "good", "worse": "bad"}.get(meter.trend, "soft")


def _course(at: int, meter: Meter, words: Words) -> Markup | None:
    """The values as a line, with a mark for each: round on target, square off target."""
    points, target = meter.points, meter.target
    if len(points) < 2:
        return None
    scale = axis([*(value for _, value in points), target.target])
    step = 1 / (len(points) - 1)
    places = [(number * step, scale.place(value)) for number, (_, value) in enumerate(points)]
    met = [target.met(value) for _, value in points]
    height = scale.place(target.target)
    marks: list[Mark] = [Line("target", [(0, height), (1, height)]), Line("value", places)]
    for class_, wanted in (("on", True), ("off", False)):
        chosen = [place for place, each in zip(places, met, strict=True) if each is wanted]
        if chosen:
            marks.append(Dots(class_, chosen))
    says = ", ".join(f"{words.short_day(day)}: {_says.with_unit(value, meter, words)}" for day, value in points)
    return plot(f"meter{at}", target.name, says, marks, class_="line-of")

"""A chart of the page, and the tables that show it or stand below it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from obeya._report._markup import Markup, element

Cell = str | Markup | None
"""A cell: text, a drawing, or nothing."""


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    title: str
    kind: str = "text"
    """`name` (the head of its row), `text`, `number` (to the right) or `drawing`."""


@dataclass(frozen=True)
class Table:
    """Rows under their columns."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]


@dataclass(frozen=True)
class Chart:
    """A chart with its title and its summary."""

    name: str
    section: str
    title: str
    says: str
    """The summary as text."""
    body: Markup
    figures: Table | None = None
    """What is drawn, as numbers, where the body does not show them as a table itself."""
    place: Literal["wide", "tall"] | None = None
    """Whether it takes the place of two side by side, or one above the other."""


def table(shown: Table, class_: str) -> Markup:
    """A table. Where columns have titles these are seen, so that a bar is never without a unit."""
    head = element("tr", *(element("th", column.title, scope="col", class_=column.kind) for column in shown.columns))
    rows = [
        element("tr", *(_cell(column, cell) for column, cell in zip(shown.columns, row, strict=True))) for row in shown.rows
    ]
    numbers = sum(column.kind == "number" for column in shown.columns)
    return element("table", element("thead", head), element("tbody", *rows), class_=f"{class_} n{numbers}")


def _cell(column: Column, cell: Cell) -> Markup:
    if column.kind == "name":
        return element("th", cell, scope="row", class_="name")
    return element("td", cell, class_=column.kind)

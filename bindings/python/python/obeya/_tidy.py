"""Incidents and their parts as tables: tidy, with a table for each kind of part, or wide, with a column for each part name."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from obeya import _frames

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

_T = TypeVar("_T")

PARTS = ("consequences", "causes", "categories", "customFields")


class Tidy(Generic[_T]):
    """Incidents and their parts, one table for each kind: of pyarrow, or of the library that `to_pandas` and `to_polars` name."""

    __match_args__ = ("incidents", "consequences", "causes", "categories", "custom_fields")

    def __init__(self, incidents: _T, consequences: _T, causes: _T, categories: _T, custom_fields: _T) -> None:
        self.incidents = incidents
        """A row for each incident, without its parts."""
        self.consequences = consequences
        """A row for each consequence of each incident: `incidentId`, `id`, `title`, `amount`, `unit`."""
        self.causes = causes
        """A row for each cause of each incident: `incidentId`, `id`, `title`."""
        self.categories = categories
        """A row for each category of each incident: `incidentId`, `id`, `title`."""
        self.custom_fields = custom_fields
        """A row for each custom field of each incident: `incidentId`, `id`, `label`, `type`, `value` and its data list."""

    def to_pandas(self) -> Tidy[pd.DataFrame]:
        """The same for pandas, with the types of columns that `to_pandas` of a list returns. Needs pandas."""
        _frames.require("pyarrow", "pandas")
        return Tidy(*(_frames.frame(table) for table in self._tables()))

    def to_polars(self) -> Tidy[pl.DataFrame]:
        """The same for polars. Needs polars."""
        _frames.require("polars")
        return Tidy(*(_frames.polars_frame(table, table.num_rows) for table in self._tables()))

    def _tables(self) -> list[Any]:
        return [getattr(self, name) for name in self.__match_args__]

    def __repr__(self) -> str:
        return f"<obeya.Tidy: {', '.join(f'{len(getattr(self, name))} {name}' for name in self.__match_args__)}>"


def tidy(table: pa.Table) -> Tidy[pa.Table]:
    """The tables that the table of incidents is split into."""
    return Tidy(table.drop_columns(list(PARTS)), *(_part(table, name) for name in PARTS))


def _part(table: pa.Table, name: str) -> pa.Table:
    import pyarrow as pa

    kind = table.schema.field(name).type.value_type
    lists = table[name].combine_chunks()
    if isinstance(lists, pa.ChunkedArray):
        # The result of older releases for no chunks at all.
        lists = pa.array([], table.schema.field(name).type)
    owners = table["id"].combine_chunks().take(lists.value_parent_indices())
    items = lists.flatten()
    columns = [owners, *(items.field(place) for place in range(kind.num_fields))]
    return pa.table(columns, schema=pa.schema([pa.field("incidentId", pa.int32(), nullable=False), *kind]))


def wide(table: pa.Table) -> pa.Table:
    """The table of incidents with a column for each part.

    An amount for each consequence, a text for each custom field, and all causes and all categories in a text each.
    """
    import pyarrow as pa

    # By row, not by id: an incident that is changed between two pages comes twice, each time with all its
    # parts.
    numbers = pa.array(range(table.num_rows), pa.int32())
    found = tidy(table.set_column(table.column_names.index("id"), "id", numbers))
    out = table.drop_columns(list(PARTS))

    def add(name: str, values: dict[int, Any], kind: pa.DataType) -> None:
        nonlocal out
        out = out.append_column(pa.field(name, kind), pa.array(map(values.get, range(out.num_rows)), kind))

    for name, part in (("categories", found.categories), ("causes", found.causes)):
        titles: dict[int, list[str]] = defaultdict(list)
        for owner, title in _rows(part, "incidentId", "title"):
            titles[owner].append(title)
        add(name, {owner: "; ".join(all_of_them) for owner, all_of_them in titles.items()}, pa.string())
    amounts: dict[str, dict[int, float | None]] = {}
    for owner, title, unit, amount in _rows(found.consequences, "incidentId", "title", "unit", "amount"):
        column = amounts.setdefault(f"{title} ({unit})" if unit else title, {})
        # Types of incidents have consequences of their own; of one name and unit they are one column, and an
        # incident's are summed up.
        known = column.get(owner)
        column[owner] = known if amount is None else amount + (known or 0)
    texts: dict[tuple[int, str], dict[int, str | None]] = {}
    labels: dict[int, str] = {}
    for owner, id, label, value, shown in _rows(
        found.custom_fields, "incidentId", "id", "label", "value", "dataListValue"
    ):
        labels.setdefault(id, label)
        texts.setdefault((id, labels[id]), {})[owner] = value if shown is None else shown

    names = Counter([*out.column_names, *amounts, *labels.values()])
    for title in sorted(amounts):
        taken = title in out.column_names
        add(f"{title} (consequence)" if taken else title, amounts[title], pa.float64())
    for id, label in sorted(texts):
        name = f"{label} ({id})" if names[label] > 1 else label
        while name in out.column_names:
            name = f"{name} ({id})"
        add(name, texts[id, label], pa.string())
    return out


def _rows(table: pa.Table, *names: str) -> zip[tuple[Any, ...]]:
    return zip(*(table[name].to_pylist() for name in names), strict=True)

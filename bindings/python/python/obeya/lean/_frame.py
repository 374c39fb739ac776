"""The columns of an Arrow table as plain Python values of one known kind.

A single value that cannot be used is `Unusable`, and it is up to `_rows` to leave its record out.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

ROW = "(row)"
"""The column that the part of a frame has for the rows of the whole, which messages name."""

NAMES = ("title", "name")
"""The fields by which records are called, such as the title of a cause and the name of a group."""

_EXACT = 2**53
"""Up to here every integer is a float."""

MIXED = pa.struct([("number", pa.float64()), ("text", pa.string())])
"""How a column of numbers and other things is represented, such as measurements with a "n/a" among them."""


@dataclass(frozen=True)
class Unusable:
    """A value that no chart can use."""

    text: str
    """The value as a message writes it."""

    def __str__(self) -> str:
        return self.text


def column(table: pa.Table, path: str, argument: str) -> pa.ChunkedArray:
    """A column, without a dictionary, texts in one form. ``argument`` is how the caller names another one.

    A record in a column is found however a library represents it: as a struct, whose field a path names (``group.name``), or as
    a column with that name. Without a field its title or name is meant.
    """
    named(path, argument)
    found = _found(table, path)
    if found is None:
        if not set(table.column_names) - {ROW} and not table.num_rows:
            # Nothing at all has every column, without a value in it.
            return pa.chunked_array([pa.array([], pa.null())])
        others = ", ".join(name for name in table.column_names if name != ROW) or "none"
        message = f"no column {path!r}; the columns are: {others}. The argument `{argument}` takes another name"
        raise ValueError(message)
    return _plain(found)


def named(path: object, argument: str) -> None:
    """Refuses what is no name of a column, such as the numbers that pandas gives columns without a name."""
    if not isinstance(path, str):
        message = f"expected the name of a column in `{argument}`; found {path!r}"
        raise ValueError(message)  # noqa: TRY004


def _found(table: pa.Table, path: str) -> pa.ChunkedArray | None:
    flat = next((f"{path}.{name}" for name in NAMES if f"{path}.{name}" in table.column_names), None)
    # Where some records have none, a library that makes columns of their fields leaves an empty one beside.
    if path in table.column_names and not (flat and _empty(table.column(path))):
        values = table.column(path)
        kind = values.type
        if pa.types.is_struct(kind) and kind != MIXED:
            field = next((name for name in NAMES if kind.get_field_index(name) >= 0), None)
            return values if field is None else pc.struct_field(values, field)
        return values
    name, _, field = path.rpartition(".")
    if name in table.column_names:
        values = table.column(name)
        if pa.types.is_struct(values.type) and values.type.get_field_index(field) >= 0:
            return pc.struct_field(values, field)
        if field and flat is None and _empty(values):
            # Without a record in it nothing says which fields the records have.
            return values
    return None if flat is None else table.column(flat)


def _empty(values: pa.ChunkedArray) -> bool:
    """Whether there is no value. NaN is none: it is what pandas reads from the empty cells of a CSV."""
    if pa.types.is_floating(values.type):
        return bool(sum(part.true_count for part in pc.is_null(values, nan_is_null=True).chunks) == len(values))
    return bool(values.null_count == len(values))


def without_views(table: pa.Table) -> pa.Table:
    """The table with all texts in one form, those in lists and records too: pyarrow cannot take rows of string views."""
    kinds = [_without_views(kind) for kind in table.schema.types]
    if kinds == table.schema.types:
        return table
    fields = [field.with_type(kind) for field, kind in zip(table.schema, kinds, strict=True)]
    columns = [column.cast(kind) for column, kind in zip(table.columns, kinds, strict=True)]
    return pa.table(columns, schema=pa.schema(fields))


def _without_views(kind: pa.DataType) -> pa.DataType:
    if str(kind) == "string_view":
        return pa.string()
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        made = pa.list_ if pa.types.is_list(kind) else pa.large_list
        return made(kind.value_field.with_type(_without_views(kind.value_type)))
    if pa.types.is_struct(kind):
        return pa.struct([part.with_type(_without_views(part.type)) for part in kind])
    return kind


def _plain(values: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    # The kind of a column without a value says what a library makes of nothing: pandas makes it a number, and
    # polars a text.
    if _empty(values) and not (pa.types.is_list(values.type) or pa.types.is_large_list(values.type)):
        return pa.chunked_array([pa.nulls(len(values))])
    # By name: old pyarrow has no type of string views to compare with.
    if str(values.type) in ("large_string", "string_view"):
        values = values.cast(pa.string())
    return values


def has(table: pa.Table, path: str) -> bool:
    """Whether there is a column, or a field of the entries of a column of lists or records."""
    name, _, field = path.rpartition(".")
    if _found(table, path) is not None:
        return True
    kind = table.schema.field(name).type if name in table.column_names else pa.null()
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        kind = kind.value_type
    return bool(pa.types.is_struct(kind) and kind.get_field_index(field) >= 0)


def numbers(table: pa.Table, name: str, argument: str) -> list[float | Unusable | None]:
    """Numbers; null and NaN are None. Infinity is unusable, as no formula here has a use for it."""
    values = column(table, name, argument)
    kind = values.type
    others: list[str | None] = []
    if kind == MIXED:
        others = pc.struct_field(values, "text").to_pylist()
        values = pc.struct_field(values, "number")
    elif not (is_number(kind) or pa.types.is_null(kind)):
        message = f"column {name!r} holds {what(values)}, not numbers"
        raise ValueError(message)
    found: list[float | Unusable | None] = [
        None if value is None or math.isnan(value) else Unusable("an infinite number") if math.isinf(value) else value
        for value in values.cast(pa.float64()).to_pylist()
    ]
    for row, text in enumerate(others):
        if text is not None:
            found[row] = Unusable(repr(text))
    return found


def is_number(kind: pa.DataType) -> bool:
    """Whether a column of this kind holds numbers."""
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind) or kind == MIXED)


def what(values: pa.ChunkedArray) -> str:
    """What a column holds, for messages: its kind and the first value."""
    kind = values.type
    for at in range(len(values)):
        if values[at].is_valid:
            try:
                return f"{kind} such as {values[at].as_py()!r}"
            except (ValueError, OverflowError):
                break
    return str(kind)


def words(table: pa.Table, name: str, argument: str) -> list[str | None]:
    """Texts, or whole numbers and truth values as text."""
    values = column(table, name, argument)
    kind = values.type
    if kind == MIXED:
        return [_text_of(part) for part in values.to_pylist()]
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind) or pa.types.is_null(kind):
        values = values.cast(pa.string())
    elif pa.types.is_floating(kind) and _integral(values):
        # pandas has no missing integers: a column of ids where some are missing holds floats.
        whole = pc.if_else(pc.is_nan(values), pa.scalar(None, kind), values)
        values = whole.cast(pa.int64()).cast(pa.string())
    elif not pa.types.is_string(kind):
        message = f"column {name!r} holds {what(values)}, not text"
        raise ValueError(message)
    return list(values.to_pylist())


def _integral(values: pa.ChunkedArray) -> bool:
    """Whether all numbers are integers that a float represents exactly."""
    return all(
        value is None or math.isnan(value) or (value.is_integer() and abs(value) <= _EXACT) for value in values.to_pylist()
    )


def record(table: pa.Table, row: int, key: str) -> str:
    """The name of a row in messages: the record by its key, if the frame has that column."""
    which = table.column(key)[row].as_py() if key in table.column_names else None
    if isinstance(which, dict):
        which = _text_of(which)
    if isinstance(which, float):
        which = None if math.isnan(which) else int(which) if which.is_integer() else which
    if which is None and ROW in table.column_names:
        row = table.column(ROW)[row].as_py()
    return f"row {row}" if which is None else f"the record {which}"


def grouped(table: pa.Table, by: str | None, argument: str = "by") -> dict[str | None, list[int]]:
    """The rows of each group, groups by name and the nameless last; one group without a name when there is nothing to group by."""
    if by is None:
        return {None: list(range(table.num_rows))} if table.num_rows else {}
    rows: dict[str | None, list[int]] = {}
    for row, name in enumerate(words(table, by, argument)):
        rows.setdefault(name, []).append(row)
    return dict(sorted(rows.items(), key=lambda item: (item[0] is None, item[0] or "")))


def grouped_by(table: pa.Table, names: Sequence[str]) -> dict[str | None, list[int]]:
    """The rows of each group by several columns. A group has the names in all of them; null is a name of none."""
    columns = [words(table, name, "by") for name in names]
    rows: dict[tuple[str | None, ...], list[int]] = {}
    for row, parts in enumerate(zip(*columns, strict=True)):
        rows.setdefault(parts, []).append(row)
    ordered = sorted(rows.items(), key=lambda item: [(part is None, part or "") for part in item[0]])
    return {
        (None if all(part is None for part in parts) else ", ".join("(none)" if part is None else part for part in parts)): own
        for parts, own in ordered
    }


def exploded(table: pa.Table, path: str, argument: str) -> tuple[pa.ChunkedArray, pa.ChunkedArray | None]:
    """A column, or a field of each entry of a column of lists, with the row that each entry comes from.

    ``causes`` is the same as ``causes.title``. The rows are None where the column has no lists.
    """
    named(path, argument)
    name, _, field = path.partition(".")
    whole = path in table.column_names or name not in table.column_names
    values = _plain(table.column(name)) if not whole else column(table, path, argument)
    if not (pa.types.is_list(values.type) or pa.types.is_large_list(values.type)):
        if _lists_as_text(values):
            message = (
                f"column {name if field and not whole else path!r} holds lists as text, as a CSV does, such as {_first(values)!r}. "
                f"The argument `{argument}` needs the lists: read them from Parquet or JSON Lines"
            )
            raise ValueError(message)
        if field and not whole and not pa.types.is_null(values.type) and _found(table, path) is None:
            message = f"column {name!r} holds {_fields(values.type)}, which has no field {field!r}"
            raise ValueError(message)
        return (values if pa.types.is_null(values.type) else column(table, path, argument)), None
    arrays = values.combine_chunks()
    if isinstance(arrays, pa.ChunkedArray):
        arrays = pa.concat_arrays(arrays.chunks) if arrays.num_chunks else pa.array([], arrays.type)
    rows = pa.chunked_array([pc.list_parent_indices(arrays)])
    entries = pc.list_flatten(arrays)
    field = "" if whole and "." in path else field
    if pa.types.is_struct(entries.type):
        wanted = field or next((name for name in NAMES if entries.type.get_field_index(name) >= 0), "title")
        if entries.type.get_field_index(wanted) < 0:
            message = f"no field {wanted!r} in column {name!r}; it has: {', '.join(part.name for part in entries.type)}"
            raise ValueError(message)
        entries = pc.struct_field(entries, wanted)
    elif field and not pa.types.is_null(entries.type) and field != "title":
        message = f"column {name!r} holds {entries.type}, which has no field {field!r}"
        raise ValueError(message)
    return _plain(pa.chunked_array([entries])), rows


def _first(values: pa.ChunkedArray, length: int = 40) -> str:
    """The first text, cut where it is long. One with something in it says more than an empty list."""
    texts = [text for text in pc.unique(values).to_pylist() if text is not None]
    text: str = next((text for text in texts if text.strip() != "[]"), texts[0])
    return text if len(text) <= length else text[: length - 1] + "…"


def _lists_as_text(values: pa.ChunkedArray) -> bool:
    """Whether all texts are lists as JSON, or as Python writes those of records."""
    if not pa.types.is_string(values.type):
        return False
    texts = [text.strip() for text in pc.unique(values).to_pylist() if text is not None]
    return bool(texts) and all(map(_is_list, texts))


def _is_list(text: str) -> bool:
    if not (text.startswith("[") and text.endswith("]")):
        return False
    if text.startswith("[{") and text.endswith("}]"):
        return True
    try:
        return isinstance(json.loads(text), list)
    except ValueError:
        return False


def _fields(kind: pa.DataType) -> str:
    return ", ".join(part.name for part in kind) if pa.types.is_struct(kind) else str(kind)


def _text_of(part: Mapping[str, Any] | None) -> str | None:
    """The text of a value of a column of several kinds."""
    if part is None or part["number"] is None:
        return None if part is None else part["text"]
    number: float = part["number"]
    return f"{number:.0f}" if number.is_integer() else repr(number)

"""The input: any frame becomes an Arrow table here, and its columns become plain Python values of one known kind.

Nothing behind this module looks at a frame of the caller's library. A single value that cannot be used is `Unusable`, and it is up
to `_rows` to leave its record out.
"""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any, Protocol, TypeAlias, cast

import pyarrow as pa
import pyarrow.compute as pc

ROW = "(row)"
"""The column that the part of a frame has for the rows of the whole, so that messages name those."""

_MIXED = pa.struct([("number", pa.float64()), ("text", pa.string())])
"""How a column of numbers and other things is represented, such as measurements with a "n/a" among them."""


@dataclass(frozen=True)
class Unusable:
    """A value that no chart can use."""

    text: str
    """The value as a message writes it."""

    def __str__(self) -> str:
        return self.text


class ArrowStream(Protocol):
    """A frame of polars, pandas 2.2 or pyarrow, a DuckDB relation, `obeya.Values`, or a result of this package."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


Frame: TypeAlias = ArrowStream | Mapping[str, Any] | Iterable[Any]
"""The data that the functions accept: a frame, columns by name, or an iterable of records (of `obeya`, or dictionaries)."""


def table(data: Frame) -> pa.Table:
    """The frame as an Arrow table, without a copy where its library allows that."""
    if isinstance(data, pa.RecordBatchReader):
        return data.read_all()
    if hasattr(data, "__aiter__") and hasattr(data, "to_arrow"):
        message = f"an {type(data).__name__} is awaited: expected a frame, so await its to_arrow() first"
        raise TypeError(message)
    if hasattr(data, "to_arrow_batch_reader"):
        # A list of `obeya` makes the table itself, so that its exceptions keep their class.
        return cast("Any", data).to_arrow()
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
        return pa.table(data)
    if isinstance(data, Mapping):
        return pa.table({name: _array(values) for name, values in data.items()})
    if isinstance(data, Iterable) and not isinstance(data, (str, bytes)):
        return _of_records(data)
    message = f"expected a frame, columns or records; found {type(data).__name__}"
    raise TypeError(message)


def column(table: pa.Table, name: str, argument: str) -> pa.ChunkedArray:
    """A column, without a dictionary, texts in one form. ``argument`` is how the caller names another one."""
    if name not in table.column_names:
        found = ", ".join(other for other in table.column_names if other != ROW) or "none"
        message = f"no column {name!r}; the columns are: {found}. The argument `{argument}` takes another name"
        raise ValueError(message)
    values = table.column(name)
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    # By name: old pyarrow has no type of string views to compare with.
    if str(values.type) in ("large_string", "string_view"):
        values = values.cast(pa.string())
    return values


def has(table: pa.Table, path: str) -> bool:
    """Whether there is a column, or a field of the entries of a column of lists or records."""
    name, _, field = path.partition(".")
    if name not in table.column_names:
        return False
    kind = table.schema.field(name).type
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        kind = kind.value_type
    return not field or (pa.types.is_struct(kind) and kind.get_field_index(field) >= 0)


def numbers(table: pa.Table, name: str, argument: str) -> list[float | Unusable | None]:
    """Numbers; null and NaN are None. Infinity is unusable, as no formula here has a use for it."""
    values = column(table, name, argument)
    kind = values.type
    others: list[str | None] = []
    if kind == _MIXED:
        others = pc.struct_field(values, "text").to_pylist()
        values = pc.struct_field(values, "number")
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind) or pa.types.is_null(kind)):
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
    if kind == _MIXED:
        return [_text_of(part) for part in values.to_pylist()]
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind) or pa.types.is_null(kind):
        values = values.cast(pa.string())
    elif not pa.types.is_string(kind):
        message = f"column {name!r} holds {what(values)}, not text"
        raise ValueError(message)
    return list(values.to_pylist())


def record(table: pa.Table, row: int, key: str) -> str:
    """The name of a row in messages: the record by its key, if the frame has that column."""
    which = table.column(key)[row].as_py() if key in table.column_names else None
    if isinstance(which, dict):
        which = _text_of(which)
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


def _of_records(records: Iterable[Any]) -> pa.Table:
    """Records of the client have the names of the wire in their JSON only."""
    rows: list[dict[str, Any]] = []
    for record in records:
        if isinstance(record, Mapping):
            rows.append(dict(record))
        elif hasattr(record, "to_json"):
            rows.append(json.loads(record.to_json()))
        else:
            message = f"expected records of obeya or dictionaries; found {type(record).__name__}"
            raise TypeError(message)
    # from_pylist looks at the keys of the first row alone.
    names = list(dict.fromkeys(name for row in rows for name in row))
    return pa.table({name: _array([row.get(name) for row in rows]) for name in names})


def _array(values: Any) -> Any:
    """Values of a column. Those of Python may be of several kinds, which Arrow would refuse, or shorten moments to days."""
    if not isinstance(values, (list, tuple)):
        return values
    kinds = {type(value) for value in values if not _missing(value)}
    if datetime.date in kinds and len(kinds) > 1:
        return _texts(values)
    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        if not any(map(_is_number, values)):
            return _texts(values)
        parts = [
            None if _missing(value) else {"number": float(value)} if _is_number(value) else {"text": str(value)}
            for value in values
        ]
        return pa.array(parts, _MIXED)


def _texts(values: Iterable[Any]) -> pa.Array:
    return pa.array([None if _missing(value) else str(value) for value in values], pa.string())


def _missing(value: Any) -> bool:
    """Whether it stands for no value. NaN and the NaT of pandas do, which differ from themselves."""
    return value is None or (isinstance(value, (float, datetime.datetime)) and value != value)  # noqa: PLR0124


def _is_number(value: Any) -> bool:
    return isinstance(value, (Real, Decimal)) and not isinstance(value, bool)


def _text_of(part: Mapping[str, Any] | None) -> str | None:
    """The text of a value of a column of several kinds."""
    if part is None or part["number"] is None:
        return None if part is None else part["text"]
    number: float = part["number"]
    return f"{number:.0f}" if number.is_integer() else repr(number)


def exploded(table: pa.Table, path: str, argument: str) -> tuple[pa.ChunkedArray, pa.ChunkedArray | None]:
    """A column, or a field of each entry of a column of lists, with the row that each entry comes from.

    ``causes`` is the same as ``causes.title``. The rows are None where the column has no lists.
    """
    name, _, field = path.partition(".")
    values = column(table, name, argument).combine_chunks()
    if isinstance(values, pa.ChunkedArray):
        values = pa.concat_arrays(values.chunks) if values.num_chunks else pa.array([], values.type)
    rows = None
    if pa.types.is_list(values.type) or pa.types.is_large_list(values.type):
        rows = pa.chunked_array([pc.list_parent_indices(values)])
        values = pc.list_flatten(values)
        field = field or "title"
    if field and pa.types.is_struct(values.type):
        if values.type.get_field_index(field) < 0:
            names = ", ".join(part.name for part in values.type)
            message = f"no field {field!r} in column {name!r}; it has: {names}"
            raise ValueError(message)
        values = pc.struct_field(values, field)
    elif field and not pa.types.is_null(values.type) and field != "title":
        message = f"column {name!r} holds {values.type}, which has no field {field!r}"
        raise ValueError(message)
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    return pa.chunked_array([values]), rows

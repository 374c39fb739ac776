"""The input: data of any library, records, or values alone become an Arrow table.

Nothing behind this module looks at a frame of the caller's library.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from importlib import import_module
from numbers import Real
from typing import Any, Protocol, TypeAlias, cast

import pyarrow as pa

from obeya.lean import _dates, _frame

_NAMELESS = b"obeya.nameless"
"""The mark of a column that had no name."""


class ArrowStream(Protocol):
    """A frame of polars, pandas 2.2 or pyarrow, a DuckDB relation, `obeya.Values`, or a result of this package."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


Frame: TypeAlias = ArrowStream | Mapping[str, Any] | Iterable[Any]
"""The data that the functions accept: a frame, columns by name, or an iterable of records (of `obeya`, or dictionaries). Where one
column is enough also that alone: a Series, an array, or an iterable of values."""

INDEX = "(index)"
"""The column that the dates become by which a Series of pandas is indexed."""


def table(data: Frame, alone: str | None = None) -> pa.Table:
    """The frame as an Arrow table, without a copy where its library allows that.

    ``alone`` is the column that values without a name are; None where one column is not enough.
    """
    if alone is not None and not isinstance(alone, str):
        message = f"expected the name of a column; found {alone!r}"
        raise ValueError(message)
    if isinstance(data, pa.RecordBatchReader):
        return data.read_all()
    if hasattr(data, "__aiter__") and hasattr(data, "to_arrow"):
        message = f"an {type(data).__name__} is awaited: expected a frame, so await its to_arrow() first"
        raise TypeError(message)
    if hasattr(data, "to_arrow_batch_reader"):
        # A list of `obeya` makes the table itself: its exceptions keep their class.
        return cast("Any", data).to_arrow()
    if isinstance(data, Mapping):
        return pa.table({name: _array(values) for name, values in data.items()})
    values = _values(data)
    if values is not None:
        return _of_values(data, values, alone)
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
        return _of_frame(data)
    if isinstance(data, Iterable) and not isinstance(data, (str, bytes)):
        entries = list(data)
        if entries and all(_is_value(entry) for entry in entries):
            return _of_values(data, entries, alone)
        return _of_records(entries)
    message = f"expected a frame, columns, records or values; found {type(data).__name__}"
    raise TypeError(message)


def alone(table: pa.Table, name: str) -> bool:
    """Whether the table is one column of values that had no name."""
    return name in table.column_names and _NAMELESS in (table.schema.field(name).metadata or {})


def _values(data: Any) -> Any:
    """The values of a Series or of an array; None of what is no such thing."""
    if getattr(data, "ndim", None) == 1 and hasattr(data, "dtype"):
        return data.tolist() if data.dtype == object else data
    if isinstance(data, (pa.Array, pa.ChunkedArray)) and not pa.types.is_struct(data.type):
        return data
    # A Series of polars.
    return data.to_arrow() if hasattr(data, "to_frame") and hasattr(data, "dtype") and hasattr(data, "to_arrow") else None


def _of_values(data: Any, values: Any, alone: str | None) -> pa.Table:
    """One column, and a second of the dates by which a Series of pandas is indexed."""
    if alone is None:
        message = f"this needs several columns: expected a frame, columns or records; found a {type(data).__name__} of values"
        raise TypeError(message)
    made = _array(values) if isinstance(values, list) else values
    if isinstance(made, (pa.Array, pa.ChunkedArray)):
        column = made if isinstance(made, pa.ChunkedArray) else pa.chunked_array([made])
    else:
        column = pa.chunked_array([pa.array(made)])
    columns, fields = [column], [pa.field(alone, column.type, metadata={_NAMELESS: b""})]
    dates = _dates_of(getattr(data, "index", None))
    if dates is not None:
        columns.append(pa.chunked_array([dates]))
        fields.append(pa.field(INDEX, dates.type))
    return pa.table(columns, schema=pa.schema(fields))


def _dates_of(index: Any) -> pa.Array | None:
    """The dates by which a Series is indexed: moments, periods, days, or texts of ISO 8601. None of another index."""
    if not hasattr(index, "dtype"):
        return None
    kind = str(index.dtype)
    if kind.startswith("datetime64"):
        return pa.array(index)
    if kind.startswith("period"):
        return pa.array(index.to_timestamp())
    if kind.startswith(("int", "uint", "float", "bool")):
        return None
    held = _array(index.tolist())
    if pa.types.is_date(held.type) or pa.types.is_timestamp(held.type):
        return held
    if not pa.types.is_string(held.type):
        return None
    # A text among them that is no date is left out by name, as in a column of dates.
    found = _dates.stamps(pa.table({INDEX: held}), INDEX, "date")
    return held if any(isinstance(stamp, _dates.Stamp) for stamp in found) else None


def _of_frame(data: Any) -> pa.Table:
    """A frame of any library. Objects of pandas may be of several kinds in one column, which Arrow refuses or shortens."""
    if type(data).__module__.partition(".")[0] == "polars" and hasattr(data, "columns") and hasattr(data, "to_arrow"):
        # Its stream has string views, which pyarrow before 16 cannot read.
        return data.to_arrow(compat_level=import_module("polars").CompatLevel.oldest())
    objects = [name for name, kind in zip(data.columns, data.dtypes, strict=True) if kind == object] if _is_pandas(data) else []
    if not objects:
        return pa.table(data)
    mixed = {name: _array(data[name].tolist()) for name in objects if isinstance(name, str)}
    # The order of the columns stays, as messages list them.
    others = pa.table(data.drop(columns=list(mixed)))
    names = [name for name in data.columns if name in mixed or name in others.column_names]
    return pa.table({name: mixed[name] if name in mixed else others.column(name) for name in names})


def _is_pandas(data: Any) -> bool:
    return type(data).__module__.partition(".")[0] == "pandas" and hasattr(data, "dtypes") and hasattr(data, "columns")


def _is_value(entry: Any) -> bool:
    return _missing(entry) or isinstance(entry, (str, bool, Real, Decimal, datetime.date))


def _of_records(records: Sequence[Any]) -> pa.Table:
    """Records of the client have the names of the wire in their JSON only."""
    rows: list[dict[str, Any]] = []
    for at, record in enumerate(records):
        if isinstance(record, Mapping):
            rows.append(dict(record))
        elif hasattr(record, "to_json"):
            rows.append(json.loads(record.to_json()))
        else:
            message = f"expected records of obeya, dictionaries or values alone; found {type(record).__name__} in row {at}"
            raise TypeError(message)
    # from_pylist looks at the keys of the first row alone.
    names = list(dict.fromkeys(name for row in rows for name in row))
    return pa.table({name: _array([row.get(name) for row in rows]) for name in names})


def _array(values: Any) -> Any:
    """Values of a column. Those of Python may be of several kinds, which Arrow would refuse, or shorten moments to days."""
    if not isinstance(values, (list, tuple)):
        return values
    if any(kind.__name__ in ("NaTType", "NAType") for kind in set(map(type, values))):
        # Arrow takes the NaT of pandas among days for the first day of the year 1, and refuses its NA.
        values = [None if _missing(value) else value for value in values]
    kinds = {type(value) for value in values if not _missing(value)}
    if datetime.date in kinds and len(kinds) > 1:
        return _texts(values)
    try:
        return pa.array(values)
    except (pa.ArrowInvalid, TypeError):
        # Not ArrowTypeError alone: an infinite Decimal is a TypeError of Python.
        if not any(map(_is_number, values)):
            return _texts(values)
        parts = [
            None if _missing(value) else {"number": float(value)} if _is_number(value) else {"text": str(value)}
            for value in values
        ]
        return pa.array(parts, _frame.MIXED)


def _texts(values: Iterable[Any]) -> pa.Array:
    return pa.array([None if _missing(value) else str(value) for value in values], pa.string())


def _missing(value: Any) -> bool:
    """Whether it stands for no value. NaN and the NaT of pandas do, which differ from themselves, and its NA."""
    if value is None or type(value).__name__ == "NAType":
        return True
    return isinstance(value, (float, datetime.datetime)) and value != value  # noqa: PLR0124


def _is_number(value: Any) -> bool:
    return isinstance(value, (Real, Decimal)) and not isinstance(value, bool)

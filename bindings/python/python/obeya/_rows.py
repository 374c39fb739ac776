"""From frames of any library to the rows that a request takes. The only place that reads frames of callers, beside `obeya.lean`."""

from __future__ import annotations

import datetime
import sys
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from obeya import _frames

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd
    import polars as pl
    import pyarrow as pa

_T = TypeVar("_T")

MOST = 10_000
"""The most values that a request may have."""

_OF_A_RECORD = frozenset({"id", "dataSourceId", "registrationDate", "data_source_id", "registration_date"})
"""Columns of values as the service shows them that cannot be written."""

_IDS = frozenset({"areaId", "assetId", "projectId", "area_id", "asset_id", "project_id"})
"""Columns of integers that may be missing."""


class Frame(Protocol):
    """A table of any library that speaks Arrow: pyarrow, pandas 2.2, polars, and others."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


def is_frame(values: object) -> bool:
    """Whether this is a table, and no list of values."""
    return hasattr(values, "__arrow_c_stream__")


def batches(values: Sequence[_T] | Frame | pd.DataFrame | pl.DataFrame) -> Iterator[Sequence[_T] | list[dict[str, Any]]]:
    """The rows, so many at a time as a request may have; what is empty has one batch without a row."""
    if isinstance(values, Sequence):
        for start in range(0, max(len(values), 1), MOST):
            yield values[start : start + MOST]
        return
    if not is_frame(values) or type(values).__name__ in ("Series", "ChunkedArray"):
        message = f"values: found {type(values).__name__}, expected a list or a frame"
        raise TypeError(message)
    rows = _rows(values)
    batch = list(islice(rows, MOST))
    yield batch
    while batch := list(islice(rows, MOST)):
        yield batch


def _rows(frame: Any) -> Iterator[dict[str, Any]]:
    if type(frame).__module__.partition(".")[0] == "polars":
        # It has its own, and the frame needs no pyarrow.
        frame = frame.drop([name for name in frame.columns if name in _OF_A_RECORD])
        yield from frame.iter_rows(named=True)
        return
    _frames.require("pyarrow")
    import pyarrow as pa

    frame = _moments_as_text(frame)
    # pandas gives an index without a name this one; an index with a name is a column.
    left_out = [*_OF_A_RECORD, "__index_level_0__"]
    for batch in pa.RecordBatchReader.from_stream(frame):
        table = pa.Table.from_batches([batch])
        table = table.drop_columns([name for name in table.column_names if name in left_out])
        yield from _ids_as_integers(_in_microseconds(table)).to_pylist()


def _moments_as_text(frame: Any) -> Any:
    """A frame of pandas whose columns of both days and moments hold texts of them, as Arrow would cut the moments to days."""
    pandas = sys.modules.get("pandas")
    if pandas is None or not isinstance(frame, pandas.DataFrame):
        return frame
    named = [level for level, name in enumerate(frame.index.names) if name is not None]
    frame = frame.reset_index(level=named) if named else frame.copy(deep=False)
    for at in range(frame.shape[1]):
        held = frame.iloc[:, at]
        if held.dtype == object:
            kinds = {type(value) for value in held}
            if datetime.date in kinds and any(issubclass(kind, datetime.datetime) for kind in kinds):
                frame.isetitem(at, [_date_as_text(value) for value in held])
    return frame


def _date_as_text(value: Any) -> Any:
    # NaT of pandas is a datetime, and differs from itself.
    return value.isoformat() if isinstance(value, datetime.date) and value == value else value  # noqa: PLR0124


def _ids_as_integers(table: pa.Table) -> pa.Table:
    """pandas makes numbers with a fraction of integers where one is missing."""
    import pyarrow as pa

    for at, field in enumerate(table.schema):
        if field.name in _IDS and pa.types.is_floating(field.type):
            try:
                table = table.set_column(at, field.name, table.column(at).cast(pa.int64()))
            except pa.ArrowInvalid:
                # A fraction, which the request refuses by name and row.
                continue
    return table


def _in_microseconds(table: pa.Table) -> pa.Table:
    """Python has no nanoseconds, and pyarrow refuses to drop them unasked."""
    import pyarrow as pa

    for at, field in enumerate(table.schema):
        if pa.types.is_timestamp(field.type) and field.type.unit == "ns":
            kind = pa.timestamp("us", field.type.tz)
            table = table.set_column(at, field.name, table.column(at).cast(kind, safe=False))
    return table

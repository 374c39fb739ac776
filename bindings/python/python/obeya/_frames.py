"""From Arrow batches to tables, frames and files. The only place that needs pyarrow, pandas, polars and DuckDB, which are optional."""

from __future__ import annotations

import os
import secrets
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    import duckdb
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from typing_extensions import Self

    from obeya._obeya import Batch, Query, Rows
    from obeya._progress import Progress

ROW_GROUP_ROWS = 128 * 1024
ROW_GROUP_BYTES = 32 << 20
"""A row group of a Parquet file is held in memory until it has so many rows or bytes; smaller ones are slow to read."""


def require(*modules: str) -> None:
    """Fails with what to install."""
    for module in modules:
        try:
            import_module(module)
        except ImportError as error:
            # Not an extra of ours: pip would look for this package in the public index, where its name is not ours.
            message = f"this needs {' and '.join(modules)}: pip install {' '.join(modules)}"
            raise ImportError(message, name=module) from error


def table(rows: Rows) -> pa.Table:
    """The rows as one table, whose categorical columns share their words across batches."""
    import pyarrow as pa

    # Not pa.table: that looks for pandas first, which takes longer to import than a million values to come.
    return pa.RecordBatchReader.from_stream(rows).read_all().unify_dictionaries()


def frame(table: pa.Table, *, days_as_objects: bool = False) -> pd.DataFrame:
    """The table as a frame that loses nothing.

    By default integers with gaps would become floats, and text and booleans with gaps would become objects.
    """
    import pandas as pd
    import pyarrow as pa

    types = {
        pa.int32(): pd.Int32Dtype(),
        pa.int64(): pd.Int64Dtype(),
        pa.bool_(): pd.BooleanDtype(),
        pa.string(): pd.StringDtype("pyarrow"),
    }
    # pandas has no columns of columns.
    frame: pd.DataFrame = table.flatten().to_pandas(types_mapper=types.get, date_as_object=days_as_objects)
    return frame


def polars_frame(rows: Rows | pa.Table) -> pl.DataFrame:
    """The rows as a frame."""
    import polars as pl

    return pl.DataFrame(rows)


def relation(rows: Rows, connection: duckdb.DuckDBPyConnection | None) -> duckdb.DuckDBPyRelation:
    """The rows as a relation, which holds them."""
    import duckdb

    return (connection or duckdb).from_arrow(table(rows))


def reader(query: Query[Any], progress: Progress) -> pa.RecordBatchReader:
    """A reader that fetches while it is read. It is Python that fetches, so that failures keep their class and Ctrl-C ends it."""
    import pyarrow as pa

    def fetched() -> Iterator[pa.RecordBatch]:
        with progress:
            batches = query.batches(progress.wanted)
            while (batch := batches.next().wait()) is not None:
                progress.advance(batch)
                yield pa.record_batch(batch)

    return pa.RecordBatchReader.from_batches(pa.schema(query), fetched())


class ParquetFile:
    """A file that has its name when it is whole, and is gone otherwise."""

    def __init__(self, query: Query[Any], path: str | os.PathLike[str], compression: str) -> None:
        import pyarrow as pa
        from pyarrow.parquet import ParquetWriter

        self._path = Path(path)
        # Beside the file: a name can only be given within a file system.
        self._part = self._path.with_name(f"{self._path.name}.{secrets.token_hex(4)}.part")
        self._schema = pa.schema(query)
        self._group: list[pa.RecordBatch] = []
        try:
            self._writer = ParquetWriter(str(self._part), self._schema, compression=compression)
        except BaseException:
            self._part.unlink(missing_ok=True)
            raise

    def write(self, batch: Batch) -> None:
        """Adds the rows of a page."""
        import pyarrow as pa

        self._group.append(pa.record_batch(batch))
        rows, size = (sum(getattr(some, what) for some in self._group) for what in ("num_rows", "nbytes"))
        if rows >= ROW_GROUP_ROWS or size >= ROW_GROUP_BYTES:
            self._flush()

    def _flush(self) -> None:
        import pyarrow as pa

        # With words of their own in each batch, all but the first would be written without a dictionary.
        group = pa.Table.from_batches(self._group, self._schema).unify_dictionaries()
        self._writer.write_table(group)
        self._group.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None and self._group:
                self._flush()
            self._writer.close()
            if kind is None:
                with self._part.open("r+b") as whole:
                    os.fsync(whole.fileno())
                self._part.replace(self._path)
        finally:
            self._part.unlink(missing_ok=True)

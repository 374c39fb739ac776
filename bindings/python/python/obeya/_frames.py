"""From Arrow batches to tables and frames. The only place that needs pyarrow, pandas, polars and DuckDB, which are optional."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from obeya._obeya import Query, Rows
    from obeya._progress import Progress


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

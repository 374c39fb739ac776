"""From Arrow batches to tables and frames. The only place that needs pyarrow, pandas, polars and DuckDB, which are optional."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from obeya._errors import RowCountError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from obeya._obeya import Query, Rows
    from obeya._progress import Progress


_LEAST_POLARS = (1, 32)
"""The oldest polars that reads Arrow streams correctly. Before 1.10 it reads the first batch only. Before 1.32 it returns
wrong values for dictionary-encoded columns whose batches have different dictionaries. Neither raises an error."""


def require(*modules: str) -> None:
    """Fails with what to install."""
    for module in modules:
        try:
            found = import_module(module)
        except ImportError as error:
            # Not an extra of this package: pip would look for it in the public index, where its name is not
            # ours.
            message = f"this needs {' and '.join(modules)}: pip install {' '.join(modules)}"
            raise ImportError(message, name=module) from error
        if module == "polars" and tuple(map(int, found.__version__.split(".")[:2])) < _LEAST_POLARS:
            least = ".".join(map(str, _LEAST_POLARS))
            message = f"polars {found.__version__} loses rows or returns wrong values: pip install 'polars>={least}'"
            raise ImportError(message, name=module)


def check_rows(library: str, made: int, fetched: int) -> None:
    """Raises `RowCountError` if a library made more or fewer rows than it was given."""
    if made != fetched:
        version = getattr(import_module(library), "__version__", "")
        message = (
            f"{library} {version} made {made:,} rows of the {fetched:,} that were fetched, so nothing is returned: "
            f"another version of {library} may read all of them"
        )
        raise RowCountError(message, expected=fetched, found=made)


def table(rows: Rows, fetched: int) -> pa.Table:
    """The rows as one table, whose categorical columns share their dictionaries across batches."""
    import pyarrow as pa

    # Not pa.table: that looks for pandas first, which takes longer to import than a million values to come.
    table = pa.RecordBatchReader.from_stream(rows).read_all().unify_dictionaries()
    check_rows("pyarrow", table.num_rows, fetched)
    return table


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
    check_rows("pandas", len(frame), table.num_rows)
    return frame


def polars_frame(rows: Rows | pa.Table, fetched: int) -> pl.DataFrame:
    """The rows as a frame."""
    import polars as pl

    frame = pl.DataFrame(rows)
    check_rows("polars", frame.height, fetched)
    return frame


def relation(rows: Rows, fetched: int, connection: duckdb.DuckDBPyConnection | None) -> duckdb.DuckDBPyRelation:
    """The rows as a relation, which contains them."""
    import duckdb

    relation = (connection or duckdb).from_arrow(table(rows, fetched))
    check_rows("duckdb", len(relation), fetched)
    return relation


def reader(query: Query[Any], progress: Progress) -> pa.RecordBatchReader:
    """A reader that fetches while it is read. Python does the fetching, so that exceptions keep their class and Ctrl-C works."""
    import pyarrow as pa

    def fetched() -> Iterator[pa.RecordBatch]:
        with progress:
            batches = query.batches(progress.wanted)
            while (batch := batches.next().wait()) is not None:
                progress.advance(batch)
                made = pa.record_batch(batch)
                check_rows("pyarrow", made.num_rows, batch.rows)
                yield made

    return pa.RecordBatchReader.from_batches(pa.schema(query), fetched())

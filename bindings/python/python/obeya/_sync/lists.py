# Written by `cargo xtask regen` from ../_async/lists.py; edit that.
# fmt: off
"""Lists that fetch nothing until they are read, and can be read again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from obeya import _frames, _grouping
from obeya._sync._answer import answer
from obeya._sync._arrow import _Arrow
from obeya._errors import APIResponseError
from obeya._obeya import ParquetFile
from obeya._progress import Progress

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    import duckdb
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from obeya._grouping import Aggregate, Value
    from obeya._obeya import Page, Query, Rows
    from obeya._settings import Order

_T = TypeVar("_T")


class Records(_Arrow, Generic[_T]):
    """The records of a list: nothing is fetched before they are read, and they are fetched again when they are read again.

    Iterating fetches page after page. The methods that begin with `to_` make a table of all records, whose columns are the properties by
    their names on the wire (`incidentDate`), as in `where`: with `select` those that it names, in its order, and with `expand` a struct
    for each related record, a list of structs where there are several. With `progress=True` they show how far they are (needs tqdm).
    """

    _query: Query[_T]
    _name: str

    def __init__(self, query: Query[_T], name: str) -> None:
        self._query = query
        self._name = name

    def __iter__(self) -> Iterator[_T]:
        for page in self.pages():
            for record in page:
                yield record

    def pages(self) -> Iterator[Page[_T]]:
        """All pages, one after the other."""
        pages = self._query.pages()
        while (page := answer(pages.next())) is not None:
            yield page

    def page(self) -> Page[_T]:
        """The first page: the largest that the service returns at once, or all records where a list has no pages."""
        return answer(self._query.page())

    def first(self) -> _T | None:
        """The first record, if there is one."""
        return answer(self._query.first())

    def count(self) -> int:
        """The number of matching records, independent of `top` and `skip`."""
        count = answer(self._query.count())
        if count is None:
            raise APIResponseError("the service does not say how many records match")
        return count

    def all(self) -> list[_T]:
        """All records, in memory."""
        return [record for record in self]

    def to_arrow(self, *, progress: bool = False) -> pa.Table:
        """All records as a table. Needs pyarrow."""
        # Imported first: a missing library must not cost a download.
        _frames.require("pyarrow")
        return _frames.table(*self._rows(Progress(self._name, wanted=progress)))

    def to_pandas(self, *, progress: bool = False) -> pd.DataFrame:
        """All records as a frame. Needs pandas and pyarrow.

        Nothing is lost: integers and booleans keep their type where values are missing (`Int32`, `boolean`), texts are `string`, texts
        with few distinct values are categories, timestamps are UTC, and dates are timestamps without a zone. Expanded records are flat
        columns: `group.name`.
        """
        _frames.require("pyarrow", "pandas")
        return _frames.frame(_frames.table(*self._rows(Progress(self._name, wanted=progress))))

    def to_polars(self, *, progress: bool = False) -> pl.DataFrame:
        """All records as a frame. Needs polars."""
        _frames.require("polars")
        return _frames.polars_frame(*self._rows(Progress(self._name, wanted=progress)))

    def to_duckdb(
        self, connection: duckdb.DuckDBPyConnection | None = None, *, progress: bool = False
    ) -> duckdb.DuckDBPyRelation:
        """All records as a relation of this connection, or of DuckDB's default one. Needs duckdb and pyarrow.

        The relation contains the records, outside of the connection's database: `create` of the relation writes them there.
        """
        _frames.require("pyarrow", "duckdb")
        return _frames.relation(*self._rows(Progress(self._name, wanted=progress)), connection)

    def to_arrow_batch_reader(self, *, progress: bool = False) -> pa.RecordBatchReader:
        """The records as a reader, which fetches page after page while it is read, once, and has one page in memory. Needs pyarrow.

        It waits for its pages wherever it is read, with or without an event loop there.
        """
        _frames.require("pyarrow")
        return _frames.reader(self._query, Progress(self._name, wanted=progress))

    def to_parquet(
        self,
        path: str | os.PathLike[str],
        *,
        compression: Literal["zstd", "snappy", "none"] = "zstd",
        row_group_size: int = 131_072,
        progress: bool = False,
    ) -> int:
        """Writes all records into a Parquet file, page after page, and returns their number.

        The file gets its name when it is complete, and replaces one of that name. Until then it is a temporary file in the same folder,
        which is removed if anything fails. On Unix only its owner may read it (mode 0600), or those who could read the file it replaces.
        A row group has `row_group_size` rows at most, 1 or more, and is in memory while it is written.
        """
        file = ParquetFile(self._query, path, compression, row_group_size)
        with Progress(self._name, wanted=progress) as bar, file:
            batches = self._query.batches(bar.wanted)
            while (batch := answer(batches.next())) is not None:
                answer(file.write(batch))
                bar.advance(batch)
            answer(file.finish(bar.rows))
        return bar.rows

    def _rows(self, progress: Progress) -> tuple[Rows, int]:
        """All rows, and how many they are."""
        rows = self._query.rows()
        with progress as bar:
            batches = self._query.batches(bar.wanted)
            while (batch := answer(batches.next())) is not None:
                rows.append(batch)
                bar.advance(batch)
        return rows, bar.rows

    def __repr__(self) -> str:
        return f"<obeya.{type(self).__name__} of {self._name}>"


class NumberedRecords(Records[_T]):
    """The records of a list whose pages have numbers."""

    def page(self, number: int = 1) -> Page[_T]:
        """One page; the first has the number 1, and a page beyond the end is empty."""
        return answer(self._query.page(number))


class GroupableRecords(Records[_T]):
    """The records of a list that the service can group, so that only the groups are fetched."""

    def group_by(self, /, *keys: Value, **computed: Value) -> GroupBy:
        """Groups of the records that have the same `keys`: properties, as `"severity"`, `"area/name"` or `F.area.name`.

        A key that is computed has a name: `group_by("area/name", month=F.due_date.month())`. `where` of the list says which records are
        grouped, and is its only option here.
        """
        return GroupBy(self._query, self._name, keys, computed)

    def aggregate(
        self,
        /,
        *,
        order_by: Order | None = None,
        top: int | None = None,
        skip: int | None = None,
        **values: Aggregate,
    ) -> Records[dict[str, Any]]:
        """One row for all records of the list, with these values; see `agg` of `group_by`."""
        return self.group_by().agg(order_by=order_by, top=top, skip=skip, **values)


class GroupBy:
    """A list with the keys that it is grouped by; `agg` aggregates each group."""

    def __init__(
        self, query: Query[Any], name: str, keys: tuple[Value, ...], computed: dict[str, Value]
    ) -> None:
        self._query = query
        self._name = name
        self._keys = keys
        self._computed = computed

    def agg(
        self,
        /,
        *,
        order_by: Order | None = None,
        top: int | None = None,
        skip: int | None = None,
        **values: Aggregate,
    ) -> Records[dict[str, Any]]:
        """The groups as a list of rows, with their keys and these values: `agg(n="count", last=("dueDate", "max"))`.

        A value is `"count"`, or a property or an expression with a method: `sum`, `mean`, `min`, `max` or `nunique`, the number of
        distinct values. Nulls are left out. A row is a dictionary, and a column of a table has its name; the key `area/name` is
        `area.name`. A name must not be that of a property, nor `order_by`, `top` or `skip`.

        Rows are ordered by their keys unless `order_by` is given, with names as text: `order_by="n desc"`, `F["n_people"].desc()`. Several
        pages of rows are not one snapshot: a record that changes its group between them may count in both groups, or in none.
        """
        steps = [_grouping.compute(self._computed)] if self._computed else []
        steps.append(_grouping.group([*self._keys, *self._computed], values))
        query: Query[dict[str, Any]] = self._query.transformed("/".join(steps), order_by, top, skip)
        return Records(query, f"groups of {self._name}")

    def __repr__(self) -> str:
        return f"<obeya.{type(self).__name__} of {self._name}>"

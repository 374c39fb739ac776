"""The values of a datasource: records, a table, a frame, or a stream for other libraries. `obeya/_async/values.py` is its twin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from obeya import _frames
from obeya._obeya import ValueQuery
from obeya._sync._answer import answer
from obeya._sync.lists import NumberedRecords
from obeya.models import DatasourceValue

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from obeya.models import Datasource


class Values(NumberedRecords[DatasourceValue]):
    """The values of a datasource, fetched when they are read, and fetched again when they are read again.

    Columns are named as on the wire (`valueDate`), as in `where` and `order_by`. polars, DuckDB and pyarrow read the object itself; what
    fails meanwhile they report in their own words, and Ctrl-C waits for them. The methods here do better.
    """

    def __init__(self, query: ValueQuery, datasource: int | Datasource) -> None:
        super().__init__(query.records(), f"datasource {datasource if isinstance(datasource, int) else datasource.id}")
        self._values = query

    def to_arrow(self) -> pa.Table:
        """All values as a table. Needs pyarrow."""
        # Asked for first: a missing library must not cost a download.
        _frames.require_pyarrow()
        return _frames.table(answer(self._values.batches()))

    def to_pandas(self) -> pd.DataFrame:
        """All values as a frame. Needs pandas and pyarrow.

        Integers stay integers where values are missing (`Int32`), dimensions are categories and timestamps are UTC.
        """
        _frames.require_pandas()
        return _frames.frame(self.to_arrow())

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The Arrow PyCapsule stream interface. Each call fetches anew.

        The interface allows to answer with our own schema, whatever was asked for.
        """
        return self._values.stream()

    def __arrow_c_schema__(self) -> object:
        """The Arrow PyCapsule schema interface."""
        return ValueQuery.schema()

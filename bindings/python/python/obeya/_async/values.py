"""The values of a datasource: records, a table or a frame. `obeya/_sync/values.py` is its twin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from obeya import _frames
from obeya._async._answer import answer
from obeya._async.lists import AsyncNumberedRecords
from obeya.models import DatasourceValue

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from obeya._obeya import ValueQuery
    from obeya.models import Datasource


class AsyncValues(AsyncNumberedRecords[DatasourceValue]):
    """The values of a datasource, fetched when they are read, and fetched again when they are read again.

    Columns are named as on the wire (`valueDate`), as in `where` and `order_by`.
    """

    def __init__(self, query: ValueQuery, datasource: int | Datasource) -> None:
        super().__init__(query.records(), f"datasource {datasource if isinstance(datasource, int) else datasource.id}")
        self._values = query

    async def to_arrow(self) -> pa.Table:
        """All values as a table. Needs pyarrow."""
        # Asked for first: a missing library must not cost a download.
        _frames.require_pyarrow()
        return _frames.table(await answer(self._values.batches()))

    async def to_pandas(self) -> pd.DataFrame:
        """All values as a frame. Needs pandas and pyarrow.

        Integers stay integers where values are missing (`Int32`), dimensions are categories and timestamps are UTC.
        """
        _frames.require_pandas()
        return _frames.frame(await self.to_arrow())

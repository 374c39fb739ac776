"""Datasources and their values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from obeya import _rows
from obeya._async._answer import answer
from obeya._async.lists import AsyncGroupableRecords, AsyncRecords
from obeya._async.values import AsyncValues

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    import polars as pl
    from typing_extensions import Unpack

    from obeya._obeya import Call, Core
    from obeya._rows import Frame
    from obeya._settings import DatasourceId, Moment, Order, Where
    from obeya.models import Datasource, DatasourceDetail, DatasourceValue
    from obeya.types import DatasourceValueChanges, DatasourceValueInput

    # Imports of the methods below the second marker, written by `cargo xtask regen`.
    from obeya._obeya import Query
    from obeya._settings import Names
    from obeya.models import DatasourceV2, DatasourceValueV2
    # End of the methods that `cargo xtask regen` writes.


class AsyncDatasources:
    """Datasources: measurements, and their values.

    A write with `if_match` is carried out only if the record is still in the state of that tag (see `tagged` of the client); with
    `idempotency_key` it is carried out once however often it is sent.
    """

    def __init__(self, core: Core) -> None:
        self._core = core
        self._calls = core.datasources

    def values(
        self,
        datasource: DatasourceId,
        *,
        start: Moment | None = None,
        end: Moment | None = None,
        where: Where | None = None,
        order_by: Order | None = None,
        page_size: int | None = None,
        top: int | None = None,
        prefetch: int = 4,
    ) -> AsyncValues:
        """The values of a datasource from `start` to `end`; by date and id unless `order_by` is given.

        A day is included as a whole, in UTC: `start="2025-10-01", end="2025-12-31"` is the quarter. A moment is excluded: the values are
        dated after or before it; a `datetime` without a zone is UTC. `where` is an OData expression such as `dimension eq 'Line 2'`.
        `top` limits the values of the whole list, `page_size` those of a request. When they are iterated or made a table, `prefetch`
        pages are fetched at a time.
        """
        query = self._calls.values(
            datasource,
            start=start,
            end=end,
            where=where,
            order_by=order_by,
            page_size=page_size,
            top=top,
            prefetch=prefetch,
        )
        return AsyncValues(query, datasource)

    async def create_values(
        self,
        datasource: DatasourceId,
        values: Sequence[DatasourceValueInput | DatasourceValue] | Frame | pd.DataFrame | pl.DataFrame,
        *,
        idempotency_key: str | None = None,
    ) -> int:
        """Adds values. Returns their number.

        They are a list, or a frame whose columns are called as on the wire (`valueDate`) or in Python (`value_date`): of polars, or of
        pandas or another library with pyarrow. An index with a name is a column.

        Up to 10,000 are added all or none. More are sent in batches of 10,000, one after the other, so those before a batch that fails are
        in; the index in an error of the service is that of a value in its batch. With an `idempotency_key` the first batch has that key,
        and the others have `.2`, `.3` and so on after it: the same call may then be made again until it succeeds, and adds what is missing.
        """
        added = 0
        for number, batch in enumerate(_rows.batches(values), start=1):
            key = idempotency_key if idempotency_key is None or number == 1 else f"{idempotency_key}.{number}"
            first = (number - 1) * _rows.MOST
            added += await answer(self._calls.carrying(None, key).create_values(datasource, batch, first))
        return added

    async def delete_values(
        self,
        datasource: DatasourceId,
        values: Sequence[int | DatasourceValue],
        *,
        idempotency_key: str | None = None,
    ) -> int:
        """Deletes up to 10,000 values. Returns how many existed."""
        return await answer(self._calls.carrying(None, idempotency_key).delete_values(datasource, values))

    async def replace_values(
        self,
        datasource: DatasourceId,
        values: Sequence[DatasourceValueInput | DatasourceValue],
        *,
        start: Moment,
        end: Moment,
        idempotency_key: str | None = None,
    ) -> int:
        """Deletes the values dated from `start` to `end` and adds these, which must lie in that period: both or neither.

        Both ends are included, and days as a whole. Returns how many were added.
        """
        calls = self._calls.carrying(None, idempotency_key)
        return await answer(calls.replace_values(datasource, values, start, end))

    async def edit_value(
        self,
        datasource: DatasourceId,
        value: int | DatasourceValue,
        /,
        *,
        if_match: str | None = None,
        idempotency_key: str | None = None,
        **fields: Unpack[DatasourceValueChanges],
    ) -> DatasourceValue:
        """Changes a value: arguments that are left out change nothing, `None` clears a field. `update_value` replaces all of it.

        Changes of others stay, or raise `UpdateConflictError`: see `incidents.update`.
        """
        calls = self._core.carrying(if_match, idempotency_key)
        call: Call[DatasourceValue] = calls.edit("updateDatasourceValue", datasource, value, fields)
        return await answer(call)

    # Written by `cargo xtask regen` from spec/openapi.yaml, all but the docstrings and the names of lists.
    def list(self, *, where: Where | None = None, order_by: Order | None = None) -> AsyncRecords[Datasource]:
        """The datasources. `where` is an OData expression such as `title eq 'Scrap'`."""
        query: Query[Datasource] = self._core.query("listDatasourcesV1", where=where, order_by=order_by)
        return AsyncRecords(query, "datasources")

    async def get(self, datasource: DatasourceId) -> DatasourceDetail:
        """One datasource, with the elements of its values."""
        call: Call[DatasourceDetail] = self._core.call("getDatasourceV1", datasource)
        return await answer(call)

    async def create_value(
        self, datasource: DatasourceId, /, *, idempotency_key: str | None = None, **fields: Unpack[DatasourceValueInput]
    ) -> DatasourceValue:
        """Adds a value."""
        call: Call[DatasourceValue] = self._core.carrying(None, idempotency_key).call(
            "createDatasourceValue", datasource, fields
        )
        return await answer(call)

    async def update_value(
        self,
        datasource: DatasourceId,
        value: int | DatasourceValue,
        /,
        *,
        if_match: str | None = None,
        idempotency_key: str | None = None,
        **fields: Unpack[DatasourceValueInput],
    ) -> DatasourceValue:
        """Replaces a value: fields that are left out are then empty."""
        call: Call[DatasourceValue] = self._core.carrying(if_match, idempotency_key).call(
            "updateDatasourceValue", datasource, value, fields
        )
        return await answer(call)

    async def delete_value(
        self,
        datasource: DatasourceId,
        value: int | DatasourceValue,
        *,
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> None:
        """Deletes a value."""
        call: Call[None] = self._core.carrying(if_match, idempotency_key).call(
            "deleteDatasourceValue", datasource, value
        )
        await answer(call)

    def list_v2(
        self,
        *,
        where: Where | None = None,
        order_by: Order | None = None,
        select: Names | None = None,
        expand: Names | None = None,
        search: str | None = None,
        top: int | None = None,
        skip: int | None = None,
        count: bool | None = None,
    ) -> AsyncGroupableRecords[DatasourceV2]:
        """The datasources as v2 shows them. Expands `values`. The options are those of `areas.list`, without `search`."""
        query: Query[DatasourceV2] = self._core.query(
            "listDatasourcesV2",
            where=where,
            order_by=order_by,
            select=select,
            expand=expand,
            search=search,
            top=top,
            skip=skip,
            count=count,
        )
        return AsyncGroupableRecords(query, "datasources (v2)")

    async def get_v2(
        self, datasource: DatasourceId, *, select: Names | None = None, expand: Names | None = None
    ) -> DatasourceV2:
        """One datasource as v2 shows it, without the elements of its values. Expands `values`."""
        call: Call[DatasourceV2] = self._core.call("getDatasourceV2", datasource, select, expand)
        return await answer(call)

    def values_v2(
        self,
        datasource: DatasourceId,
        *,
        where: Where | None = None,
        order_by: Order | None = None,
        select: Names | None = None,
        expand: Names | None = None,
        search: str | None = None,
        top: int | None = None,
        skip: int | None = None,
        count: bool | None = None,
    ) -> AsyncGroupableRecords[DatasourceValueV2]:
        """The values of a datasource as v2 shows them, by date and id unless `order_by` is given: for `group_by` and `aggregate`, which
        the service carries out. `values` reads them faster. The options are those of `areas.list`, without `search`.
        """
        query: Query[DatasourceValueV2] = self._core.query(
            "listDatasourceValuesV2",
            datasource,
            where=where,
            order_by=order_by,
            select=select,
            expand=expand,
            search=search,
            top=top,
            skip=skip,
            count=count,
        )
        return AsyncGroupableRecords(query, "values of a datasource (v2)")
    # End of the methods that `cargo xtask regen` writes.

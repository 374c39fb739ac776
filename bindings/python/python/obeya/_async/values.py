"""The values of a datasource."""

from __future__ import annotations

from typing import TYPE_CHECKING

from obeya._async.lists import AsyncNumberedRecords
from obeya.models import DatasourceValue

if TYPE_CHECKING:
    from obeya._obeya import Query
    from obeya._settings import DatasourceId


class AsyncValues(AsyncNumberedRecords[DatasourceValue]):
    """The values of a datasource. Reading them fetches pages, with some of them prefetched; reading again fetches again.

    Tables of them come as such from a service that has them so, and are made straight from JSON otherwise: no record is made in between.
    """

    def __init__(self, query: Query[DatasourceValue], datasource: DatasourceId) -> None:
        super().__init__(query, f"datasource {getattr(datasource, 'id', datasource)}")

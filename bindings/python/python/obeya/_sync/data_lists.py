# Written by `cargo xtask regen` from ../_async/data_lists.py; edit that.
# fmt: off
"""Data lists and their items."""

from __future__ import annotations

from typing import TYPE_CHECKING

from obeya._sync._answer import answer
from obeya._sync.lists import Records

if TYPE_CHECKING:
    from obeya._obeya import Core

    # Imports of the methods below the second marker, written by `cargo xtask regen`.
    from obeya._obeya import Call, Query
    from obeya._settings import Order, Where
    from obeya.models import DataList, DataListItem
    from obeya.types import DataListItemCreate
    from typing_extensions import Unpack
    # End of the methods that `cargo xtask regen` writes.


class DataLists:
    """Data lists: choices for custom fields, and their items."""

    def __init__(self, core: Core) -> None:
        self._core = core

    # Written by `cargo xtask regen` from spec/openapi.yaml, all but the docstrings and the names of lists.
    def list(self, *, where: Where | None = None, order_by: Order | None = None) -> Records[DataList]:
        """The data lists, without their items: see `items`. `where` is an OData expression such as `name eq 'Machines'`."""
        query: Query[DataList] = self._core.query("listDataLists", where=where, order_by=order_by)
        return Records(query, "data lists")

    def items(self, data_list: int | DataList) -> Records[DataListItem]:
        """The items of a data list, in their order."""
        query: Query[DataListItem] = self._core.query("listDataListItems", data_list)
        return Records(query, "items")

    def create_item(
        self, data_list: int | DataList, /, *, idempotency_key: str | None = None, **fields: Unpack[DataListItemCreate]
    ) -> DataList:
        """Adds an item after the last one. Its id is never used again. The response is the data list, whose `lastModified` changes."""
        call: Call[DataList] = self._core.carrying(None, idempotency_key).call("createDataListItem", data_list, fields)
        return answer(call)
    # End of the methods that `cargo xtask regen` writes.

"""Groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from obeya._async._answer import answer
from obeya._async.lists import AsyncRecords

if TYPE_CHECKING:
    from obeya._obeya import Core
    from obeya._settings import Names, Order, Where
    from obeya.models import Group


class AsyncGroups:
    """The groups of the plant."""

    def __init__(self, core: Core) -> None:
        self._calls = core.groups

    def list(
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
    ) -> AsyncRecords[Group]:
        """The groups. Expands `parent`, `children`, `boards` and `users`. The options are those of `areas.list`."""
        query = self._calls.list(
            where=where, order_by=order_by, select=select, expand=expand, search=search, top=top, skip=skip, count=count
        )
        return AsyncRecords(query, "groups")

    def list_v1(self) -> AsyncRecords[Group]:
        """The groups as v1 lists them: all at once."""
        return AsyncRecords(self._calls.list_v1(), "groups (v1)")

    async def get(self, group: int | Group, *, select: Names | None = None, expand: Names | None = None) -> Group:
        """One group. Expands `parent`, `children`, `boards` and `users`."""
        return await answer(self._calls.get(group, select, expand))

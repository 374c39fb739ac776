# Written by `cargo xtask regen` from ../_async/areas.py; edit that.
# fmt: off
"""Areas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from obeya._sync._answer import answer
from obeya._sync.lists import GroupableRecords

if TYPE_CHECKING:
    from obeya._obeya import Core
    from obeya._settings import Names, Order, Where
    from obeya.models import Area

    # Imports of the methods below the second marker, written by `cargo xtask regen`.
    from obeya._obeya import Call, Query
    # End of the methods that `cargo xtask regen` writes.


class Areas:
    """The areas of the plant."""

    def __init__(self, core: Core) -> None:
        self._core = core

    # Written by `cargo xtask regen` from spec/openapi.yaml, all but the docstrings and the names of lists.
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
    ) -> GroupableRecords[Area]:
        """The areas.

        `where` is an OData expression such as `name eq 'Line 2'`, `order_by` such as `name desc`; `F.name == "Line 2"` and
        `F.name.desc()` are the same, with `obeya.F`. `select` names the attributes to fill, `expand` the related records to add. `search`
        searches for words, any of which suffices; numbers and phrases are quoted, and it does not combine with `where`. `top` limits the
        records, `skip` leaves some out. With `count` each page has the number of all matching records.
        """
        query: Query[Area] = self._core.query(
            "listAreas",
            where=where,
            order_by=order_by,
            select=select,
            expand=expand,
            search=search,
            top=top,
            skip=skip,
            count=count,
        )
        return GroupableRecords(query, "areas")

    def get(self, area: int | Area, *, select: Names | None = None) -> Area:
        """One area, by its id."""
        call: Call[Area] = self._core.call("getArea", area, select, None)
        return answer(call)
    # End of the methods that `cargo xtask regen` writes.

"""Improvements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from obeya._async._answer import answer
from obeya._async.lists import AsyncGroupableRecords, AsyncNumberedRecords

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from obeya._obeya import Call, Core
    from obeya._settings import Moment, Order, Where
    from obeya.models import Improvement
    from obeya.types import ImprovementCreate, ImprovementUpdate

    # Imports of the methods below the second marker, written by `cargo xtask regen`.
    from obeya._obeya import Query
    from obeya._settings import Names
    from obeya.models import ImprovementV2
    # End of the methods that `cargo xtask regen` writes.


class AsyncImprovements:
    """Improvements, from the suggestion to the evaluation.

    A write with `if_match` is carried out only if the record is still in the state of that tag (see `tagged` of the client); with
    `idempotency_key` it is carried out once however often it is sent.
    """

    def __init__(self, core: Core) -> None:
        self._core = core
        self._calls = core.improvements

    def list(
        self,
        *,
        where: Where | None = None,
        order_by: Order | None = None,
        modified_start: Moment | None = None,
        modified_end: Moment | None = None,
        page_size: int | None = None,
        top: int | None = None,
    ) -> AsyncNumberedRecords[Improvement]:
        """The improvements, whole.

        `where` is an OData expression such as `status eq 'Planned'`. Only records last changed from `modified_start` to
        `modified_end`: days are included as a whole, moments are excluded. Without `order_by` they come by id, and
        what changes meanwhile moves none out of sight. `top` limits the records of the whole list, `page_size` those of
        a request.
        """
        query = self._calls.list(
            where=where,
            order_by=order_by,
            modified_start=modified_start,
            modified_end=modified_end,
            page_size=page_size,
            top=top,
        )
        return AsyncNumberedRecords(query, "improvements")

    async def update(
        self,
        improvement: int | Improvement,
        /,
        *,
        if_match: str | None = None,
        idempotency_key: str | None = None,
        **fields: Unpack[ImprovementUpdate],
    ) -> Improvement:
        """Changes an improvement: arguments that are left out change nothing, `None` clears a field.

        By its id the fields are sent at once, and the last change counts. If you pass a record, the improvement is
        read first: where others have changed a field that you pass, `UpdateConflictError` is raised and nothing is
        written. See `incidents.update` for `if_match`.
        """
        calls = self._core.carrying(if_match, idempotency_key)
        call: Call[Improvement] = calls.edit("updateImprovement", improvement, fields)
        return await answer(call)

    # Written by `cargo xtask regen` from spec/openapi.yaml, all but the docstrings and the names of lists.
    async def create(self, *, idempotency_key: str | None = None, **fields: Unpack[ImprovementCreate]) -> Improvement:
        """Suggests an improvement."""
        call: Call[Improvement] = self._core.carrying(None, idempotency_key).call("createImprovement", fields)
        return await answer(call)

    async def get(self, improvement: int | Improvement) -> Improvement:
        """One improvement, by its id."""
        call: Call[Improvement] = self._core.call("getImprovementV1", improvement)
        return await answer(call)

    async def delete(
        self, improvement: int | Improvement, *, if_match: str | None = None, idempotency_key: str | None = None
    ) -> None:
        """Deletes an improvement for good."""
        call: Call[None] = self._core.carrying(if_match, idempotency_key).call("deleteImprovement", improvement)
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
    ) -> AsyncGroupableRecords[ImprovementV2]:
        """The improvements as v2 shows them, by id unless `order_by` is given: for `group_by` and `aggregate`, which the service carries
        out. Expands `group` and `responsible`. The options are those of `areas.list`, without `search`.
        """
        query: Query[ImprovementV2] = self._core.query(
            "listImprovementsV2",
            where=where,
            order_by=order_by,
            select=select,
            expand=expand,
            search=search,
            top=top,
            skip=skip,
            count=count,
        )
        return AsyncGroupableRecords(query, "improvements (v2)")

    async def get_v2(
        self, improvement: int | Improvement, *, select: Names | None = None, expand: Names | None = None
    ) -> ImprovementV2:
        """One improvement as v2 shows it. `select` and `expand` are those of `list_v2`."""
        call: Call[ImprovementV2] = self._core.call("getImprovementV2", improvement, select, expand)
        return await answer(call)
    # End of the methods that `cargo xtask regen` writes.

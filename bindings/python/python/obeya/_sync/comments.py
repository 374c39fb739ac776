# Written by `cargo xtask regen` from ../_async/comments.py; edit that.
# fmt: off
"""Comments on incidents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from obeya._sync._answer import answer
from obeya._sync.lists import GroupableRecords, Records

if TYPE_CHECKING:
    from obeya._obeya import Core
    from obeya._settings import CommentId, IncidentId, Names, Order, Where
    from obeya.models import IncidentCommentV2, IncidentCommentV1

    # Imports of the methods below the second marker, written by `cargo xtask regen`.
    from obeya._obeya import Call, Query
    # End of the methods that `cargo xtask regen` writes.


class Comments:
    """What people wrote under incidents."""

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
    ) -> GroupableRecords[IncidentCommentV2]:
        """The comments on all incidents. Expands `parent` and `incident`. The options are those of `areas.list`."""
        query: Query[IncidentCommentV2] = self._core.query(
            "listIncidentComments",
            where=where,
            order_by=order_by,
            select=select,
            expand=expand,
            search=search,
            top=top,
            skip=skip,
            count=count,
        )
        return GroupableRecords(query, "comments")

    def of_incident(
        self,
        incident: IncidentId,
        *,
        where: Where | None = None,
        order_by: Order | None = None,
        select: Names | None = None,
        expand: Names | None = None,
        search: str | None = None,
        top: int | None = None,
        skip: int | None = None,
        count: bool | None = None,
    ) -> GroupableRecords[IncidentCommentV2]:
        """The comments on one incident. The options are those of `areas.list`."""
        query: Query[IncidentCommentV2] = self._core.query(
            "listCommentsOfIncidentV2",
            incident,
            where=where,
            order_by=order_by,
            select=select,
            expand=expand,
            search=search,
            top=top,
            skip=skip,
            count=count,
        )
        return GroupableRecords(query, "the comments on an incident")

    def get(
        self, comment: CommentId, *, select: Names | None = None, expand: Names | None = None
    ) -> IncidentCommentV2:
        """One comment. Expands `parent` and `incident`."""
        call: Call[IncidentCommentV2] = self._core.call("getIncidentComment", comment, select, expand)
        return answer(call)

    def get_of_incident(
        self, incident: IncidentId, comment: CommentId, *, select: Names | None = None, expand: Names | None = None
    ) -> IncidentCommentV2:
        """One comment, if it is on this incident. Expands `parent` and `incident`."""
        call: Call[IncidentCommentV2] = self._core.call("getCommentOfIncident", incident, comment, select, expand)
        return answer(call)

    def of_incident_v1(self, incident: IncidentId) -> Records[IncidentCommentV1]:
        """The comments on one incident as v1 lists them: all at once."""
        query: Query[IncidentCommentV1] = self._core.query("listCommentsOfIncidentV1", incident)
        return Records(query, "the comments on an incident (v1)")
    # End of the methods that `cargo xtask regen` writes.

"""Projects and their milestones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from obeya._async._answer import answer
from obeya._async.lists import AsyncRecords

if TYPE_CHECKING:
    from obeya._obeya import Core

    # Imports of the methods below the second marker, written by `cargo xtask regen`.
    from obeya._obeya import Call, Query
    from obeya._settings import Order, Where
    from obeya.models import Project
    from obeya.types import ProjectCreate
    from typing_extensions import Unpack
    # End of the methods that `cargo xtask regen` writes.


class AsyncProjects:
    """The projects of the plant, and their milestones."""

    def __init__(self, core: Core) -> None:
        self._core = core

    # Written by `cargo xtask regen` from spec/openapi.yaml, all but the docstrings and the names of lists.
    def list(self, *, where: Where | None = None, order_by: Order | None = None) -> AsyncRecords[Project]:
        """The projects. `where` is an OData expression such as `status eq 'Active'`."""
        query: Query[Project] = self._core.query("listProjects", where=where, order_by=order_by)
        return AsyncRecords(query, "projects")

    async def create(self, *, idempotency_key: str | None = None, **fields: Unpack[ProjectCreate]) -> Project:
        """Creates a project. `ownerEmail` and `membersEmail` name the users that lead it and work on it."""
        call: Call[Project] = self._core.carrying(None, idempotency_key).call("createProject", fields)
        return await answer(call)
    # End of the methods that `cargo xtask regen` writes.

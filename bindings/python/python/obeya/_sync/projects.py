# Written by `cargo xtask regen` from ../_async/projects.py; edit that.
# fmt: off
"""Projects and their milestones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from obeya._sync._answer import answer
from obeya._sync.lists import Records

if TYPE_CHECKING:
    from obeya._obeya import Core

    # Imports of the methods below the second marker, written by `cargo xtask regen`.
    from obeya._obeya import Call, Query
    from obeya._settings import Order, Where
    from obeya.models import Project, ProjectMilestone, TaskInfo
    from obeya.types import ProjectCreate, ProjectMilestoneCreate, ProjectMilestoneUpdate, TaskInfoCreate
    from typing_extensions import Unpack
    # End of the methods that `cargo xtask regen` writes.


class Projects:
    """The projects of the plant, and their milestones."""

    def __init__(self, core: Core) -> None:
        self._core = core

    # Written by `cargo xtask regen` from spec/openapi.yaml, all but the docstrings and the names of lists.
    def list(self, *, where: Where | None = None, order_by: Order | None = None) -> Records[Project]:
        """The projects. `where` is an OData expression such as `status eq 'Active'`."""
        query: Query[Project] = self._core.query("listProjects", where=where, order_by=order_by)
        return Records(query, "projects")

    def create(self, *, idempotency_key: str | None = None, **fields: Unpack[ProjectCreate]) -> Project:
        """Creates a project. `ownerEmail` and `membersEmail` name the users that lead it and work on it."""
        call: Call[Project] = self._core.carrying(None, idempotency_key).call("createProject", fields)
        return answer(call)

    def get(self, project_number: str) -> Project:
        """One project, by its number."""
        call: Call[Project] = self._core.call("getProject", project_number)
        return answer(call)

    def delete(
        self, project_number: str, *, if_match: str | None = None, idempotency_key: str | None = None
    ) -> None:
        """Deletes a project permanently, with its milestones. A project that other records refer to stays: move these first. The response has no body."""
        call: Call[None] = self._core.carrying(if_match, idempotency_key).call("deleteProject", project_number)
        answer(call)

    def milestones(self, project_number: str) -> Records[ProjectMilestone]:
        """All milestones of a project as an array, ordered by `plannedDate` and id; those without a planned date come first."""
        query: Query[ProjectMilestone] = self._core.query("listProjectMilestones", project_number)
        return Records(query, "the milestones of a project")

    def create_milestone(
        self, project_number: str, /, *, idempotency_key: str | None = None, **fields: Unpack[ProjectMilestoneCreate]
    ) -> ProjectMilestone:
        """Adds a milestone to a project. Its id is never used again. The response is the milestone."""
        call: Call[ProjectMilestone] = self._core.carrying(None, idempotency_key).call(
            "createProjectMilestone", project_number, fields
        )
        return answer(call)

    def update_milestone(
        self,
        project_number: str,
        milestone: int | ProjectMilestone,
        /,
        *,
        if_match: str | None = None,
        idempotency_key: str | None = None,
        **fields: Unpack[ProjectMilestoneUpdate],
    ) -> ProjectMilestone:
        """Changes a milestone. An omitted date stays as it is, and null removes it. The response is the milestone."""
        call: Call[ProjectMilestone] = self._core.carrying(if_match, idempotency_key).call(
            "updateProjectMilestone", project_number, milestone, fields
        )
        return answer(call)

    def delete_milestone(
        self,
        project_number: str,
        milestone: int | ProjectMilestone,
        *,
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> None:
        """Deletes a milestone permanently. The response has no body."""
        call: Call[None] = self._core.carrying(if_match, idempotency_key).call(
            "deleteProjectMilestone", project_number, milestone
        )
        answer(call)

    def tasks(self, project_number: str) -> Records[TaskInfo]:
        """The tasks of a project by their ids, sub-tasks included."""
        query: Query[TaskInfo] = self._core.query("listTasksOfProject", project_number)
        return Records(query, "tasks of a project")

    def create_task(
        self, project_number: str, /, *, idempotency_key: str | None = None, **fields: Unpack[TaskInfoCreate]
    ) -> TaskInfo:
        """Creates a task of a project; `board_id` may put it on a board too."""
        call: Call[TaskInfo] = self._core.carrying(None, idempotency_key).call(
            "createTaskOfProject", project_number, fields
        )
        return answer(call)
    # End of the methods that `cargo xtask regen` writes.

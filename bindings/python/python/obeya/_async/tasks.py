"""Tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from obeya._async._answer import answer
from obeya._async.lists import AsyncGroupableRecords

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from obeya._obeya import Call, Core
    from obeya._settings import TaskId
    from obeya.models import Task, TaskAttachment, TaskInfo
    from obeya.types import TaskDeletionMode, TaskInfoChanges, TaskPatch

    # Imports of the methods below the second marker, written by `cargo xtask regen`.
    from obeya._obeya import Query
    from obeya._settings import Names, Order, Where
    from obeya.models import TaskComment
    from obeya.types import TaskCommentCreate, TaskCreate, TaskInfoCreate, TaskUpdate
    # End of the methods that `cargo xtask regen` writes.


class AsyncTasks:
    """The tasks of boards, projects, incidents and persons.

    Those of a board are `boards.tasks`, and so for `projects` and `incidents`.
    """

    def __init__(self, core: Core) -> None:
        self._core = core
        self._calls = core.tasks

    async def delete_v2(
        self,
        task: TaskId,
        *,
        mode: TaskDeletionMode | None = None,
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> None:
        """Deletes a task for good, with its sub-tasks; with `mode="Detach"` these move up to its own place."""
        await answer(self._calls.carrying(if_match, idempotency_key).delete_v2(task, mode))

    async def add_attachment(
        self, task: int | TaskInfo, name: str, content: bytes, *, idempotency_key: str | None = None
    ) -> TaskAttachment:
        """Attaches a file to a task. The extension of its name says its type: `offer.pdf`."""
        calls = self._core.carrying(None, idempotency_key).attachments
        return await answer(calls.add_to_task(task, name, content))

    async def attachment_content(self, task: int | TaskInfo, attachment: int) -> bytes:
        """The content of an attachment of a task, by the id of the attachment."""
        return await answer(self._core.attachments.content_of_task(task, attachment))

    async def update(
        self,
        task: int | TaskInfo,
        /,
        *,
        if_match: str | None = None,
        idempotency_key: str | None = None,
        **fields: Unpack[TaskInfoChanges],
    ) -> TaskInfo:
        """Changes a task: arguments that are left out change nothing, `None` clears a field. On another board it is in no row and column.

        Changes of others stay, or raise `UpdateConflictError`: see `incidents.update`. The request requires the title,
        which is read if you do not pass it.
        """
        calls = self._core.carrying(if_match, idempotency_key)
        call: Call[TaskInfo] = calls.edit("updateTaskV1", task, fields)
        return await answer(call)

    async def patch(
        self,
        task: int | Task,
        /,
        *,
        if_match: str | None = None,
        idempotency_key: str | None = None,
        **fields: Unpack[TaskPatch],
    ) -> Task:
        """Changes a task: arguments that are left out change nothing, `None` clears a field. On another board it is in no row and column.

        By its id the fields are sent at once, and the last change counts. If you pass the record of v2, the task is read
        first: where others have changed a field that you pass, `UpdateConflictError` is raised and nothing is written.
        """
        calls = self._core.carrying(if_match, idempotency_key)
        call: Call[Task] = calls.edit("patchTask", task, fields)
        return await answer(call)

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
    ) -> AsyncGroupableRecords[Task]:
        """The tasks, sub-tasks included. Expands `board` and `comments`. No condition and no order takes `tags`. The options are those of `areas.list`."""
        query: Query[Task] = self._core.query(
            "listTasks",
            where=where,
            order_by=order_by,
            select=select,
            expand=expand,
            search=search,
            top=top,
            skip=skip,
            count=count,
        )
        return AsyncGroupableRecords(query, "tasks")

    async def create_v2(self, *, idempotency_key: str | None = None, **fields: Unpack[TaskCreate]) -> Task:
        """Creates a task of a board (`board_id`), of the person responsible alone, or below another task (`parent_id`).

        A sub-task gets the project and the incident of its task, and its board unless there is a `board_id`.
        """
        call: Call[Task] = self._core.carrying(None, idempotency_key).call("createTaskV2", fields)
        return await answer(call)

    def comments(
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
    ) -> AsyncGroupableRecords[TaskComment]:
        """The comments on all tasks. Expands `parent` and `task`. The options are those of `areas.list`."""
        query: Query[TaskComment] = self._core.query(
            "listTaskComments",
            where=where,
            order_by=order_by,
            select=select,
            expand=expand,
            search=search,
            top=top,
            skip=skip,
            count=count,
        )
        return AsyncGroupableRecords(query, "comments on tasks")

    async def create_comment(
        self, *, idempotency_key: str | None = None, **fields: Unpack[TaskCommentCreate]
    ) -> TaskComment:
        """Adds a comment to a task, or an answer to another comment on it (`parent_id`). It has no author: a client is not a user."""
        call: Call[TaskComment] = self._core.carrying(None, idempotency_key).call("createTaskComment", fields)
        return await answer(call)

    async def comment(
        self, comment: int | TaskComment, *, select: Names | None = None, expand: Names | None = None
    ) -> TaskComment:
        """One comment on a task, by its id. Expands `parent` and `task`."""
        call: Call[TaskComment] = self._core.call("getTaskComment", comment, select, expand)
        return await answer(call)

    async def delete_comment(
        self, comment: int | TaskComment, *, if_match: str | None = None, idempotency_key: str | None = None
    ) -> None:
        """Deletes a comment on a task for good, with the answers to it."""
        call: Call[None] = self._core.carrying(if_match, idempotency_key).call("deleteTaskComment", comment)
        await answer(call)

    def comments_of(
        self,
        task: TaskId,
        *,
        where: Where | None = None,
        order_by: Order | None = None,
        select: Names | None = None,
        expand: Names | None = None,
        search: str | None = None,
        top: int | None = None,
        skip: int | None = None,
        count: bool | None = None,
    ) -> AsyncGroupableRecords[TaskComment]:
        """The comments on one task. Expands `parent` and `task`. The options are those of `areas.list`."""
        query: Query[TaskComment] = self._core.query(
            "listCommentsOfTask",
            task,
            where=where,
            order_by=order_by,
            select=select,
            expand=expand,
            search=search,
            top=top,
            skip=skip,
            count=count,
        )
        return AsyncGroupableRecords(query, "comments on a task")

    async def comment_of(
        self, task: TaskId, comment: int | TaskComment, *, select: Names | None = None, expand: Names | None = None
    ) -> TaskComment:
        """One comment on this task. Expands `parent` and `task`."""
        call: Call[TaskComment] = self._core.call("getCommentOfTask", task, comment, select, expand)
        return await answer(call)

    async def delete_comment_of(
        self,
        task: TaskId,
        comment: int | TaskComment,
        *,
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> None:
        """Deletes a comment on this task for good, with the answers to it."""
        call: Call[None] = self._core.carrying(if_match, idempotency_key).call("deleteCommentOfTask", task, comment)
        await answer(call)

    async def get_v2(self, task: TaskId, *, select: Names | None = None, expand: Names | None = None) -> Task:
        """One task, with who changed it last. Expands `board` and `comments`."""
        call: Call[Task] = self._core.call("getTaskV2", task, select, expand)
        return await answer(call)

    async def update_v2(
        self,
        task: TaskId,
        /,
        *,
        if_match: str | None = None,
        idempotency_key: str | None = None,
        **fields: Unpack[TaskUpdate],
    ) -> Task:
        """Replaces the fields of a task: what is left out becomes empty. On another board, or none, it is in no row and column.

        `patch` changes some of them.
        """
        call: Call[Task] = self._core.carrying(if_match, idempotency_key).call("updateTaskV2", task, fields)
        return await answer(call)

    async def create(self, *, idempotency_key: str | None = None, **fields: Unpack[TaskInfoCreate]) -> TaskInfo:
        """Creates a task of a board (`board_id`), or of the person responsible alone."""
        call: Call[TaskInfo] = self._core.carrying(None, idempotency_key).call("createTaskV1", fields)
        return await answer(call)

    async def get(self, task: TaskId) -> TaskInfo:
        """One task, by its id."""
        call: Call[TaskInfo] = self._core.call("getTaskV1", task)
        return await answer(call)

    async def delete(
        self, task: TaskId, *, if_match: str | None = None, idempotency_key: str | None = None
    ) -> TaskInfo:
        """Deletes a task for good, with its sub-tasks, and returns it as it was."""
        call: Call[TaskInfo] = self._core.carrying(if_match, idempotency_key).call("deleteTaskV1", task)
        return await answer(call)

    async def create_sub_task(
        self, task: TaskId, /, *, idempotency_key: str | None = None, **fields: Unpack[TaskInfoCreate]
    ) -> TaskInfo:
        """Creates a task below another one, whose project and incident it gets, and whose board unless there is a `board_id`."""
        call: Call[TaskInfo] = self._core.carrying(None, idempotency_key).call("createSubTask", task, fields)
        return await answer(call)

    async def delete_attachment(
        self, task: TaskId, task_attachment_id: int, *, if_match: str | None = None, idempotency_key: str | None = None
    ) -> None:
        """Deletes an attachment permanently, with its content. The task gets a new `lastModified`."""
        call: Call[None] = self._core.carrying(if_match, idempotency_key).call(
            "deleteTaskAttachment", task, task_attachment_id
        )
        await answer(call)
    # End of the methods that `cargo xtask regen` writes.

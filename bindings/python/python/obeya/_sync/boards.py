# Written by `cargo xtask regen` from ../_async/boards.py; edit that.
# fmt: off
"""Boards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from obeya._sync._answer import answer
from obeya._sync.lists import GroupableRecords, NumberedRecords, Records

if TYPE_CHECKING:
    from obeya._obeya import Core
    from obeya._settings import BoardId, Moment, Names, Order, Where
    from obeya.models import Board, BoardDetail, BoardSummary, TaskInfo

    # Imports of the methods below the second marker, written by `cargo xtask regen`.
    from obeya._obeya import Call, Query
    from obeya.types import TaskInfoCreate
    from typing_extensions import Unpack
    # End of the methods that `cargo xtask regen` writes.


class Boards:
    """The boards of the plant."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._calls = core.boards

    def tasks(
        self,
        board: BoardId,
        *,
        due_start: Moment | None = None,
        due_end: Moment | None = None,
        page_size: int | None = None,
        top: int | None = None,
    ) -> NumberedRecords[TaskInfo]:
        """The tasks of a board by their ids, sub-tasks included; only those due from `due_start` to `due_end`: days
        are included as a whole, moments are excluded. `top` limits the tasks of the whole list, `page_size` those of a request."""
        query = self._calls.tasks(board, due_start=due_start, due_end=due_end, page_size=page_size, top=top)
        return NumberedRecords(query, "tasks of a board")

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
    ) -> GroupableRecords[Board]:
        """The boards, without their lines. Expands `group` and `tasks`. The options are those of `areas.list`."""
        query: Query[Board] = self._core.query(
            "listBoardsV2",
            where=where,
            order_by=order_by,
            select=select,
            expand=expand,
            search=search,
            top=top,
            skip=skip,
            count=count,
        )
        return GroupableRecords(query, "boards")

    def get(self, board: BoardId, *, select: Names | None = None, expand: Names | None = None) -> Board:
        """One board, without its lines. Expands `group` and `tasks`."""
        call: Call[Board] = self._core.call("getBoardV2", board, select, expand)
        return answer(call)

    def list_v1(self, *, where: Where | None = None, order_by: Order | None = None) -> Records[BoardSummary]:
        """The boards as v1 lists them: all at once, with the names of their groups."""
        query: Query[BoardSummary] = self._core.query("listBoardsV1", where=where, order_by=order_by)
        return Records(query, "boards (v1)")

    def detail(self, board: BoardId) -> BoardDetail:
        """One board with its rows and columns."""
        call: Call[BoardDetail] = self._core.call("getBoardV1", board)
        return answer(call)

    def create_task(
        self, board: BoardId, /, *, idempotency_key: str | None = None, **fields: Unpack[TaskInfoCreate]
    ) -> TaskInfo:
        """Creates a task of a board."""
        call: Call[TaskInfo] = self._core.carrying(None, idempotency_key).call("createTaskOfBoard", board, fields)
        return answer(call)
    # End of the methods that `cargo xtask regen` writes.

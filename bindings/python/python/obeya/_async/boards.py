"""Boards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from obeya._async._answer import answer
from obeya._async.lists import AsyncRecords

if TYPE_CHECKING:
    from obeya._obeya import Core
    from obeya._settings import BoardId, Names, Order, Where
    from obeya.models import Board, BoardDetail, BoardSummary


class AsyncBoards:
    """The boards of the plant."""

    def __init__(self, core: Core) -> None:
        self._calls = core.boards

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
    ) -> AsyncRecords[Board]:
        """The boards, without their lines. Expands `group`. The options are those of `areas.list`."""
        query = self._calls.list(
            where=where, order_by=order_by, select=select, expand=expand, search=search, top=top, skip=skip, count=count
        )
        return AsyncRecords(query, "boards")

    def list_v1(self) -> AsyncRecords[BoardSummary]:
        """The boards as v1 lists them: all at once, with the names of their groups."""
        return AsyncRecords(self._calls.list_v1(), "boards (v1)")

    async def get(self, board: BoardId, *, select: Names | None = None, expand: Names | None = None) -> Board:
        """One board, without its lines. Expands `group`."""
        return await answer(self._calls.get(board, select, expand))

    async def detail(self, board: BoardId) -> BoardDetail:
        """One board with its rows and columns."""
        return await answer(self._calls.detail(board))

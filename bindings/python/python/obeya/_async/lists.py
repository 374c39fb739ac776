"""Lists that fetch nothing until they are read, and can be read again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from obeya._async._answer import answer
from obeya._errors import APIResponseError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from obeya._obeya import Page, Query

_T = TypeVar("_T")


class AsyncRecords(Generic[_T]):
    """The records of a list: nothing is fetched before they are read, and they are fetched again when they are read again.

    Iterating fetches page after page.
    """

    _query: Query[_T]
    _name: str

    def __init__(self, query: Query[_T], name: str) -> None:
        self._query = query
        self._name = name

    async def __aiter__(self) -> AsyncIterator[_T]:
        async for page in self.pages():
            for record in page:
                yield record

    async def pages(self) -> AsyncIterator[Page[_T]]:
        """All pages, one after the other."""
        pages = self._query.pages()
        while (page := await answer(pages.next())) is not None:
            yield page

    async def page(self) -> Page[_T]:
        """The first page: the largest that the service gives at once, or all where a list has no pages."""
        return await answer(self._query.page())

    async def first(self) -> _T | None:
        """The first record, if there is one."""
        return await answer(self._query.first())

    async def count(self) -> int:
        """How many records match, whatever `top` and `skip` say."""
        count = await answer(self._query.count())
        if count is None:
            raise APIResponseError("the service does not say how many records match")
        return count

    async def all(self) -> list[_T]:
        """All records, in memory."""
        return [record async for record in self]

    def __repr__(self) -> str:
        return f"<obeya.{type(self).__name__} of {self._name}>"


class AsyncNumberedRecords(AsyncRecords[_T]):
    """The records of a list whose pages have numbers."""

    async def page(self, number: int = 1) -> Page[_T]:
        """One page; the first has the number 1, and a page beyond the end is empty."""
        return await answer(self._query.page(number))

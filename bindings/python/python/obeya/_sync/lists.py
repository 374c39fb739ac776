# Written by `cargo xtask regen` from ../_async/lists.py; edit that.
# fmt: off
"""Lists that fetch nothing until they are read, and can be read again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from obeya._sync._answer import answer
from obeya._errors import APIResponseError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from obeya._obeya import Page, Query

_T = TypeVar("_T")


class Records(Generic[_T]):
    """The records of a list: nothing is fetched before they are read, and they are fetched again when they are read again.

    Iterating fetches page after page.
    """

    _query: Query[_T]
    _name: str

    def __init__(self, query: Query[_T], name: str) -> None:
        self._query = query
        self._name = name

    def __iter__(self) -> Iterator[_T]:
        for page in self.pages():
            for record in page:
                yield record

    def pages(self) -> Iterator[Page[_T]]:
        """All pages, one after the other."""
        pages = self._query.pages()
        while (page := answer(pages.next())) is not None:
            yield page

    def page(self) -> Page[_T]:
        """The first page: the largest that the service gives at once, or all where a list has no pages."""
        return answer(self._query.page())

    def first(self) -> _T | None:
        """The first record, if there is one."""
        return answer(self._query.first())

    def count(self) -> int:
        """How many records match, whatever `top` and `skip` say."""
        count = answer(self._query.count())
        if count is None:
            raise APIResponseError("the service does not say how many records match")
        return count

    def all(self) -> list[_T]:
        """All records, in memory."""
        return [record for record in self]

    def __repr__(self) -> str:
        return f"<obeya.{type(self).__name__} of {self._name}>"


class NumberedRecords(Records[_T]):
    """The records of a list whose pages have numbers."""

    def page(self, number: int = 1) -> Page[_T]:
        """One page; the first has the number 1, and a page beyond the end is empty."""
        return answer(self._query.page(number))

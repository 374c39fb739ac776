"""The Arrow interface of an asynchronous list: other libraries may ask for its columns. Its rows can only be awaited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from obeya._obeya import Query


class _AsyncArrow:
    """A list that is awaited, as Arrow sees it."""

    _query: Query[Any]

    def __arrow_c_schema__(self) -> object:
        """The Arrow PyCapsule schema interface: the columns of the list. Nothing is fetched for it."""
        return self._query.__arrow_c_schema__()

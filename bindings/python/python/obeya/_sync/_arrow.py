"""What other libraries may ask a list for itself: its columns and its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from obeya._obeya import Query


class _Arrow:
    """A list as Arrow sees it. polars, DuckDB, pandas, pyarrow and whatever else speaks Arrow read the list itself."""

    _query: Query[Any]

    def __arrow_c_schema__(self) -> object:
        """The Arrow PyCapsule schema interface: the columns of the list. Nothing is fetched for it."""
        return self._query.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The Arrow PyCapsule stream interface. Each call fetches anew, page after page while the other library reads.

        That library reports in its own words what fails meanwhile; `to_arrow` and its like raise the errors of this package. The
        interface allows to answer with our own schema, whatever was asked for.
        """
        return self._query.__arrow_c_stream__()

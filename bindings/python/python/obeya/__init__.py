"""Client for lean-management data: incidents, improvements, boards, groups, areas, projects, tasks, data lists and datasource values.

>>> import obeya
>>> with obeya.Client.from_env() as client:  # doctest: +SKIP
...     frame = client.datasources.values(5, start="2026-01-01").to_pandas()

`obeya.lean` is a package of its own inside this one: charts and figures over any frame. It uses neither the client nor the compiled
extension, and can be imported without them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = [  # noqa: PLE0604
    "APIConnectionError",
    "APIError",
    "APIResponseError",
    "APIStatusError",
    "APITimeoutError",
    "Access",
    "Areas",
    "AsyncAreas",
    "AsyncBoards",
    "AsyncClient",
    "AsyncComments",
    "AsyncDataLists",
    "AsyncDatasources",
    "AsyncGroupBy",
    "AsyncGroupableRecords",
    "AsyncGroups",
    "AsyncImprovements",
    "AsyncIncidentRecords",
    "AsyncIncidents",
    "AsyncNumberedRecords",
    "AsyncProjects",
    "AsyncRecords",
    "AsyncTasks",
    "AsyncUsers",
    "AsyncValues",
    "AuthenticationError",
    "BadRequestError",
    "Boards",
    "Client",
    "Comments",
    "ConfigError",
    "ConflictError",
    "DataLists",
    "Datasources",
    "Expression",
    "F",
    "Field",
    "Filter",
    "GroupBy",
    "GroupableRecords",
    "Groups",
    "Headers",
    "Improvements",
    "IncidentRecords",
    "Incidents",
    "InternalServerError",
    "NotFoundError",
    "NumberedRecords",
    "Page",
    "PermissionDeniedError",
    "PreconditionFailedError",
    "Projects",
    "RateLimitError",
    "Records",
    "Reply",
    "RowCountError",
    "SortKey",
    "Tagged",
    "Tasks",
    "TestServer",
    "Tidy",
    "UnprocessableEntityError",
    "UpdateConflictError",
    "Users",
    "Values",
    "__version__",
    "models",
    "types",
]

try:
    # First: if it is absent, nothing else is imported.
    from obeya._obeya import Page, TestServer, __version__

    from obeya import models
    from obeya._async.areas import AsyncAreas
    from obeya._async.boards import AsyncBoards
    from obeya._async.client import AsyncClient
    from obeya._async.comments import AsyncComments
    from obeya._async.data_lists import AsyncDataLists
    from obeya._async.datasources import AsyncDatasources
    from obeya._async.groups import AsyncGroups
    from obeya._async.improvements import AsyncImprovements
    from obeya._async.incidents import AsyncIncidentRecords, AsyncIncidents
    from obeya._async.lists import AsyncGroupableRecords, AsyncGroupBy, AsyncNumberedRecords, AsyncRecords
    from obeya._async.projects import AsyncProjects
    from obeya._async.tasks import AsyncTasks
    from obeya._async.users import AsyncUsers
    from obeya._async.values import AsyncValues
    from obeya._errors import (
        APIConnectionError,
        APIError,
        APIResponseError,
        APIStatusError,
        APITimeoutError,
        AuthenticationError,
        BadRequestError,
        ConfigError,
        ConflictError,
        InternalServerError,
        NotFoundError,
        PermissionDeniedError,
        PreconditionFailedError,
        RateLimitError,
        RowCountError,
        UnprocessableEntityError,
        UpdateConflictError,
    )
    from obeya._filters import Expression, F, Field, Filter, SortKey
    from obeya._reply import Headers, Reply
    from obeya._settings import Access, Tagged
    from obeya._sync.areas import Areas
    from obeya._sync.boards import Boards
    from obeya._sync.client import Client
    from obeya._sync.comments import Comments
    from obeya._sync.data_lists import DataLists
    from obeya._sync.datasources import Datasources
    from obeya._sync.groups import Groups
    from obeya._sync.improvements import Improvements
    from obeya._sync.incidents import IncidentRecords, Incidents
    from obeya._sync.lists import GroupableRecords, GroupBy, NumberedRecords, Records
    from obeya._sync.projects import Projects
    from obeya._sync.tasks import Tasks
    from obeya._sync.users import Users
    from obeya._sync.values import Values
    from obeya._tidy import Tidy
    from obeya.models import *  # noqa: F403
except ModuleNotFoundError as error:
    # `obeya.lean` works without the compiled extension, as in a checkout that was not built. Any other name
    # says what is missing when it is used. An extension that is there and does not load is an error at once.
    if error.name != "obeya._obeya":
        raise
    _ABSENT: str | None = "the compiled extension obeya._obeya is not installed"
else:
    _ABSENT = None
    __all__ += models.__all__


def _rename() -> None:
    """Makes messages and pickles name a class by its public module instead of the file that defines it."""
    for name in __all__:
        thing = globals().get(name)
        if isinstance(thing, type) and thing.__module__.startswith("obeya._"):
            thing.__module__ = "obeya"


if not _ABSENT:
    _rename()

if TYPE_CHECKING:
    from types import ModuleType

    from obeya import lean as lean
    from obeya import types as types


def __getattr__(name: str) -> ModuleType:
    # `obeya.lean` needs pyarrow, which is neither required nor imported for other parts of the package.
    # `obeya.types` is for annotations, and its many classes take an eighth of the time of an import.
    if name == "lean" or (name == "types" and not _ABSENT):
        from importlib import import_module

        return import_module(f"obeya.{name}")
    if _ABSENT and not name.startswith("_"):
        message = f"obeya.{name} is not available: {_ABSENT}. Only obeya.lean works without it"
        raise ImportError(message, name="obeya._obeya")
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)


def __dir__() -> list[str]:
    return sorted({*globals(), "lean", "types"})

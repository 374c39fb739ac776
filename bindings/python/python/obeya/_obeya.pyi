"""The extension module below `obeya/_async` and `obeya/_sync`. Its public names are in `obeya`."""

from __future__ import annotations

import datetime
import os
from collections.abc import Generator, Iterator, Mapping, Sequence
from types import GenericAlias, TracebackType
from typing import Any, Generic, Literal, SupportsIndex, TypeVar, final, overload

from obeya._async.client import AsyncClient
from obeya._settings import BoardId, CommentId, CustomFieldId, DatasourceId, Day, IncidentId, IncidentTypeId, Moment, Names, Order, Settings, TaskId, Where
from obeya._sync.client import Client
from obeya.models import *
from obeya.types import CategoryInput, CauseInput, ConsequenceInput, DatasourceValueInput, UserCreateV2, UserUpdateV1
from typing_extensions import Self

__version__: str

_T = TypeVar("_T", covariant=True)

@final
class Call(Generic[_T]):
    """A call that is to be made, once."""

    def wait(self) -> _T:
        """Makes the call and waits for its answer."""

    def __await__(self) -> Generator[Any, None, _T]: ...
    @classmethod
    def __class_getitem__(cls, key: Any) -> GenericAlias: ...

@final
class Query(Generic[_T]):
    """A lazy list."""

    def page(self, number: int = 1, /) -> Call[Page[_T]]: ...
    def first(self) -> Call[_T | None]: ...
    def count(self) -> Call[int | None]: ...
    def pages(self) -> Pages[_T]: ...
    def batches(self, counted: bool, /) -> Batches:
        """The pages as batches, each with the total number of records if known."""

    def rows(self) -> Rows:
        """A collection of batches."""

    def transformed(
        self, transformations: str, order_by: Order | None, top: int | None, skip: int | None, /
    ) -> Query[dict[str, Any]]:
        """The result of `$apply` on the list. The other options apply to its rows."""

    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

    @classmethod
    def __class_getitem__(cls, key: Any) -> GenericAlias: ...

@final
class Pages(Generic[_T]):
    """The pages of a list that is being read."""

    def next(self) -> Call[Page[_T] | None]:
        """The next page, or `None` after the last and after a failure."""

    @classmethod
    def __class_getitem__(cls, key: Any) -> GenericAlias: ...

@final
class Page(Generic[_T]):
    """One page of a list: a sequence of records."""

    @property
    def items(self) -> tuple[_T, ...]:
        """The records."""

    @property
    def count(self) -> int | None:
        """The number of all matching records, if the service returns it: in lists of v2 only with `count=True`."""

    @property
    def next_link(self) -> str | None:
        """Address of the next page, if there is one. Iterating the list follows it."""

    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: SupportsIndex, /) -> _T: ...
    @overload
    def __getitem__(self, index: slice, /) -> tuple[_T, ...]: ...
    def __iter__(self) -> Iterator[_T]: ...
    @classmethod
    def __class_getitem__(cls, key: Any) -> GenericAlias: ...

@final
class Batches:
    """The batches of a list that is being read, one for each page."""

    def next(self) -> Call[Batch | None]:
        """The next batch, or `None` after the last and after a failure."""

@final
class Batch:
    """A page of a list as a batch, which other libraries may read again and again."""

    @property
    def rows(self) -> int:
        """How many rows it has."""

    @property
    def total(self) -> int | None:
        """The number of all rows, if the service returns it."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

@final
class Rows:
    """Batches in memory, which other libraries may read again and again."""

    def append(self, batch: Batch, /) -> None:
        """Takes a batch of the same list."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class ParquetFile:
    """A Parquet file that is written while it is entered. It has its name when it is finished, and is gone otherwise."""

    def __new__(cls, query: Query[Any], path: str | os.PathLike[str], compression: str, row_group_size: int) -> Self: ...
    def __enter__(self) -> Self: ...
    def write(self, batch: Batch, /) -> Call[None]:
        """Adds the rows of a page. Answered when those of the page before are written."""

    def finish(self, fetched: int | None = None, /) -> Call[None]:
        """Gives the file its name, after all started writes."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...

@final
class LastReply:
    """Where a client leaves its last answer."""

    def parts(self) -> tuple[int, list[tuple[str, str]], bytes] | None: ...
    @property
    def tag(self) -> str | None: ...

@final
class Core:
    """A client of one service, without the methods and their docstrings."""

    def __new__(
        cls,
        base_url: str,
        client_id: str | None,
        client_secret: str | None,
        auth_url: str | None,
        token: str | None,
        settings: Settings,
        /,
    ) -> Self: ...
    @staticmethod
    def from_env(settings: Settings, /) -> Core: ...
    def limited(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        headers: dict[str, str] | None = None,
    ) -> Core: ...
    def recording(self) -> tuple[Core, LastReply]: ...
    def carrying(self, if_match: str | None, idempotency_key: str | None, /) -> Core: ...
    def close(self) -> None: ...
    def call(self, operation: str, /, *arguments: object) -> Call[Any]: ...
    def edit(self, operation: str, /, *arguments: object) -> Call[Any]: ...
    def query(self, operation: str, /, *arguments: object, **options: object) -> Query[Any]: ...
    def ping(self) -> Call[datetime.datetime]: ...
    def authenticate(self) -> Call[tuple[float | None, list[str]] | None]: ...
    @property
    def base_url(self) -> str: ...
    @property
    def incidents(self) -> IncidentCalls: ...
    @property
    def improvements(self) -> ImprovementCalls: ...
    @property
    def boards(self) -> BoardCalls: ...
    @property
    def attachments(self) -> AttachmentCalls: ...
    @property
    def tasks(self) -> TaskCalls: ...
    @property
    def datasources(self) -> DatasourceCalls: ...
    @property
    def users(self) -> UserCalls: ...

@final
class AttachmentCalls:
    def add_to_incident(self, incident: IncidentId, name: str, content: bytes, /) -> Call[IncidentAttachment]: ...
    def add_to_task(self, task: int | TaskInfo, name: str, content: bytes, /) -> Call[TaskAttachment]: ...
    def content_of_incident(self, incident: IncidentId, attachment: int, /) -> Call[bytes]: ...
    def content_of_task(self, task: int | TaskInfo, attachment: int, /) -> Call[bytes]: ...

@final
class BoardCalls:
    def tasks(
        self, board: BoardId, /, *, due_start: Moment | None, due_end: Moment | None, page_size: int | None, top: int | None
    ) -> Query[TaskInfo]: ...

@final
class UserCalls:
    def carrying(self, if_match: str | None, idempotency_key: str | None, /) -> UserCalls: ...
    def create(self, fields: UserCreateV2, allow_recovery: bool, /) -> Call[UserV2]: ...
    def update_by_user_name(self, user_name: str, fields: UserUpdateV1, /) -> Call[UserV1]: ...

@final
class TaskCalls:
    def carrying(self, if_match: str | None, idempotency_key: str | None, /) -> TaskCalls: ...
    def delete_v2(self, task: TaskId, mode: str | None, /) -> Call[None]: ...

@final
class IncidentCalls:
    def carrying(self, if_match: str | None, idempotency_key: str | None, /) -> IncidentCalls: ...
    def list(
        self,
        *,
        where: Where | None,
        order_by: Order | None,
        type: IncidentTypeId | None,
        incident_start: Day | None,
        incident_end: Day | None,
        modified_start: Moment | None,
        modified_end: Moment | None,
        page_size: int | None,
        top: int | None,
    ) -> Query[IncidentV1]: ...
    def set_status(self, incident: IncidentId, status: str, /) -> Call[IncidentV1]: ...
    def set_severity(self, incident: IncidentId, severity: str, /) -> Call[IncidentV1]: ...
    def set_responsible(self, incident: IncidentId, group: int | GroupV2, user: str, /) -> Call[IncidentV1]: ...
    def set_custom_field(
        self, incident: IncidentId, field: CustomFieldId, value: str, /
    ) -> Call[IncidentV1]: ...
    def set_external_id(self, incident: IncidentId, external_id: str | None, /) -> Call[IncidentV1]: ...
    def trash(self, where: Where | None, /) -> Query[TrashedIncident]: ...
    def types(self, language: str | None, /) -> Query[IncidentTypeSummary]: ...
    def type_detail(self, type: IncidentTypeId, language: str | None, /) -> Call[IncidentTypeDetail]: ...

@final
class ImprovementCalls:
    def list(
        self,
        *,
        where: Where | None,
        order_by: Order | None,
        modified_start: Moment | None,
        modified_end: Moment | None,
        page_size: int | None,
        top: int | None,
    ) -> Query[Improvement]: ...

@final
class DatasourceCalls:
    def carrying(self, if_match: str | None, idempotency_key: str | None, /) -> DatasourceCalls: ...
    def values(
        self,
        datasource: DatasourceId,
        /,
        *,
        start: Moment | None,
        end: Moment | None,
        where: Where | None,
        order_by: Order | None,
        page_size: int | None,
        top: int | None,
        prefetch: int,
    ) -> Query[DatasourceValue]: ...
    def create_values(
        self, datasource: DatasourceId, values: Sequence[Any], first: int, /
    ) -> Call[int]: ...
    def delete_values(self, datasource: DatasourceId, values: Sequence[int | DatasourceValue], /) -> Call[int]: ...
    def replace_values(
        self,
        datasource: DatasourceId,
        values: Sequence[DatasourceValueInput | DatasourceValue],
        start: Moment,
        end: Moment,
        /,
    ) -> Call[int]: ...

@final
class TestServer:
    """The service, running inside this process on a temporary SQLite database until it is closed. For tests."""

    def __new__(cls) -> Self: ...
    @classmethod
    def demo(cls, *, today: Day | None = None) -> Self:
        """The service with a made-up plant in it, the same on every machine: two years of incidents, improvements and values.

        They end the day before `today`; by default that of the clock, in UTC. With a fixed day the figures are fixed too, but that
        the service empties its trash of records that were deleted more than 30 days ago.
        """

    @property
    def base_url(self) -> str:
        """The address of the service."""

    def client(
        self,
        scopes: Sequence[str] | None = None,
        *,
        timeout: float | None = 60.0,
        connect_timeout: float | None = 10.0,
        max_retries: int = 2,
        user_agent: str | None = None,
    ) -> Client:
        """A client that is registered with the service and has these scopes; by default all of them."""

    def async_client(
        self,
        scopes: Sequence[str] | None = None,
        *,
        timeout: float | None = 60.0,
        connect_timeout: float | None = 10.0,
        max_retries: int = 2,
        user_agent: str | None = None,
    ) -> AsyncClient:
        """The same for asyncio."""

    def credentials(self, scopes: Sequence[str] | None = None) -> tuple[str, str]:
        """Registers a client and returns its id and secret, for programs that are configured with them."""

    def import_dir(
        self,
        path: str | os.PathLike[str],
        *,
        on_conflict: Literal["fail", "skip", "replace"] = "fail",
    ) -> dict[str, int]:
        """Imports a folder of JSON Lines, one file for each resource, all or nothing.

        Returns how many records each file had.
        """

    def close(self) -> None:
        """Stops the service and removes its database. Closing twice is no error."""

    def __enter__(self) -> Self: ...
    def __exit__(self, *_exception: object) -> None: ...

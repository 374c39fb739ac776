"""The extension module: its public names are in `obeya`."""

import datetime
import os
from collections.abc import Iterator, Sequence
from types import GenericAlias
from typing import Any, Generic, Literal, SupportsIndex, TypeVar, final, overload

import pandas as pd
import pyarrow as pa
from obeya.models import *
from obeya.types import CauseInput, ConsequenceInput, ImprovementUpdate, IncidentChanges, IncidentCreate, IncidentUpdate
from typing_extensions import Self, Unpack

__version__: str

_T = TypeVar("_T", covariant=True)

@final
class Client:
    """A client of one service. Usable from several threads; all calls share one connection pool and one token.

    Give `client_id` and `client_secret`, or a `token` that was got elsewhere. Failed calls are repeated up to `max_retries`
    times where that is safe; `timeout` limits a call as a whole, in seconds. No connection is made before the first call.

    Every method may raise an `obeya.APIError`.
    """

    def __new__(
        cls,
        base_url: str,
        client_id: str | None = None,
        client_secret: str | None = None,
        *,
        auth_url: str | None = None,
        token: str | None = None,
        scopes: Sequence[str] | None = None,
        timeout: float | None = 60.0,
        connect_timeout: float | None = 10.0,
        max_retries: int | None = 2,
        user_agent: str | None = None,
    ) -> Self: ...
    @classmethod
    def from_env(
        cls,
        *,
        scopes: Sequence[str] | None = None,
        timeout: float | None = 60.0,
        connect_timeout: float | None = 10.0,
        max_retries: int | None = 2,
        user_agent: str | None = None,
    ) -> Self:
        """A client of what the environment names: `OBEYA_BASE_URL`, `OBEYA_CLIENT_ID`, `OBEYA_CLIENT_SECRET`, and
        `OBEYA_AUTH_URL` where the token issuer has another address.
        """

    @property
    def base_url(self) -> str:
        """The address of the API."""

    def close(self) -> None:
        """Closes the connections. Calls after it fail; closing twice is no error."""

    def __enter__(self) -> Self: ...
    def __exit__(self, *_exception: object) -> None: ...

    def list_areas(
        self,
        *,
        search: str | None = None,
        filter: str | None = None,
        select: str | Sequence[str] | None = None,
        top: int | None = None,
        skip: int | None = None,
        expand: str | Sequence[str] | None = None,
        count: bool | None = None,
        orderby: str | Sequence[str] | None = None,
    ) -> Page[Area]:
        """The areas of the plant, one page of them.

        `search` looks for words, any of which suffices; numbers and phrases stand in quotes, and it does not go with `filter`.
        `filter` is an OData expression such as `name eq 'Line 2'`, `orderby` such as `name desc`. `select` names the attributes to
        fill, `expand` the related records to add. `count` says how many records match in all.
        """

    def iter_areas(
        self,
        *,
        search: str | None = None,
        filter: str | None = None,
        select: str | Sequence[str] | None = None,
        top: int | None = None,
        skip: int | None = None,
        expand: str | Sequence[str] | None = None,
        count: bool | None = None,
        orderby: str | Sequence[str] | None = None,
    ) -> Records[Area]:
        """The areas of the plant, all of them, page after page."""

    def get_area(self, area_id: int, *, select: str | Sequence[str] | None = None) -> Area:
        """One area."""

    def list_boards(
        self,
        *,
        search: str | None = None,
        filter: str | None = None,
        select: str | Sequence[str] | None = None,
        top: int | None = None,
        skip: int | None = None,
        expand: str | Sequence[str] | None = None,
        count: bool | None = None,
        orderby: str | Sequence[str] | None = None,
    ) -> Page[Board]:
        """The boards, without their lines, one page of them."""

    def iter_boards(
        self,
        *,
        search: str | None = None,
        filter: str | None = None,
        select: str | Sequence[str] | None = None,
        top: int | None = None,
        skip: int | None = None,
        expand: str | Sequence[str] | None = None,
        count: bool | None = None,
        orderby: str | Sequence[str] | None = None,
    ) -> Records[Board]:
        """The boards, without their lines, all of them, page after page."""

    def get_board(self, board_id: int, *, select: str | Sequence[str] | None = None, expand: str | Sequence[str] | None = None) -> Board:
        """One board, without its lines. Expands `group`."""

    def get_board_detail(self, board_id: int) -> BoardDetail:
        """One board with its rows and columns."""

    def list_groups(
        self,
        *,
        search: str | None = None,
        filter: str | None = None,
        select: str | Sequence[str] | None = None,
        top: int | None = None,
        skip: int | None = None,
        expand: str | Sequence[str] | None = None,
        count: bool | None = None,
        orderby: str | Sequence[str] | None = None,
    ) -> Page[Group]:
        """The groups, one page of them."""

    def iter_groups(
        self,
        *,
        search: str | None = None,
        filter: str | None = None,
        select: str | Sequence[str] | None = None,
        top: int | None = None,
        skip: int | None = None,
        expand: str | Sequence[str] | None = None,
        count: bool | None = None,
        orderby: str | Sequence[str] | None = None,
    ) -> Records[Group]:
        """The groups, all of them, page after page."""

    def get_group(self, group_id: int, *, select: str | Sequence[str] | None = None, expand: str | Sequence[str] | None = None) -> Group:
        """One group. Expands `parent`, `children`, `boards`, `users`."""

    def list_incident_comments(
        self,
        *,
        search: str | None = None,
        filter: str | None = None,
        select: str | Sequence[str] | None = None,
        top: int | None = None,
        skip: int | None = None,
        expand: str | Sequence[str] | None = None,
        count: bool | None = None,
        orderby: str | Sequence[str] | None = None,
    ) -> Page[IncidentComment]:
        """The comments of all incidents, one page of them."""

    def iter_incident_comments(
        self,
        *,
        search: str | None = None,
        filter: str | None = None,
        select: str | Sequence[str] | None = None,
        top: int | None = None,
        skip: int | None = None,
        expand: str | Sequence[str] | None = None,
        count: bool | None = None,
        orderby: str | Sequence[str] | None = None,
    ) -> Records[IncidentComment]:
        """The comments of all incidents, all of them, page after page."""

    def list_comments_of_incident(
        self,
        incident_id: int,
        *,
        search: str | None = None,
        filter: str | None = None,
        select: str | Sequence[str] | None = None,
        top: int | None = None,
        skip: int | None = None,
        expand: str | Sequence[str] | None = None,
        count: bool | None = None,
        orderby: str | Sequence[str] | None = None,
    ) -> Page[IncidentComment]:
        """The comments of one incident, one page of them."""

    def iter_comments_of_incident(
        self,
        incident_id: int,
        *,
        search: str | None = None,
        filter: str | None = None,
        select: str | Sequence[str] | None = None,
        top: int | None = None,
        skip: int | None = None,
        expand: str | Sequence[str] | None = None,
        count: bool | None = None,
        orderby: str | Sequence[str] | None = None,
    ) -> Records[IncidentComment]:
        """The comments of one incident, all of them, page after page."""

    def get_incident_comment(self, comment_id: int, *, select: str | Sequence[str] | None = None, expand: str | Sequence[str] | None = None) -> IncidentComment:
        """One comment. Expands `parent`, `incident`."""

    def create_incident(self, **fields: Unpack[IncidentCreate]) -> Incident:
        """Reports an incident.

        Categories, causes and consequences are dictionaries, ids, or the records of an incident type. A `datetime` without a
        zone is UTC. After an `APIConnectionError` the incident may have been created all the same.
        """

    @overload
    def update_incident(self, incident: int, /, **fields: Unpack[IncidentUpdate]) -> Incident:
        """Changes an incident: what is not given stays, `None` empties.

        Given a record instead of an id, its type, severity, title and date are sent where the arguments do not say otherwise.
        """

    @overload
    def update_incident(self, incident: Incident, /, **fields: Unpack[IncidentChanges]) -> Incident: ...
    def set_incident_consequences(
        self,
        incident_id: int,
        consequences: Sequence[ConsequenceInput | int | IncidentConsequence | TypeConsequence],
    ) -> Incident:
        """Replaces the consequences of an incident."""

    def set_incident_causes(
        self,
        incident_id: int,
        causes: Sequence[CauseInput | int | CauseReference | TypeCause],
    ) -> Incident:
        """Replaces the causes of an incident."""

    def set_incident_external_id(self, incident_id: int, external_id: str | None) -> Incident:
        """Sets the id by which another system knows an incident; `None` empties it."""

    def get_incident_type(self, type_id: int, *, language: str | None = None) -> IncidentTypeDetail:
        """An incident type: its categories, causes, consequences and custom fields.

        Texts without a translation into `language` come as they were written.
        """

    def list_trashed_incidents(self, *, filter: str | None = None) -> TrashPage:
        """The incidents deleted during the last 30 days, latest first."""

    def update_improvement(self, improvement: int | Improvement, /, **fields: Unpack[ImprovementUpdate]) -> Improvement:
        """Changes an improvement: what is not given stays, `None` empties."""

    def list_datasource_values(
        self,
        datasource_id: int,
        *,
        from_: datetime.date | str | None = None,
        to: datetime.date | str | None = None,
        page: int = 1,
        page_size: int | None = None,
        filter: str | None = None,
        orderby: str | Sequence[str] | None = None,
    ) -> DatasourceValuePage:
        """One page of the values of a datasource; the first has the number 1, the largest holds 10,000 values.

        Only values dated after `from_` and before `to`, both excluded, by date and id unless `orderby` says otherwise.
        """

    def values(
        self,
        datasource_id: int,
        *,
        from_: datetime.date | str | None = None,
        to: datetime.date | str | None = None,
        filter: str | None = None,
        orderby: str | Sequence[str] | None = None,
        page_size: int | None = None,
        prefetch: int = 4,
    ) -> Values:
        """All values of a datasource, dated after `from_` and before `to`: a request that fetches nothing until it is read.

        A `datetime` without a zone is UTC, a `date` is its midnight. `prefetch` pages are fetched at a time.
        """

@final
class Page(Generic[_T]):
    """One page of a list: a sequence of records."""

    @property
    def items(self) -> tuple[_T, ...]:
        """The records."""

    @property
    def count(self) -> int | None:
        """How many records match in all; only with `count=True`."""

    @property
    def next_link(self) -> str | None:
        """Address of the next page, if there is one. The `iter_...` methods follow it."""

    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: SupportsIndex, /) -> _T: ...
    @overload
    def __getitem__(self, index: slice, /) -> tuple[_T, ...]: ...
    def __iter__(self) -> Iterator[_T]: ...
    @classmethod
    def __class_getitem__(cls, key: Any) -> GenericAlias: ...

@final
class Records(Generic[_T]):
    """An iterator over records that fetches the next page when the one before is used up."""

    def __iter__(self) -> Self: ...
    def __next__(self) -> _T: ...
    @classmethod
    def __class_getitem__(cls, key: Any) -> GenericAlias: ...

@final
class Values:
    """The values of a datasource, fetched when they are read, and fetched again when they are read again.

    Columns are named as on the wire (`valueDate`), as in filters and orderings. polars, DuckDB and pyarrow read the object
    itself; what fails meanwhile they report in their own words, and Ctrl-C waits for them. The methods here do better.
    """

    def to_arrow(self) -> pa.Table:
        """All values as a table. Needs the extra `arrow`."""

    def to_pandas(self) -> pd.DataFrame:
        """All values as a frame. Needs the extra `pandas`.

        Integers stay integers where values are missing (`Int32`), dimensions are categories and timestamps are UTC.
        """

    def __iter__(self) -> Records[DatasourceValue]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any: ...
    def __arrow_c_schema__(self) -> Any: ...

@final
class TestServer:
    """The service, running inside this process on a temporary SQLite database until it is closed. For tests."""

    def __new__(cls) -> Self: ...
    @property
    def base_url(self) -> str:
        """The address of the service."""

    def client(
        self,
        scopes: Sequence[str] | None = None,
        *,
        timeout: float | None = 60.0,
        connect_timeout: float | None = 10.0,
        max_retries: int | None = 2,
        user_agent: str | None = None,
    ) -> Client:
        """A client that is registered with the service and has these scopes; by default all of them."""

    def credentials(self, scopes: Sequence[str] | None = None) -> tuple[str, str]:
        """Registers a client and gives its id and secret, for programs that are configured with them."""

    def import_dir(
        self,
        path: str | os.PathLike[str],
        *,
        on_conflict: Literal["fail", "skip", "replace"] = "fail",
    ) -> dict[str, int]:
        """Imports a folder of JSON Lines, one file for each resource, all or nothing.

        Gives how many records each file brought.
        """

    def close(self) -> None:
        """Stops the service and removes its database. Closing twice is no error."""

    def __enter__(self) -> Self: ...
    def __exit__(self, *_exception: object) -> None: ...

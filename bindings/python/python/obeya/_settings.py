"""Settings of clients, and types that several operations use."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from obeya import models
from obeya._filters import Expression, Field, Filter, SortKey

_T = TypeVar("_T")

Where: TypeAlias = str | Filter | Field
"""An OData condition, as text or made with `obeya.F`."""

Names: TypeAlias = str | Field | Sequence[str | Field]
"""Names separated by commas, or a list of them."""

Order: TypeAlias = str | Expression | SortKey | Sequence[str | Expression | SortKey]
"""What to sort by: OData text, or expressions made with `obeya.F`."""

Moment: TypeAlias = datetime.date | str
"""A `datetime` (UTC where it has no zone), a `date`, which is the whole day in UTC, or text of either."""

Day: TypeAlias = datetime.date | str
"""A `date`, or text: the whole day."""

BoardId: TypeAlias = int | models.Board | models.BoardSummary | models.BoardDetail
CommentId: TypeAlias = int | models.IncidentCommentV2 | models.IncidentCommentV1
CustomFieldId: TypeAlias = int | models.IncidentCustomField | models.IncidentTypeCustomField
DatasourceId: TypeAlias = int | models.Datasource | models.DatasourceDetail
IncidentId: TypeAlias = int | models.IncidentV1 | models.IncidentV2 | models.TrashedIncident
IncidentTypeId: TypeAlias = int | models.IncidentTypeSummary | models.IncidentTypeDetail | models.IncidentType
TaskId: TypeAlias = int | models.TaskInfo | models.Task
"""An id, or any record that shows whose it is."""


class Settings:
    """The settings of a client that have a default."""

    def __init__(
        self,
        scopes: Sequence[str] | None,
        timeout: float | None,
        connect_timeout: float | None,
        max_retries: int,
        user_agent: str | None,
        allow_plain_http: bool,
    ) -> None:
        self.scopes = scopes
        self.timeout = timeout
        self.connect_timeout = connect_timeout
        self.max_retries = max_retries
        self.user_agent = user_agent
        self.allow_plain_http = allow_plain_http


class Access(NamedTuple):
    """The lifetime and the scopes of an access token."""

    expires_in: float | None
    """Its lifetime when it was issued, in seconds, if the issuer returned it."""
    scopes: tuple[str, ...]
    """The granted scopes, if the issuer returned them."""


class Tagged(Generic[_T]):
    """An answer with the tag of the state that it shows."""

    __match_args__ = ("value", "tag")

    def __init__(self, value: _T, tag: str | None) -> None:
        self.value = value
        """The answer."""
        self.tag = tag
        """The tag; `None` from a service without tags, and for an answer that has none: a record and a page of values have one."""

    def __repr__(self) -> str:
        return f"Tagged({self.value!r}, {self.tag!r})"

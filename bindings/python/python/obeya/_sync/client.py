# Written by `cargo xtask regen` from ../_async/client.py; edit that.
# fmt: off
"""The client: where its service is, how long it waits, and the resources it leads to."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from obeya._sync._answer import answer
from obeya._sync.areas import Areas
from obeya._sync.boards import Boards
from obeya._sync.comments import Comments
from obeya._sync.data_lists import DataLists
from obeya._sync.datasources import Datasources
from obeya._sync.groups import Groups
from obeya._sync.improvements import Improvements
from obeya._sync.incidents import Incidents
from obeya._sync.projects import Projects
from obeya._sync.tasks import Tasks
from obeya._sync.users import Users
from obeya._obeya import Core
from obeya._reply import Reply, of_call
from obeya._settings import Access, Settings, Tagged

if TYPE_CHECKING:
    import datetime
    from collections.abc import Callable, Sequence
    from types import EllipsisType

    from typing_extensions import Self

_T = TypeVar("_T")


class Client:
    """A client of one service. Usable from several threads; all calls share one connection pool and one token.

    Give `client_id` and `client_secret`, or a `token` from elsewhere. Failed calls are repeated up to `max_retries` times where
    that is safe; `timeout` limits a call as a whole, in seconds, and `None` is no limit. No connection is made before the first call.

    The secret and the token are sent to another machine by https only, unless `allow_plain_http` says that everyone in between may
    read them; such an address is an `obeya.ConfigError` otherwise.

    Every call may raise an `obeya.APIError`.
    """

    _core: Core

    def __init__(
        self,
        base_url: str,
        client_id: str | None = None,
        client_secret: str | None = None,
        *,
        auth_url: str | None = None,
        token: str | None = None,
        scopes: Sequence[str] | None = None,
        timeout: float | None = 60.0,
        connect_timeout: float | None = 10.0,
        max_retries: int = 2,
        user_agent: str | None = None,
        allow_plain_http: bool = False,
    ) -> None:
        settings = Settings(scopes, timeout, connect_timeout, max_retries, user_agent, allow_plain_http)
        self._core = Core(base_url, client_id, client_secret, auth_url, token, settings)

    @classmethod
    def from_env(
        cls,
        *,
        scopes: Sequence[str] | None = None,
        timeout: float | None = 60.0,
        connect_timeout: float | None = 10.0,
        max_retries: int = 2,
        user_agent: str | None = None,
        allow_plain_http: bool = False,
    ) -> Self:
        """A client configured by the environment: `OBEYA_BASE_URL`, `OBEYA_CLIENT_ID`, `OBEYA_CLIENT_SECRET`, `OBEYA_AUTH_URL` if
        the token issuer has another address, and `OBEYA_ALLOW_PLAIN_HTTP` (`1` or `true`) instead of `allow_plain_http`.
        """
        settings = Settings(scopes, timeout, connect_timeout, max_retries, user_agent, allow_plain_http)
        return cls._of(Core.from_env(settings))

    def with_options(
        self,
        *,
        timeout: float | EllipsisType | None = ...,
        max_retries: int | None = None,
        headers: dict[str, str] | None = None,
    ) -> Self:
        """The same client with other limits; arguments that are left out do not change. Connections and token are shared.

        Its requests carry `headers` too, such as `traceparent` or what a gateway requires. An `Authorization` of the client's own takes
        precedence; other headers that the client sets, such as `Accept` and `If-Match`, are refused. Each of the two is closed separately.
        """
        if timeout is ...:
            return self._of(self._core.limited(max_retries=max_retries, headers=headers))
        limit = float("inf") if timeout is None else timeout
        return self._of(self._core.limited(timeout=limit, max_retries=max_retries, headers=headers))

    @property
    def areas(self) -> Areas:
        """Areas: the places of the plant."""
        return Areas(self._core)

    @property
    def boards(self) -> Boards:
        """Boards: lists without their lines, and one board with them."""
        return Boards(self._core)

    @property
    def groups(self) -> Groups:
        """Groups: teams, business units, the people of a project."""
        return Groups(self._core)

    @property
    def comments(self) -> Comments:
        """Comments on incidents."""
        return Comments(self._core)

    @property
    def incidents(self) -> Incidents:
        """Incidents, their types and the trash."""
        return Incidents(self._core)

    @property
    def improvements(self) -> Improvements:
        """Improvements."""
        return Improvements(self._core)

    @property
    def data_lists(self) -> DataLists:
        """Data lists and their items."""
        return DataLists(self._core)

    @property
    def projects(self) -> Projects:
        """Projects and their milestones."""
        return Projects(self._core)

    @property
    def tasks(self) -> Tasks:
        """Tasks and their sub-tasks."""
        return Tasks(self._core)

    @property
    def users(self) -> Users:
        """People, and the screens and devices that sign in."""
        return Users(self._core)

    @property
    def datasources(self) -> Datasources:
        """Datasources and their values."""
        return Datasources(self._core)

    @property
    def base_url(self) -> str:
        """The address of the API."""
        return self._core.base_url

    def tagged(self, call: Callable[[Self], _T]) -> Tagged[_T]:
        """Makes a call and returns its answer with the entity tag of its state, for `if_match` of a write, which then succeeds only if
        the record has not changed meanwhile.

        `call` is called with a separate client, whose last answer counts: `lambda client: client.incidents.get(7)`.
        """
        core, last = self._core.recording()
        value = call(self._of(core))
        return Tagged(value, last.tag)

    def with_reply(self, call: Callable[[Self], _T]) -> Reply[_T]:
        """Makes a call and returns its answer with the reply of the service: status, headers and the bytes of the body.

        `call` is called with a separate client: `lambda client: client.incidents.get(7)`. Of several requests, as for the pages of a
        list, the last reply counts. A call that fails raises its error, which has status, request id and `retry_after`.
        """
        core, last = self._core.recording()
        value = call(self._of(core))
        return of_call(value, last)

    def ping(self) -> datetime.datetime:
        """The time of the service."""
        return answer(self._core.ping())

    def authenticate(self) -> Access | None:
        """Makes sure that there is an access token, and returns its lifetime and scopes; `None` for a client with a given `token`.

        Every call does this itself. Use it to find out early that the credentials are wrong.
        """
        access = answer(self._core.authenticate())
        return None if access is None else Access(access[0], tuple(access[1]))

    def close(self) -> None:
        """Closes the connections. Calls after it fail; closing twice is no error."""
        self._core.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<obeya.{type(self).__name__} {self.base_url}>"

    @classmethod
    def _of(cls, core: Core) -> Self:
        client = cls.__new__(cls)
        client._core = core
        return client

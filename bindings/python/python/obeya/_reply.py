"""The reply of the service to a call: its status, headers and body beside the answer that was made of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from obeya._obeya import LastReply

_T = TypeVar("_T")


class Headers(Mapping[str, str]):
    """The headers of a reply by name, in any case. Several of one name are one text, with commas; `get_all` has them apart."""

    def __init__(self, lines: list[tuple[str, str]]) -> None:
        self._lines: dict[str, list[str]] = {}
        for name, value in lines:
            self._lines.setdefault(name.lower(), []).append(value)

    def __getitem__(self, name: str) -> str:
        return ", ".join(self._lines[name.lower()])

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)

    def get_all(self, name: str) -> list[str]:
        """The values of all headers with this name."""
        return list(self._lines.get(name.lower(), ()))

    def __repr__(self) -> str:
        # A value may be a secret, such as that of a cookie.
        return f"<obeya.Headers: {', '.join(self._lines)}>"


class Reply(Generic[_T]):
    """An answer with the reply of the service that it was made of."""

    __match_args__ = ("value", "status_code")

    def __init__(self, value: _T, status_code: int, headers: Headers, body: bytes) -> None:
        self.value = value
        """The answer: what the call returns."""
        self.status_code = status_code
        """The HTTP status, such as 200."""
        self.headers = headers
        """The headers, such as `RateLimit`, by name in any case."""
        self.body = body
        """The body as the service sent it, without the compression of the transfer."""

    @property
    def request_id(self) -> str | None:
        """What to quote to the service's owner, from `x-request-id`."""
        return self.headers.get("x-request-id")

    @property
    def tag(self) -> str | None:
        """The entity tag, from `ETag`, for `if_match` of a write."""
        return self.headers.get("etag")

    def __repr__(self) -> str:
        # Headers may have secrets, and the body says nothing more than the answer.
        return f"Reply({self.value!r}, {self.status_code})"


def of_call(value: _T, last: LastReply) -> Reply[_T]:
    """The reply to a call that was made."""
    parts = last.parts()
    if parts is None:
        message = "with_reply: found a call that sends no request, expected one that does: read a list that it returns"
        raise ValueError(message)
    status_code, headers, body = parts
    return Reply(value, status_code, Headers(headers), body)

"""The exceptions, grouped by who has to act on them. The extension module raises them and sets their attributes.

No exception contains a secret, a token or an answer that could not be understood.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from obeya.models import Problem


_Error = TypeVar("_Error", bound=Exception)


class ConfigError(ValueError):
    """The client was given settings it can't work with, or too few of them."""


class APIError(Exception):
    """A call failed."""

    operation: str | None
    """The operation of the interface that failed, or ``token`` for the token issuer."""

    def __init__(self, message: str, *, operation: str | None = None) -> None:
        super().__init__(message)
        self.operation = operation

    def __reduce__(self) -> tuple[Any, ...]:
        # Keyword arguments are lost to the pickling that exceptions have by default.
        return _restore, (type(self), self.args, self.__dict__)


class APIConnectionError(APIError):
    """No answer: the service could not be reached, or the connection broke on the way."""


class APITimeoutError(APIConnectionError):
    """No answer in time, repetitions and waits included."""


class APIResponseError(APIError):
    """An answer that does not fit the interface, or is too large."""


class APIStatusError(APIError):
    """The service answered, and the answer is not a success."""

    status_code: int
    """HTTP status."""
    code: str | None
    """What went wrong, for programs to act on: a stable code such as ``incident.transition``."""
    request_id: str | None
    """What to quote to the service's owner."""
    problem: Problem | None
    """The problem document, as the service sent it."""
    errors: list[tuple[str, str]]
    """The faults by part of the request: the part, named as on the wire, and a sentence. Empty where the service names none."""
    retry_after: float | None
    """How many seconds to wait before trying again, if the service says so."""

    def __init__(
        self,
        message: str,
        *,
        status_code: int,
        code: str | None = None,
        request_id: str | None = None,
        problem: Problem | None = None,
        retry_after: float | None = None,
        operation: str | None = None,
    ) -> None:
        super().__init__(message, operation=operation)
        self.status_code = status_code
        self.code = code
        self.request_id = request_id
        self.problem = problem
        parts = (problem.errors if problem else None) or {}
        self.errors = [(part, sentence) for part, sentences in parts.items() for sentence in sentences]
        self.retry_after = retry_after


class BadRequestError(APIStatusError):
    """400: the request does not match the operation."""


class AuthenticationError(APIStatusError):
    """401, or the token issuer refused the client."""


class PermissionDeniedError(APIStatusError):
    """403: the token has no scope for the operation."""


class NotFoundError(APIStatusError):
    """404: nothing has this id."""


class ConflictError(APIStatusError):
    """409: the state of the record forbids the change."""


class PreconditionFailedError(APIStatusError):
    """412: the record is no longer in the state that ``if_match`` names. Nothing was changed; read it again."""


class UpdateConflictError(PreconditionFailedError):
    """Others have changed the same fields of a record. Nothing was written.

    To insist on your change, pass ``theirs`` to the same method, or ``if_match="*"``.
    """

    fields: list[str]
    """The fields that both sides have changed."""
    seen: Any
    """The record that your change is based on: the one you passed, or the one that was read for your update."""
    mine: Any
    """The record as you would have it: ``seen`` with the fields you passed."""
    theirs: Any
    """The record as it is now, with the changes of others."""

    def __init__(
        self,
        message: str,
        *,
        fields: list[str],
        seen: Any,
        mine: Any,
        theirs: Any,
        status_code: int = 412,
        operation: str | None = None,
    ) -> None:
        super().__init__(message, status_code=status_code, operation=operation)
        self.fields = fields
        self.seen = seen
        self.mine = mine
        self.theirs = theirs


class UnprocessableEntityError(APIStatusError):
    """422: the request does not fit the data."""


class RateLimitError(APIStatusError):
    """429: too many requests; ``retry_after`` is the time to wait."""


class InternalServerError(APIStatusError):
    """500 and above: the service failed."""


_BY_STATUS: dict[int, type[APIStatusError]] = {
    400: BadRequestError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    412: PreconditionFailedError,
    422: UnprocessableEntityError,
    429: RateLimitError,
}


class RowCountError(RuntimeError):
    """A table or file has more or fewer rows than were fetched for it. Nothing is returned, and no file is left."""

    expected: int
    """How many rows were fetched."""
    found: int
    """How many rows the result has."""

    def __init__(self, message: str, *, expected: int, found: int) -> None:
        super().__init__(message)
        self.expected = expected
        self.found = found

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self.args, self.__dict__)


def _class_of(status_code: int) -> type[APIStatusError]:
    return _BY_STATUS.get(status_code, InternalServerError if status_code >= 500 else APIStatusError)


def _of_status(message: str, *, status_code: int, **details: Any) -> APIStatusError:
    """The service's own answer."""
    return _class_of(status_code)(message, status_code=status_code, **details)


def _of_issuer(message: str, *, status_code: int, **details: Any) -> APIStatusError:
    """The token issuer's answer: it refuses a client with 400 as well as with 401."""
    class_ = AuthenticationError if status_code in (400, 401, 403) else _class_of(status_code)
    return class_(message, status_code=status_code, **details)


def _restore(class_: type[_Error], args: tuple[Any, ...], details: dict[str, Any]) -> _Error:
    error = class_.__new__(class_, *args)
    error.__dict__.update(details)
    return error

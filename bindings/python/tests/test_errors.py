"""Which failure is which exception, and its message."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import canned
import obeya
import pytest

Call = Callable[[obeya.Client], object]

OURS: list[tuple[type[obeya.APIStatusError], int, str, Call]] = [
    (obeya.BadRequestError, 400, "odata.search_with_filter", lambda c: c.areas.list(search="x", where="id eq 1").page()),
    (obeya.BadRequestError, 400, "query.invalid", lambda c: c.datasources.values(1, page_size=0).page()),
    (obeya.NotFoundError, 404, "not_found", lambda c: c.areas.get(999_999)),
    (
        obeya.UnprocessableEntityError,
        422,
        "reference.unknown",
        lambda c: c.incidents.create(
            incident_type_id=3, severity="Low", title="x", incident_date="2026-03-02", categories=[999_999]
        ),
    ),
]


@pytest.mark.parametrize(("class_", "status", "code", "call"), OURS)
def test_answers_of_the_service(
    client: obeya.Client, class_: type[obeya.APIStatusError], status: int, code: str, call: Call
) -> None:
    with pytest.raises(class_) as caught:
        call(client)
    error = caught.value
    assert (error.status_code, error.code) == (status, code)
    assert error.request_id
    assert error.problem is not None
    assert (error.problem.code, error.problem.status) == (code, status)
    assert code in str(error)


def test_a_forbidden_transition_is_a_conflict(client: obeya.Client, new_incident: Callable[..., obeya.IncidentV1]) -> None:
    rejected = client.incidents.update(new_incident(), status="Rejected")
    with pytest.raises(obeya.ConflictError) as caught:
        client.incidents.update(rejected, status="Resolved")
    assert (caught.value.code, caught.value.operation) == ("incident.transition", "updateIncidentStatus")
    assert caught.value.problem is not None
    assert caught.value.problem.detail is not None
    assert "InProgress" in caught.value.problem.detail


def test_a_problem_names_the_parts_of_the_request(new_incident: Callable[..., obeya.IncidentV1]) -> None:
    with pytest.raises(obeya.BadRequestError) as caught:
        new_incident(title="")
    assert caught.value.problem is not None
    assert caught.value.problem.errors is not None
    ((part, sentence),) = caught.value.errors
    assert (part, [sentence]) == ("title", list(caught.value.problem.errors["title"]))
    assert sentence
    copy = pickle.loads(pickle.dumps(caught.value))
    assert copy.errors == caught.value.errors


def test_a_failure_without_parts_names_none(client: obeya.Client) -> None:
    with pytest.raises(obeya.NotFoundError) as caught:
        client.areas.get(999_999)
    assert caught.value.errors == []


def test_a_missing_scope(server: obeya.TestServer) -> None:
    with server.client(scopes=["Data.Read"]) as client, pytest.raises(obeya.PermissionDeniedError) as caught:
        client.boards.list().page()
    assert (caught.value.status_code, caught.value.code) == (403, "scope.missing")


def test_a_wrong_secret(server: obeya.TestServer) -> None:
    client_id, _ = server.credentials()
    client = obeya.Client(server.base_url, client_id, "not the secret")
    with pytest.raises(obeya.AuthenticationError) as caught:
        client.areas.list().page()
    assert (caught.value.code, caught.value.operation) == ("invalid_client", "token")
    assert "not the secret" not in str(caught.value)


def test_a_token_that_is_none(server: obeya.TestServer) -> None:
    with pytest.raises(obeya.AuthenticationError) as caught:
        obeya.Client(server.base_url, token="x.y.z").areas.list().page()
    assert (caught.value.status_code, caught.value.code) == (401, "token.invalid")


def unauthorised(base_url: str, **settings: Any) -> obeya.Client:
    return obeya.Client(base_url, token="t", **{"max_retries": 0, **settings})


def test_the_rate_limit() -> None:
    with canned.answering(429, "{}", {"Retry-After": "7", "X-Request-Id": "r-1"}) as url:
        with pytest.raises(obeya.RateLimitError) as caught:
            unauthorised(url).areas.list().page()
    assert (caught.value.retry_after, caught.value.request_id) == (7.0, "r-1")


@pytest.mark.parametrize(
    ("status", "class_"),
    [(500, obeya.InternalServerError), (503, obeya.InternalServerError), (418, obeya.APIStatusError)],
)
def test_answers_that_are_no_problem_documents(status: int, class_: type[obeya.APIStatusError]) -> None:
    with canned.answering(status, "<html>secret page</html>") as url:
        with pytest.raises(obeya.APIStatusError) as caught:
            unauthorised(url).areas.list().page()
    assert type(caught.value) is class_
    assert caught.value.status_code == status
    assert "secret page" not in str(caught.value)


def test_an_answer_that_does_not_fit() -> None:
    with canned.answering(200, '{"value": [{"id": "seven"}]}') as url:
        with pytest.raises(obeya.APIResponseError, match=r"value\[0\]\.id: invalid type: string, expected i32") as caught:
            unauthorised(url).areas.list().page()
    assert "seven" not in str(caught.value)


def test_an_expanded_list_that_ends_early() -> None:
    body = '{"value": [{"id": 1, "boards": [], "boards@odata.nextLink": "/v2/groups(1)/boards"}]}'
    with canned.answering(200, body) as url, pytest.raises(obeya.APIResponseError, match="`boards`"):
        unauthorised(url).groups.list(expand="boards").page()


def test_words_of_a_newer_service_come_through() -> None:
    with canned.answering(200, '{"value": [{"id": 1, "boardType": "Hexagonal", "new": {}}]}') as url:
        assert unauthorised(url).boards.list().page()[0].board_type == "Hexagonal"


def test_no_connection() -> None:
    with pytest.raises(obeya.APIConnectionError) as caught:
        unauthorised(f"http://127.0.0.1:{canned.closed_port()}").areas.list().page()
    assert not isinstance(caught.value, obeya.APITimeoutError)
    assert caught.value.operation == "listAreas"


def test_no_answer_in_time() -> None:
    with canned.silent() as service, unauthorised(service.url, timeout=0.3) as client, pytest.raises(obeya.APITimeoutError):
        client.areas.list().page()


@pytest.mark.parametrize(
    ("class_", "base"),
    [
        (obeya.BadRequestError, obeya.APIStatusError),
        (obeya.AuthenticationError, obeya.APIStatusError),
        (obeya.PermissionDeniedError, obeya.APIStatusError),
        (obeya.NotFoundError, obeya.APIStatusError),
        (obeya.ConflictError, obeya.APIStatusError),
        (obeya.UnprocessableEntityError, obeya.APIStatusError),
        (obeya.PreconditionFailedError, obeya.APIStatusError),
        (obeya.UpdateConflictError, obeya.PreconditionFailedError),
        (obeya.RateLimitError, obeya.APIStatusError),
        (obeya.InternalServerError, obeya.APIStatusError),
        (obeya.APIStatusError, obeya.APIError),
        (obeya.APITimeoutError, obeya.APIConnectionError),
        (obeya.APIConnectionError, obeya.APIError),
        (obeya.APIResponseError, obeya.APIError),
        (obeya.ConfigError, ValueError),
    ],
)
def test_the_tree(class_: type[Exception], base: type[Exception]) -> None:
    assert issubclass(class_, base)


def test_an_exception_travels_between_processes(client: obeya.Client) -> None:
    with pytest.raises(obeya.NotFoundError) as caught:
        client.areas.get(999_999)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert type(copy) is obeya.NotFoundError
    assert str(copy) == str(caught.value)
    assert (copy.status_code, copy.code, copy.problem) == (404, "not_found", caught.value.problem)

"""Secrets and tokens on their way."""

from __future__ import annotations

import obeya
import pytest


def test_a_secret_that_can_be_read_on_the_way_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    refused = "the {} would be sent to http://plant.invalid:8080 without TLS and could be read in transit"
    for client in (obeya.Client, obeya.AsyncClient):
        with pytest.raises(obeya.ConfigError, match=refused.format("client secret")):
            client("http://plant.invalid:8080", "id", "hunter2")
        with pytest.raises(obeya.ConfigError, match=refused.format("access token")):
            client("http://plant.invalid:8080", token="t")
    monkeypatch.setenv("OBEYA_BASE_URL", "http://plant.invalid:8080")
    monkeypatch.setenv("OBEYA_CLIENT_ID", "id")
    monkeypatch.setenv("OBEYA_CLIENT_SECRET", "hunter2")
    for variable in ("", "0", "no"):
        monkeypatch.setenv("OBEYA_ALLOW_PLAIN_HTTP", variable)
        with pytest.raises(obeya.ConfigError, match=refused.format("client secret")):
            obeya.Client.from_env()


def test_a_secret_that_may_be_read_on_the_way_is_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.warns(UserWarning) as seen:
        obeya.Client("http://plant.invalid:8080", "id", "hunter2", allow_plain_http=True)
    texts = [str(warning.message) for warning in seen]
    assert texts == [
        f"the {what} is sent to http://plant.invalid:8080 without TLS and can be read in transit: use https"
        for what in ("client secret", "access token")
    ]
    assert {warning.filename for warning in seen} == {__file__}

    monkeypatch.setenv("OBEYA_BASE_URL", "http://plant.invalid:8080")
    monkeypatch.setenv("OBEYA_CLIENT_ID", "id")
    monkeypatch.setenv("OBEYA_CLIENT_SECRET", "hunter2")
    with pytest.warns(UserWarning) as seen:
        obeya.AsyncClient.from_env(allow_plain_http=True)
    assert [str(warning.message) for warning in seen] == texts
    assert {warning.filename for warning in seen} == {__file__}
    monkeypatch.setenv("OBEYA_ALLOW_PLAIN_HTTP", "1")
    with pytest.warns(UserWarning) as seen:
        obeya.AsyncClient.from_env()
    assert [str(warning.message) for warning in seen] == texts

    # Warnings are errors here, so these must raise none.
    obeya.Client("https://plant.invalid", "id", "hunter2")
    obeya.Client("http://127.0.0.1:9", "id", "hunter2")

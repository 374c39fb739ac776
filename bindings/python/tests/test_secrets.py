"""Secrets and tokens on their way."""

from __future__ import annotations

import obeya
import pytest


def test_a_secret_that_can_be_read_on_the_way_is_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.warns(UserWarning) as seen:
        obeya.Client("http://plant.invalid:8080", "id", "hunter2")
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
        obeya.AsyncClient.from_env()
    assert [str(warning.message) for warning in seen] == texts
    assert {warning.filename for warning in seen} == {__file__}

    # Warnings are errors here, so these must raise none.
    obeya.Client("https://plant.invalid", "id", "hunter2")
    obeya.Client("http://127.0.0.1:9", "id", "hunter2")

"""One service with one small plant for all tests. A test that changes a record makes one of its own first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import obeya
import plant
import pytest


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[obeya.TestServer]:
    folder: Path = tmp_path_factory.mktemp("plant")
    plant.write(folder)
    with obeya.TestServer() as server:
        server.import_dir(folder)
        yield server


@pytest.fixture(scope="session")
def demo() -> Iterator[obeya.TestServer]:
    """The plant of the demo, on a fixed day. Tests only read it."""
    with obeya.TestServer.demo(today="2026-03-01") as server:
        yield server


@pytest.fixture(scope="session")
def client(server: obeya.TestServer) -> Iterator[obeya.Client]:
    with server.client() as client:
        yield client


@pytest.fixture
def new_incident(client: obeya.Client) -> Callable[..., obeya.IncidentV1]:
    def make(**fields: Any) -> obeya.IncidentV1:
        needed: dict[str, Any] = {
            "incident_type_id": 3,
            "severity": "Low",
            "title": "Housing cracked",
            "incident_date": "2026-03-02",
            "categories": [32],
        }
        return client.incidents.create(**{**needed, **fields})

    return make

"""Values as the service sends them in Arrow and in CSV, read by libraries that know nothing of it."""

from __future__ import annotations

import csv
import io

import obeya
import plant
import pyarrow as pa
import pytest
import requests

PAGE = 1000


@pytest.fixture(scope="module")
def session(server: obeya.TestServer) -> requests.Session:
    client_id, secret = server.credentials(["Data.Read"])
    form = {"grant_type": "client_credentials", "client_id": client_id, "client_secret": secret}
    answer = requests.post(f"{server.base_url}/connect/token", data=form, timeout=30)
    session = requests.Session()
    session.headers["Authorization"] = f"Bearer {answer.json()['access_token']}"
    return session


def page(server: obeya.TestServer, session: requests.Session, form: str) -> requests.Response:
    answer = session.get(
        f"{server.base_url}/v1/Datasources/1/values",
        params={"page": 2, "pageSize": PAGE},
        headers={"Accept": form},
        timeout=30,
    )
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith(form)
    assert answer.headers["Obeya-Count"] == str(plant.VALUES)
    return answer


NUMBERS = range(PAGE + 1, 2 * PAGE + 1)


def test_pyarrow_reads_a_page(server: obeya.TestServer, session: requests.Session, client: obeya.Client) -> None:
    answer = page(server, session, "application/vnd.apache.arrow.stream")
    table = pa.ipc.open_stream(answer.content).read_all()
    table.validate(full=True)
    assert table.schema == client.datasources.values(1).to_arrow().schema
    assert table["id"].to_pylist() == list(NUMBERS)
    assert table["value"].to_pylist() == [plant.value(n) for n in NUMBERS]
    assert table["areaId"].to_pylist() == [plant.area_of_value(n) for n in NUMBERS]
    assert table["valueDate"].to_pylist() == [plant.value_date(n) for n in NUMBERS]
    assert table["dimension"].to_pylist() == [plant.line_of_value(n) for n in NUMBERS]


def test_python_reads_a_page_of_csv(server: obeya.TestServer, session: requests.Session) -> None:
    answer = page(server, session, "text/csv")
    lines = list(csv.DictReader(io.StringIO(answer.text, newline="")))
    assert [int(line["id"]) for line in lines] == list(NUMBERS)
    assert [float(line["value"]) for line in lines] == [plant.value(n) for n in NUMBERS]
    assert [line["dimension"] for line in lines] == [plant.line_of_value(n) for n in NUMBERS]

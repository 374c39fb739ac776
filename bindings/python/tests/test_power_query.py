"""The Power Query examples against the service: every address in them is answered, as Power Query asks and by an OData client.

Neither Excel nor Power BI is here to run them; `cargo xtask clients` parses them with the parser of Microsoft.
"""

from __future__ import annotations

import csv
import re
from typing import Any

import obeya
import power_query
import pytest
import requests
from odata import ODataService

# What Power Query sends with a request of OData.
HEADERS = {"OData-MaxVersion": "4.0", "Accept": "application/json;odata.metadata=minimal"}


def token(server: obeya.TestServer) -> str:
    """The token that the query Token requests."""
    formula = power_query.query("token")
    path = re.search(r'RelativePath = "([^"]*)"', formula)
    grant = re.search(r'grant_type = "(\w+)"', formula)
    field = re.search(r"\)\[(\w+)\]", formula)
    assert path and grant and field
    client_id, secret = server.credentials(["public.api.read"])
    form = {"grant_type": grant[1], "client_id": client_id, "client_secret": secret}
    answer = requests.post(f"{server.base_url}/{path[1]}", data=form, timeout=30)
    requested: str = answer.json()[field[1]]
    return requested


@pytest.fixture(scope="module")
def session(demo: obeya.TestServer) -> requests.Session:
    session = requests.Session()
    session.headers["Authorization"] = f"Bearer {token(demo)}"
    return session


def ask(session: requests.Session, address: str) -> Any:
    """Asks as Power Query does; the addresses have spaces, which it encodes."""
    answer = session.get(address.replace(" ", "%20"), headers=HEADERS, timeout=30)
    assert answer.status_code == 200, answer.text
    assert answer.headers["OData-Version"] == "4.0"
    return answer.json()


def test_the_connection_file_has_the_queries_beside_it() -> None:
    assert power_query.CONNECTION.read_text(encoding="utf-8") == power_query.connection(), "run tests/power_query.py"
    found = power_query.formulas(power_query.CONNECTION)
    assert list(found) == ["incidents", "Token", *power_query.PARAMETERS]
    assert found["incidents"] == power_query.query("incidents")
    assert found["Token"] == power_query.query("token")
    for name, value in power_query.PARAMETERS.items():
        assert found[name].startswith(f'"{value}" meta ')
    # Each name that a query uses is there.
    used = set(re.findall(r"\bObeya\w+|\bToken\b", found["incidents"] + found["Token"]))
    assert used == {"Token", *power_query.PARAMETERS}


def test_the_incidents_of_the_connection_file_are_answered(demo: obeya.TestServer, session: requests.Session) -> None:
    formula = power_query.formulas(power_query.CONNECTION)["incidents"]
    found = ask(session, demo.base_url + power_query.address(formula))
    with demo.client() as client:
        expected = [one.id for one in client.incidents.list() if one.severity == "High"]
    rows, page = found["value"], found
    while "@odata.nextLink" in page:
        page = ask(session, page["@odata.nextLink"])
        rows += page["value"]
    assert sorted(row["id"] for row in rows) == sorted(expected)
    dates = [row["incidentDate"] for row in rows]
    assert dates == sorted(dates, reverse=True)
    expanded = re.search(r'ExpandRecordColumn\(Source, "(\w+)", \{"(\w+)"\}', formula)
    assert expanded
    named = [row[expanded[1]][expanded[2]] for row in rows if row[expanded[1]]]
    assert len(set(named)) > 1


def test_every_table_of_the_service_can_be_chosen(demo: obeya.TestServer, session: requests.Session) -> None:
    formula = power_query.query("tables")
    path = power_query.address(formula)
    assert path == "/v2"
    document = ask(session, demo.base_url + path)
    chosen = re.search(r'Source\{\[Name = "(\w+)", Signature = "table"\]\}', formula)
    condition = re.search(r"each \[(\w+)\] = true", formula)
    assert chosen and condition
    assert chosen[1] in [one["name"] for one in document["value"]]

    service = ODataService(f"{demo.base_url}{path}/", session=session, reflect_entities=True, quiet_progress=True)
    Table = service.entities[chosen[1]]
    column = getattr(Table, condition[1])
    every = list(service.query(Table))
    kept = list(service.query(Table).filter(column == True))  # noqa: E712
    assert 0 < len(kept) < len(every)
    assert {row.id for row in kept} == {row.id for row in every if getattr(row, condition[1])}


def test_the_values_are_read_to_the_end() -> None:
    wanted = power_query.request(power_query.query("values"))
    with obeya.TestServer() as server, server.client() as client:
        server.import_dir(power_query.FOLDER.parents[1] / "spec" / "plant")
        # Before the first date of the query.
        client.datasources.create_values(12, [{"value": 7, "value_date": "2026-02-28T12:00:00Z", "dimension": "late"}])
        authorization = {"Authorization": f"Bearer {token(server)}"}
        rows: list[dict[str, str]] = []
        for page in range(1, 100):
            answer = requests.get(
                f"{server.base_url}/{wanted.path}",
                params={**wanted.options, "page": str(page)},
                headers={"Accept": wanted.accept, **authorization},
                timeout=30,
            )
            assert answer.status_code == 200, answer.text
            part = list(csv.DictReader(answer.text.splitlines()))
            if not part:
                break
            rows += part
    # Those of spec/plant/datasource_values.jsonl.
    assert [(float(row["value"]), row["valueDate"]) for row in rows] == [(97.4, "2026-03-02T14:00:00Z"), (88, "2026-03-02T22:00:00Z")]
    typed = re.findall(r'\{"(\w+)", type', power_query.query("values"))
    assert typed == ["value", "valueDate"]

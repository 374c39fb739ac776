"""The report of a large plant: it fetches the incidents that count, page after page, and holds a few columns of them."""

from __future__ import annotations

import datetime
import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import obeya
import pytest
import relay
from obeya._report._gather import gather
from obeya._report._wanted import Wanted
from test_report import environment

TODAY = datetime.date(2026, 3, 2)

INCIDENTS = 95_520 if os.environ.get("OBEYA_TEST_LONG") else 6_000
"""Four years of a group of plants, or of one line."""

MEASURED = """
import re, resource, sys, time
from pathlib import Path
from obeya.__main__ import main
start = time.monotonic()
code = main(["report", "--today", "2026-03-02", "-o", sys.argv[1]])
status = Path("/proc/self/status")
if status.exists():
    # Not the resource usage, which on Linux counts what the parent had when it started this process.
    peak = int(re.search(r"VmHWM:\\s+(\\d+) kB", status.read_text())[1]) / 1024
else:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 ** 2
print(f"\\ncode {code} seconds {time.monotonic() - start:.2f} megabytes {peak:.0f}")
"""


def incident(number: int, dice: random.Random) -> dict[str, Any]:
    day = TODAY - datetime.timedelta(days=dice.randrange(1460))
    kind = dice.randrange(1, 5)
    done = dice.random() < 0.96
    resolved = {"resolvedDate": f"{day + datetime.timedelta(days=3)}T08:00:00Z"} if done else {}
    return {
        "id": number,
        "incidentTypeId": kind,
        "title": f"Leak of oil at press {number % 97}, seen in the morning",
        "text": "Reported by the operator at the machine. Made safe at once, and cleaned.",
        "incidentDate": str(day),
        "reportedDate": f"{day}T06:12:00Z",
        "severity": dice.choices(["None", "Low", "Medium", "High"], [50, 30, 18, 2])[0],
        "status": "Resolved" if done else "New",
        "followUpGroupId": dice.randrange(1, 14),
        "dueDate": f"{day + datetime.timedelta(days=21)}T12:00:00Z",
        "causes": [{"id": 10 * kind}] if number % 2 else [],
        **resolved,
    }


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the plant."""
    folder = tmp_path_factory.mktemp("large")
    dice = random.Random(19)
    plant = {
        "incident_types": [
            {"id": kind, "title": f"Type {kind}", "causes": [{"id": 10 * kind, "title": "Wear"}]} for kind in range(1, 5)
        ],
        "groups": [{"id": at, "type": "GENERAL", "name": f"Group {at}"} for at in range(1, 14)],
        "incidents": [incident(number, dice) for number in range(1, INCIDENTS + 1)],
    }
    for resource, lines in plant.items():
        (folder / f"{resource}.jsonl").write_text("".join(map("{}\n".format, map(json.dumps, lines))), encoding="utf-8")
    return folder


def test_only_the_incidents_that_count_are_fetched(large: Path) -> None:
    lines = [json.loads(line) for line in (large / "incidents.jsonl").read_text(encoding="utf-8").splitlines()]
    year = str(TODAY - datetime.timedelta(weeks=52))
    counting = {
        line["id"]
        for line in lines
        if line["incidentDate"] >= year
        or line["status"] == "New"
        or line["severity"] == "High"
        # Since midnight of the day before.
        or line.get("resolvedDate", "") >= "2026-03-01"
    }
    assert len(counting) < len(lines) / 2
    with obeya.TestServer() as server:
        server.import_dir(large)
        with relay.before(server.base_url) as line, obeya.Client(line.url, *server.credentials()) as client:
            found = gather(client, Wanted(title="Large", today=TODAY))
    # They are counted by a page of one incident, without a condition.
    pages = [exchange for exchange in line.exchanges if re.match(r"/v1/Incidents\?.*filter", exchange.target)]
    fetched = [record["id"] for page in pages for record in json.loads(page.body)["values"]]
    assert len(fetched) == len(counting) and set(fetched) == counting
    assert found.incidents == len(lines)
    assert found.recent == sum(year <= line["incidentDate"] < str(TODAY) for line in lines)


def test_memory_and_time_are_bounded(large: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with obeya.TestServer() as server:
        server.import_dir(large)
        environment(server, monkeypatch)
        done = subprocess.run(
            [sys.executable, "-c", MEASURED, str(tmp_path / "report.html")], capture_output=True, text=True, check=False
        )
    found = re.search(r"code 0 seconds ([\d.]+) megabytes (\d+)", done.stdout)
    assert found, done.stdout + done.stderr
    assert float(found[1]) <= 10
    assert int(found[2]) <= 300

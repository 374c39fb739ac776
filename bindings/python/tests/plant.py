"""A small plant as the import takes it. Expected values in the tests are read off these lines or computed from them."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

VALUES = 2500
"""How many values datasource 1 has: more than two pages of a thousand."""

AREAS = 1203
"""How many areas there are: more than one page of a v2 list."""

START = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)


def value_date(n: int) -> datetime.datetime:
    """When value n of datasource 1 was measured; n counts from 1."""
    return START + datetime.timedelta(minutes=15 * n)


def value(n: int) -> float:
    """Value n of datasource 1."""
    return n * 0.5


def area_of_value(n: int) -> int | None:
    """The area of value n: every third has none."""
    return None if n % 3 == 0 else 2


def line_of_value(n: int) -> str:
    """The dimension of value n."""
    return f"Line {n % 4 + 1}"


PLANT: dict[str, list[dict[str, Any]]] = {
    "projects": [{"id": 1, "name": "Nordlys"}],
    "areas": [
        {"id": 1, "name": "Foundry", "description": "Casting and shake-out"},
        {"id": 2, "name": "Assembly"},
        *({"id": n, "name": f"Cell {n}"} for n in range(3, AREAS + 1)),
    ],
    "groups": [
        {"id": 1, "type": "BUSINESSUNIT", "name": "Plant", "isSystemGroup": True, "level": 0},
        {"id": 2, "type": "GENERAL", "name": "Mechanics", "parentId": 1, "level": 1, "externalId": "HR-2"},
    ],
    "users": [
        {"id": "u1", "userName": "kari.vik", "displayName": "Kari Vik", "groups": [1, 2]},
        {"id": "u2", "userName": "ola", "displayName": "Ola Næss"},
    ],
    "boards": [
        {
            "id": 7,
            "name": "Tavle",
            "description": "Tier 1",
            "boardType": "Weekly",
            "isPublic": True,
            "groupId": 2,
            "rows": [{"id": 1, "name": "Safety", "sortOrder": 1, "responsibleUserId": "u1"}],
            "columns": [{"id": 2, "name": "Monday", "weekDay": "Monday"}],
        },
    ],
    "incident_types": [
        {
            "id": 3,
            "title": "Equipment failure",
            "categories": [{"id": 31, "title": "Hydraulics", "sortOrder": 1, "children": [{"id": 32, "title": "Leak"}]}],
            "causes": [{"id": 33, "title": "Wear"}, {"id": 36, "title": "Misuse"}],
            "consequences": [{"id": 34, "title": "Downtime", "unit": "min"}],
            "customFields": [{"id": 35, "label": "Machine", "type": "text"}],
            "translations": {"nb": {"title": "Utstyrsfeil", "causes": [{"id": 33, "title": "Slitasje"}]}},
        },
    ],
    "incidents": [
        {
            "id": 10,
            "incidentTypeId": 3,
            "title": "Leak on line 2",
            "text": "Oil below the press",
            "incidentDate": "2025-05-20",
            "reportedDate": "2025-05-20T06:12:00.1234567Z",
            "status": "New",
            "severity": "High",
            "categories": [{"id": 32}],
        },
        {
            "id": 11,
            "incidentTypeId": 3,
            "title": "Entered twice",
            "incidentDate": "2025-05-25",
            "severity": "Low",
            "categories": [{"id": 31}],
            # In the trash for some days yet, whenever the tests run.
            "deletedDate": datetime.datetime.now(datetime.timezone.utc).isoformat(),
        },
    ],
    "incident_comments": [
        {"id": 100, "incidentId": 10, "text": "The old batch", "commentDate": "2025-05-20T07:00:00", "commentedBy": "Night shift"},
        {"id": 101, "incidentId": 10, "text": "Looking", "commentDate": "2025-05-20T08:00:00.5Z", "commentedByUserId": "u1", "parentId": 100},
    ],
    "improvements": [
        {
            "id": 5,
            "status": "Planned",
            "title": "Shadow board",
            "text": "Tools on the wall",
            "groupId": 2,
            "suggestionDate": "2025-01-10T09:00:00Z",
            "estimatedGainOfInvestment": 1200.5,
            "externalId": "I-5",
        },
    ],
    "tasks": [{"id": 1, "title": "Order a clamp", "status": "NotStarted", "boardId": 7, "tags": ["fixture"]}],
    "task_comments": [{"id": 1, "taskId": 1, "text": "Ordered", "commentDate": "2025-05-20T07:00:00Z", "commentedByUserId": "u1"}],
    "datasources": [{"id": 1, "title": "Output"}, {"id": 2, "title": "Nothing yet"}],
    "datasource_values": [
        {
            "id": n,
            "dataSourceId": 1,
            "value": value(n),
            "valueDate": value_date(n).isoformat(),
            "registrationDate": "2026-02-01T00:00:00.1234567Z",
            "areaId": area_of_value(n),
            "dimension": line_of_value(n),
            "description": "cold start" if n == 1 else None,
        }
        for n in range(1, VALUES + 1)
    ],
}


def write(folder: Path) -> None:
    """Writes a file of JSON Lines for each resource."""
    for resource, lines in PLANT.items():
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / f"{resource}.jsonl").write_text(text, encoding="utf-8")

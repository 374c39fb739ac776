"""Every operation of the specification has a method, in both clients, that makes this request only."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import canned
import obeya
import pytest

SPEC = Path(__file__).parents[3] / "spec" / "generated" / "openapi.json"

VALUE = {"value": 1, "value_date": "2026-03-02T06:00:00Z"}
USER = {"user_name": "x", "email": "x@plant.example", "first_name": "X", "last_name": "Y"}
INCIDENT = {"incident_type_id": 3, "severity": "Low", "title": "x", "incident_date": "2026-03-02"}

# A text in a path, which must be encoded.
NUMBER = "P 1/a"

METHODS: dict[str, Callable[[Any], Any]] = {
    "listAreas": lambda client: client.areas.list(),
    "getArea": lambda client: client.areas.get(1),
    "listBoardsV2": lambda client: client.boards.list(),
    "getBoardV2": lambda client: client.boards.get(1),
    "listBoardsV1": lambda client: client.boards.list_v1(),
    "getBoardV1": lambda client: client.boards.detail(1),
    "listGroupsV2": lambda client: client.groups.list(),
    "getGroup": lambda client: client.groups.get(1),
    "listGroupsV1": lambda client: client.groups.list_v1(),
    "listIncidentComments": lambda client: client.comments.list(),
    "listCommentsOfIncidentV2": lambda client: client.comments.of_incident(1),
    "listCommentsOfIncidentV1": lambda client: client.comments.of_incident_v1(1),
    "getIncidentComment": lambda client: client.comments.get(1),
    "getCommentOfIncident": lambda client: client.comments.get_of_incident(1, 2),
    "listIncidentsV1": lambda client: client.incidents.list(),
    "listIncidentsV2": lambda client: client.incidents.list_v2(),
    "getIncidentV1": lambda client: client.incidents.get(1),
    "getIncidentV2": lambda client: client.incidents.get_v2(1),
    "createIncident": lambda client: client.incidents.create(**INCIDENT, categories=[1]),
    "updateIncident": lambda client: client.incidents.update(1, **INCIDENT),
    "updateIncidentStatus": lambda client: client.incidents.set_status(1, "New"),
    "updateIncidentSeverity": lambda client: client.incidents.set_severity(1, "Low"),
    "updateIncidentResponsible": lambda client: client.incidents.set_responsible(1, 2, "u1"),
    "updateIncidentCategories": lambda client: client.incidents.set_categories(1, [2]),
    "updateIncidentCauses": lambda client: client.incidents.set_causes(1, [2]),
    "updateIncidentConsequences": lambda client: client.incidents.set_consequences(1, [2]),
    "updateIncidentCustomField": lambda client: client.incidents.set_custom_field(1, 2, "x"),
    "updateIncidentExternalId": lambda client: client.incidents.set_external_id(1, "x"),
    "deleteIncident": lambda client: client.incidents.delete(1),
    "restoreIncident": lambda client: client.incidents.restore(1),
    "listTrashedIncidents": lambda client: client.incidents.trash(),
    "listIncidentTypesV1": lambda client: client.incidents.types(),
    "getIncidentTypeV1": lambda client: client.incidents.type_detail(1),
    "listIncidentTypesV2": lambda client: client.incidents.types_v2(),
    "getIncidentTypeV2": lambda client: client.incidents.type_v2(1),
    "listTypesOfIncident": lambda client: client.incidents.types_of_incident(1),
    "getTypeOfIncident": lambda client: client.incidents.type_of_incident(1, 2),
    "listImprovementsV1": lambda client: client.improvements.list(),
    "getImprovementV1": lambda client: client.improvements.get(1),
    "listImprovementsV2": lambda client: client.improvements.list_v2(),
    "getImprovementV2": lambda client: client.improvements.get_v2(1),
    "createImprovement": lambda client: client.improvements.create(title="x", suggested_by_user_id="u1"),
    "updateImprovement": lambda client: client.improvements.update(1, title="x"),
    "deleteImprovement": lambda client: client.improvements.delete(1),
    "listDatasourcesV1": lambda client: client.datasources.list(),
    "getDatasourceV1": lambda client: client.datasources.get(1),
    "listDatasourceValuesV1": lambda client: client.datasources.values(1),
    "listDatasourcesV2": lambda client: client.datasources.list_v2(),
    "getDatasourceV2": lambda client: client.datasources.get_v2(1),
    "listDatasourceValuesV2": lambda client: client.datasources.values_v2(1),
    "createDatasourceValue": lambda client: client.datasources.create_value(1, **VALUE),
    "updateDatasourceValue": lambda client: client.datasources.update_value(1, 2, **VALUE),
    "deleteDatasourceValue": lambda client: client.datasources.delete_value(1, 2),
    "createDatasourceValues": lambda client: client.datasources.create_values(1, [VALUE]),
    "deleteDatasourceValues": lambda client: client.datasources.delete_values(1, [2]),
    "replaceDatasourceValues": lambda client: client.datasources.replace_values(
        1, [VALUE], start="2026-03-01", end="2026-03-03"
    ),
    "createGroup": lambda client: client.groups.create(name="x"),
    "deleteGroup": lambda client: client.groups.delete(1),
    "listGroupMembers": lambda client: client.groups.members(1),
    "putGroupMember": lambda client: client.groups.put_member(1, user_id="u1", group_role="Viewer"),
    "removeGroupMember": lambda client: client.groups.remove_member(1, "u1"),
    "listDataLists": lambda client: client.data_lists.list(),
    "listDataListItems": lambda client: client.data_lists.items(1),
    "createDataListItem": lambda client: client.data_lists.create_item(1, identifier="x"),
    "listProjects": lambda client: client.projects.list(),
    "createProject": lambda client: client.projects.create(project_number="x", name="y"),
    "getProject": lambda client: client.projects.get(NUMBER),
    "deleteProject": lambda client: client.projects.delete(NUMBER),
    "listProjectMilestones": lambda client: client.projects.milestones(NUMBER),
    "createProjectMilestone": lambda client: client.projects.create_milestone(NUMBER, name="y"),
    "updateProjectMilestone": lambda client: client.projects.update_milestone(NUMBER, 1, name="y"),
    "deleteProjectMilestone": lambda client: client.projects.delete_milestone(NUMBER, 1),
    "listTasksOfBoard": lambda client: client.boards.tasks(1),
    "createTaskOfBoard": lambda client: client.boards.create_task(1, title="x"),
    "listAttachmentsOfIncident": lambda client: client.incidents.attachments(1),
    "listTasksOfIncident": lambda client: client.incidents.tasks(1),
    "listTasksOfProject": lambda client: client.projects.tasks(NUMBER),
    "createTaskOfProject": lambda client: client.projects.create_task(NUMBER, title="x"),
    "createTaskV1": lambda client: client.tasks.create(title="x"),
    "createTaskV2": lambda client: client.tasks.create_v2(title="x", status="Blocked"),
    "getTaskV1": lambda client: client.tasks.get(1),
    "listTasks": lambda client: client.tasks.list(),
    "getTaskV2": lambda client: client.tasks.get_v2(1),
    "updateTaskV1": lambda client: client.tasks.update(1, title="x"),
    "updateTaskV2": lambda client: client.tasks.update_v2(1, title="x", status="Blocked"),
    "patchTask": lambda client: client.tasks.patch(1, color=None),
    "deleteTaskV1": lambda client: client.tasks.delete(1),
    "deleteTaskV2": lambda client: client.tasks.delete_v2(1, mode="Detach"),
    "listTaskComments": lambda client: client.tasks.comments(),
    "createTaskComment": lambda client: client.tasks.create_comment(task_id=1, comment="x"),
    "getTaskComment": lambda client: client.tasks.comment(1),
    "deleteTaskComment": lambda client: client.tasks.delete_comment(1),
    "listCommentsOfTask": lambda client: client.tasks.comments_of(1),
    "getCommentOfTask": lambda client: client.tasks.comment_of(1, 1),
    "deleteCommentOfTask": lambda client: client.tasks.delete_comment_of(1, 1),
    "getIncidentAttachmentContent": lambda client: client.incidents.attachment_content(1, 2),
    "createIncidentAttachment": lambda client: client.incidents.add_attachment(1, "x.txt", b"x"),
    "deleteIncidentAttachment": lambda client: client.incidents.delete_attachment(1, 2),
    "getTaskAttachmentContent": lambda client: client.tasks.attachment_content(1, 2),
    "createTaskAttachment": lambda client: client.tasks.add_attachment(1, "x.txt", b"x"),
    "deleteTaskAttachment": lambda client: client.tasks.delete_attachment(1, 2),
    "createSubTask": lambda client: client.tasks.create_sub_task(1, title="x"),
    "listUsersV1": lambda client: client.users.list_v1(),
    "listUsersV2": lambda client: client.users.list(),
    "getUserV1": lambda client: client.users.get_v1("u1"),
    "getUserV2": lambda client: client.users.get("u1"),
    "createUserV1": lambda client: client.users.create_v1(**USER),
    "createUserV2": lambda client: client.users.create(**USER, type="NORMAL"),
    "updateUserV1": lambda client: client.users.update_v1("u1", **USER),
    "updateUserV2": lambda client: client.users.update("u1", **USER, type="NORMAL"),
    "patchUser": lambda client: client.users.patch("u1", external_id=None),
    "updateUserByUserName": lambda client: client.users.update_by_user_name("x", **USER),
    "deleteUserV1": lambda client: client.users.delete_v1("u1"),
    "deleteUserV2": lambda client: client.users.delete("u1"),
    "listGroupsOfUser": lambda client: client.users.groups("u1"),
    "listUsersOfRole": lambda client: client.users.of_role("Lead"),
    "addUserRole": lambda client: client.users.add_role("u1", "Lead"),
    "removeUserRole": lambda client: client.users.remove_role("u1", "Lead"),
    "ping": lambda client: client.ping(),
}


def operations() -> dict[str, tuple[str, str]]:
    """Method and path of each operation."""
    paths = json.loads(SPEC.read_text(encoding="utf-8"))["paths"]
    return {
        operation["operationId"]: (method.upper(), path)
        for path, item in paths.items()
        for method, operation in item.items()
        if "operationId" in operation
    }


def is_at(path: str, template: str) -> bool:
    template = template.replace("{projectNumber}", quote(NUMBER, safe="")).replace("{userId}", "u1").replace("{role}", "Lead")
    return re.fullmatch(re.sub(r"\{\w+\}", "[0-9]+", template), path) is not None


def test_every_operation_is_a_method() -> None:
    assert set(METHODS) == set(operations())


@pytest.mark.parametrize("operation", METHODS)
def test_the_method_asks_for_the_operation(operation: str) -> None:
    async def awaited(url: str) -> None:
        async with obeya.AsyncClient(url, token="t", max_retries=0) as client:
            answer = METHODS[operation](client)
            await (answer.page() if isinstance(answer, obeya.AsyncRecords) else answer)

    def waited(url: str) -> None:
        with obeya.Client(url, token="t", max_retries=0) as client:
            answer = METHODS[operation](client)
            if isinstance(answer, obeya.Records):
                answer.page()

    wanted, template = operations()[operation]
    for ask in (waited, lambda url: asyncio.run(awaited(url))):
        with canned.refusing() as service:
            with pytest.raises(obeya.APIStatusError) as caught:
                ask(service.url)
        assert caught.value.operation == operation
        ((method, path),) = service.requests
        assert method == wanted
        assert is_at(path.partition("?")[0], template)


def methods_of(class_: type) -> dict[str, Callable[..., Any]]:
    """The methods for users, of the class and of what its attributes lead to."""
    found: dict[str, Callable[..., Any]] = {}
    for name, thing in vars(class_).items():
        if isinstance(thing, property) and name in RESOURCES:
            resource = getattr(obeya, ("Async" if class_ is obeya.AsyncClient else "") + name.title().replace("_", ""))
            found |= {f"{name}.{inner}": method for inner, method in vars(resource).items() if not inner.startswith("_")}
        elif callable(thing) and not name.startswith("_"):
            found[name] = thing
    return found


RESOURCES = {
    "areas",
    "boards",
    "groups",
    "comments",
    "incidents",
    "improvements",
    "data_lists",
    "projects",
    "tasks",
    "users",
    "datasources",
}


def test_both_clients_have_the_same_methods_with_the_same_words() -> None:
    ours, theirs = methods_of(obeya.Client), methods_of(obeya.AsyncClient)
    assert set(ours) == set(theirs)
    assert len(ours) >= len(METHODS)
    for name, method in ours.items():
        assert method.__doc__, name
        assert method.__doc__ == theirs[name].__doc__, name
        assert method.__kwdefaults__ == theirs[name].__kwdefaults__, name

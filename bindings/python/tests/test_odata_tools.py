"""The service read by a third-party OData client: python-odata, which knows an address, a token and the standard."""

from __future__ import annotations

import datetime
import json
import urllib.parse
import urllib.request
from typing import Any
from xml.etree import ElementTree

import obeya
import plant
import pytest
import requests
from odata import ODataService
from odata.exceptions import ODataError

UTC = datetime.timezone.utc
EDM = "{http://docs.oasis-open.org/odata/ns/edm}"


@pytest.fixture(scope="module")
def session(server: obeya.TestServer) -> requests.Session:
    client_id, secret = server.credentials(["public.api.read"])
    form = {"grant_type": "client_credentials", "client_id": client_id, "client_secret": secret}
    answer = requests.post(f"{server.base_url}/connect/token", data=form, timeout=30)
    session = requests.Session()
    session.headers["Authorization"] = f"Bearer {answer.json()['access_token']}"
    return session


@pytest.fixture(scope="module")
def service(server: obeya.TestServer, session: requests.Session) -> Any:
    """The client, with its classes made from our `$metadata`."""
    return ODataService(f"{server.base_url}/v2/", session=session, reflect_entities=True, quiet_progress=True)


def test_the_service_document_leads_to_the_sets(server: obeya.TestServer, session: requests.Session) -> None:
    with urllib.request.urlopen(f"{server.base_url}/v2") as answer:
        document = json.load(answer)
    context = document["@odata.context"]
    assert [item["name"] for item in document["value"]] == [
        "areas", "boards", "datasources", "groups", "improvements", "comments", "incidents", "incidentTypes",
        "tasks", "taskComments", "users",
    ]
    for item in document["value"]:
        # An address in the document is relative to the context.
        listed = session.get(urllib.parse.urljoin(context, item["url"]), timeout=30)
        named = session.get(urllib.parse.urljoin(context, item["name"]), timeout=30)
        assert listed.json()["value"] == named.json()["value"] != []


def test_the_description_refers_to_nothing_it_does_not_hold(server: obeya.TestServer) -> None:
    with urllib.request.urlopen(f"{server.base_url}/v2/$metadata") as answer:
        root = ElementTree.fromstring(answer.read())
    (schema,) = root.iter(f"{EDM}Schema")
    namespace = schema.attrib["Namespace"]
    types = {f"{namespace}.{of.attrib['Name']}": of for of in schema if of.tag in {f"{EDM}EntityType", f"{EDM}EnumType"}}
    named = [of.attrib["Type"] for of in schema.iter() if "Type" in of.attrib]
    named += [of.attrib["EntityType"] for of in schema.iter(f"{EDM}EntitySet")]
    for name in named:
        name = name.removeprefix("Collection(").removesuffix(")")
        assert name in types or name.startswith("Edm."), name
    sets = {of.attrib["Name"] for of in schema.iter(f"{EDM}EntitySet")}
    assert {of.attrib["Target"] for of in schema.iter(f"{EDM}NavigationPropertyBinding")} <= sets
    for of in schema.iter(f"{EDM}EntityType"):
        properties = {property.attrib["Name"]: property.attrib for property in of.iter(f"{EDM}Property")}
        for key in of.iter(f"{EDM}PropertyRef"):
            assert properties[key.attrib["Name"]]["Nullable"] == "false"
        for constraint in of.iter(f"{EDM}ReferentialConstraint"):
            assert constraint.attrib["Property"] in properties


def test_the_client_makes_its_classes_of_the_description(service: Any) -> None:
    assert set(service.entities) == {
        "areas", "boards", "datasources", "groups", "improvements", "incidents", "incidentTypes", "comments",
        "tasks", "taskComments", "users",
    }
    assert [member.name for member in service.types["Obeya.BoardType"]] == ["Weekly", "Kanban", "SmartActionList", "Yearly"]


def test_a_set_is_read_to_its_end(service: Any) -> None:
    areas = service.query(service.entities["areas"]).all()
    assert [area.id for area in areas] == list(range(1, plant.AREAS + 1))
    assert (areas[0].name, areas[0].description) == ("Foundry", "Casting and shake-out")
    assert areas[1].description is None


def test_a_set_is_filtered_ordered_and_counted(service: Any) -> None:
    Area = service.entities["areas"]
    # 12, 120 to 129 and 1200 to 1203 begin so.
    cells = service.query(Area).filter(Area.name.startswith("Cell 12"))
    assert cells.count() == 1 + 10 + 4
    page = cells.order_by(Area.id.desc()).offset(1).limit(2)
    assert [area.name for area in page] == ["Cell 1202", "Cell 1201"]
    either = (Area.name == "Foundry") | ((Area.id > 1200) & Area.description.is_null())
    assert [area.id for area in service.query(Area).filter(either)] == [1, 1201, 1202, 1203]
    assert service.query(Area).select(Area.name).limit(1).all() == [{"name": "Foundry"}]


def test_groups_with_what_hangs_on_them(service: Any) -> None:
    Group = service.entities["groups"]
    GroupType = service.types["Obeya.GroupType"]
    query = service.query(Group).filter(Group.type == GroupType.GENERAL)
    (group,) = query.expand(Group.parent, Group.boards, Group.users)
    assert (group.id, group.name, group.level, group.isSystemGroup) == (2, "Mechanics", 1, False)
    assert group.type is GroupType.GENERAL
    assert group.parent.name == "Plant"
    assert [board.id for board in group.boards] == [7]
    assert [user.displayName for user in group.users] == ["Kari Vik"]


def test_boards_by_what_their_group_is(service: Any) -> None:
    Board = service.entities["boards"]
    (board,) = service.query(Board).filter(Board.group.level >= 1).expand(Board.group)
    assert (board.name, board.isPublic, board.boardType.name, board.group.id) == ("Tavle", True, "Weekly", 2)
    assert service.query(Board).filter(Board.group.externalId != "HR-2").all() == []


def test_areas_are_grouped_by_the_service(service: Any) -> None:
    Area = service.entities["areas"]
    query = service.query(Area)
    grouped = query.raw({"$apply": "groupby((description),aggregate(id with countdistinct as n))"})
    assert {"description": "Casting and shake-out", "n": 1} in grouped
    assert sum(group["n"] for group in grouped) == plant.AREAS
    names = query.apply("filter(id gt 1)/groupby((name))").filter(Area.name.startswith("Cell 120")).order_by(Area.name.asc())
    assert [area.name for area in names] == ["Cell 120", "Cell 1200", "Cell 1201", "Cell 1202", "Cell 1203"]


def test_comments_after_an_instant(service: Any) -> None:
    Comment = service.entities["comments"]
    after = datetime.datetime(2025, 5, 20, 9, 30, tzinfo=datetime.timezone(datetime.timedelta(hours=2)))
    (comment,) = service.query(Comment).filter(Comment.commentDate > after).expand(Comment.incident)
    assert (comment.id, comment.text, comment.parentId) == (101, "Looking", 100)
    assert comment.commentDate == datetime.datetime(2025, 5, 20, 8, 0, 0, 500_000, UTC)
    assert comment.incident.title == "Leak on line 2"


def test_a_record_is_read_again_by_its_key(service: Any) -> None:
    connection = service.default_context.connection
    for name, id in [("areas", 1), ("boards", 7), ("groups", 2), ("comments", 100)]:
        record = service.query(service.entities[name]).get(id)
        url = record.__odata__.instance_url
        assert url.endswith(f"/v2/{name}({id})")
        assert connection.execute_get(url)["id"] == id


def test_what_was_not_expanded_is_fetched_when_it_is_looked_at(service: Any) -> None:
    groups = service.query(service.entities["groups"])
    group = groups.get(2)
    assert [board.name for board in group.boards] == ["Tavle"]
    assert [user.userName for user in group.users] == ["kari.vik"]
    assert group.parent.name == "Plant"
    # A group without a parent leads nowhere, which is no error.
    assert groups.get(1).parent is None
    comment = service.query(service.entities["comments"]).get(101)
    assert (comment.parent.id, comment.incident.id) == (100, 10)


def test_a_mistake_is_an_error_of_the_client(service: Any) -> None:
    Area = service.entities["areas"]
    query = service.query(Area).filter("nmae eq 'Foundry'")
    with pytest.raises(ODataError, match="HTTP 400"):
        query.all()

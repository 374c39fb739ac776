"""The reading operations, against the lines of the plant."""

from __future__ import annotations

import datetime
from typing import Any

import canned
import numpy as np
import obeya
import plant
import pytest

UTC = datetime.timezone.utc


def test_list_areas(client: obeya.Client) -> None:
    page = client.areas.list(where="startswith(name,'Cell 12')", order_by="id desc", top=2, skip=1, count=True).page()
    # 12, 120 to 129 and 1200 to 1203 begin so.
    assert page.count == 1 + 10 + 4
    assert [area.name for area in page] == ["Cell 1202", "Cell 1201"]
    assert len(page) == 2
    assert page[-1].id == 1201
    assert page[:1] == (page.items[0],)
    assert repr(page) == "<obeya.Page: 2 of 15 records>"


def test_a_list_that_is_too_long_for_a_page_has_a_next_link(client: obeya.Client) -> None:
    page = client.areas.list().page()
    assert len(page) < plant.AREAS
    assert page.next_link is not None
    assert page.count is None


def test_iterating_follows_next_links(client: obeya.Client) -> None:
    areas = client.areas.list()
    assert [area.id for area in areas] == list(range(1, plant.AREAS + 1))
    pages = list(areas.pages())
    assert [page.next_link is None for page in pages] == [False, True]
    assert sum(map(len, pages)) == plant.AREAS


def test_a_list_can_be_read_again_and_an_iterator_is_used_up(client: obeya.Client) -> None:
    areas = client.areas.list(top=2)
    for _ in range(2):
        assert [area.id for area in areas] == [1, 2]
    iterator = iter(areas)
    assert list(iterator) == areas.all()
    assert list(iterator) == []


def test_a_list_fetches_nothing_before_it_is_read() -> None:
    with obeya.Client(f"http://127.0.0.1:{canned.closed_port()}", token="t", max_retries=0) as client:
        areas = client.areas.list(where="nonsense")
        iterator, pages = iter(areas), areas.pages()
        assert repr(areas) == "<obeya.GroupableRecords of areas>"
        for read in (lambda: next(iterator), lambda: next(pages), areas.page, areas.first, areas.count, areas.all):
            with pytest.raises(obeya.APIConnectionError):
                read()
        # After a failure there is nothing more.
        assert list(iterator) == list(pages) == []


def test_the_first_and_how_many(client: obeya.Client) -> None:
    cells = client.areas.list(where="startswith(name,'Cell 12')", order_by="id desc", skip=1)
    first = cells.first()
    assert first is not None
    assert first.name == "Cell 1202"
    # All matches, independent of `skip` and `top`.
    assert cells.count() == client.areas.list(where="startswith(name,'Cell 12')", top=3).count() == 15
    nothing = client.areas.list(where="id lt 0")
    assert (nothing.first(), nothing.count(), nothing.all()) == (None, 0, [])
    assert client.areas.list(top=0).first() is None


def test_lists_without_pages_have_the_same_face(client: obeya.Client) -> None:
    types = client.incidents.types()
    first = types.first()
    assert first is not None
    assert (first.id, types.count(), len(types.page()), len(list(types.pages()))) == (3, 1, 1, 1)
    assert types.page().count == 1
    assert types.all() == [first]


def test_numbered_lists_have_the_same_face(client: obeya.Client) -> None:
    incidents = client.incidents.list(order_by="id", page_size=1, where="id le 10")
    first = incidents.first()
    assert first is not None
    assert first.id == 10
    assert incidents.count() == 1
    assert [len(page) for page in incidents.pages()] == [1]
    assert (len(incidents.page(1)), len(incidents.page(2))) == (1, 0)
    assert repr(incidents) == "<obeya.IncidentRecords of incidents>"


def test_a_link_that_leads_elsewhere_is_not_followed() -> None:
    with canned.answering(200, '{"value": [{"id": 1}], "@odata.nextLink": "http://elsewhere.example/"}') as url:
        areas = iter(obeya.Client(url, token="t").areas.list())
        with pytest.raises(obeya.APIResponseError, match="the next link was not followed"):
            next(areas)
        assert list(areas) == []


def test_a_service_that_does_not_count_says_so() -> None:
    with canned.answering(200, '{"value": []}') as url, pytest.raises(obeya.APIResponseError, match="how many records"):
        obeya.Client(url, token="t").areas.list().count()


def test_options_take_lists_of_names(client: obeya.Client) -> None:
    page = client.areas.list(select=["id", "description"], order_by=["name", "id"], top=1).page()
    assert page[0] == obeya.Area.from_dict({"id": 2, "description": None})
    assert page[0].name is None


def test_search(client: obeya.Client) -> None:
    assert [area.id for area in client.areas.list(search="casting")] == [1]


def test_get_area(client: obeya.Client) -> None:
    area = client.areas.get(1)
    assert (area.id, area.name, area.description) == (1, "Foundry", "Casting and shake-out")
    assert client.areas.get(1, select="name").id is None


def test_list_boards(client: obeya.Client) -> None:
    (board,) = client.boards.list()
    assert (board.id, board.name, board.board_type, board.is_public, board.group) == (7, "Tavle", "Weekly", True, None)
    assert [board.id for board in client.boards.list()] == [7]


def test_get_board(client: obeya.Client) -> None:
    board = client.boards.get(7, expand="group")
    assert board.group is not None
    assert (board.group.id, board.group.name) == (2, "Mechanics")


def test_get_board_detail(client: obeya.Client) -> None:
    board = client.boards.detail(7)
    assert (board.description, board.group_name) == ("Tier 1", "Mechanics")
    (row,) = board.rows
    assert (row.id, row.name, row.responsible_user) == (1, "Safety", "kari.vik")
    (column,) = board.columns
    assert (column.week_day, column.is_column_category) == ("Monday", False)


def test_list_groups(client: obeya.Client) -> None:
    plant_group, mechanics = client.groups.list(expand="parent,users")
    assert plant_group.type == "BUSINESSUNIT"
    assert plant_group.is_system_group is True
    assert mechanics.parent is not None
    assert mechanics.parent.name == "Plant"
    assert mechanics.users is not None
    assert [user.display_name for user in mechanics.users] == ["Kari Vik"]
    assert [group.id for group in client.groups.list(where="parentId eq null")] == [1]


def test_get_group(client: obeya.Client) -> None:
    group = client.groups.get(2, select=["externalId"], expand=["boards"])
    assert group.external_id == "HR-2"
    assert group.boards is not None
    assert [board.name for board in group.boards] == ["Tavle"]
    assert group.users is None


def test_list_incident_comments(client: obeya.Client) -> None:
    first, second = client.comments.list()
    assert (first.id, first.commented_by) == (100, "Night shift")
    assert first.comment_date == datetime.datetime(2025, 5, 20, 7, tzinfo=UTC)
    assert second.comment_date == datetime.datetime(2025, 5, 20, 8, 0, 0, 500_000, tzinfo=UTC)
    assert [comment.id for comment in client.comments.list(order_by="id desc")] == [101, 100]


def test_list_comments_of_incident(client: obeya.Client) -> None:
    page = client.comments.of_incident(10, where="parentId ne null")
    assert [(comment.id, comment.incident_id) for comment in page] == [(101, 10)]
    assert [comment.id for comment in client.comments.of_incident(10)] == [100, 101]


def test_get_incident_comment(client: obeya.Client) -> None:
    comment = client.comments.get(101, expand=["parent", "incident"])
    assert comment.text == "Looking"
    assert comment.parent is not None
    assert comment.parent.text == "The old batch"
    assert comment.incident is not None
    assert comment.incident.title == "Leak on line 2"


def test_get_incident_type(client: obeya.Client) -> None:
    kind = client.incidents.type_detail(3)
    assert kind.title == "Equipment failure"
    (hydraulics,) = kind.categories
    assert [child.title for child in hydraulics.children] == ["Leak"]
    assert [cause.title for cause in kind.causes] == ["Wear", "Misuse"]
    assert [(consequence.title, consequence.unit) for consequence in kind.consequences] == [("Downtime", "min")]
    assert [field.label for field in kind.custom_fields] == ["Machine"]


def test_get_incident_type_in_another_language(client: obeya.Client) -> None:
    kind = client.incidents.type_detail(3, language="nb")
    assert kind.title == "Utstyrsfeil"
    # Untranslated text is as it was written.
    assert [cause.title for cause in kind.causes] == ["Slitasje", "Misuse"]


def test_list_trashed_incidents(client: obeya.Client) -> None:
    trash = client.incidents.trash(where="title eq 'Entered twice'")
    assert trash.count() == 1
    (incident,) = trash
    assert (incident.id, incident.title) == (11, "Entered twice")
    assert incident.incident_date == datetime.date(2025, 5, 25)
    assert client.incidents.trash(where="id eq 11 and severity eq 'High'").all() == []


def test_an_unknown_option_is_named(client: obeya.Client) -> None:
    with pytest.raises(TypeError, match=r"list\(\) got an unexpected keyword argument 'filtr'"):
        client.areas.list(filtr="id eq 1")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="argument 'top'"):
        client.areas.list(top="many")  # type: ignore[arg-type]


def test_an_id_is_an_id_or_the_record_that_has_it(client: obeya.Client) -> None:
    area = client.areas.get(2)
    assert client.areas.get(area) == area
    assert client.boards.get(client.boards.get(7)).id == client.boards.detail(7).id == 7
    assert client.comments.get(client.comments.of_incident_v1(10).all()[0]).id == 100
    for board in (client.boards.list().first(), client.boards.list_v1().first(), client.boards.detail(7)):
        assert board is not None
        assert client.boards.detail(board).id == 7
    for incident in (client.incidents.get(10), client.incidents.get_v2(10)):
        assert client.incidents.get(incident).id == client.incidents.get_v2(incident).id == 10
        assert client.comments.of_incident(incident).count() == client.comments.of_incident_v1(incident).count() == 2
    trashed = client.incidents.trash().first()
    assert trashed is not None
    with pytest.raises(obeya.NotFoundError):
        client.incidents.get(trashed)
    for kind in (client.incidents.types().first(), client.incidents.type_detail(3), client.incidents.types_v2().first()):
        assert kind is not None
        assert client.incidents.type_detail(kind).id == client.incidents.type_v2(kind).id == kind.id
        assert client.incidents.list(type=kind).first() is not None
    for datasource in (client.datasources.list().first(), client.datasources.get(1)):
        assert datasource is not None
        values = client.datasources.values(datasource)
        assert repr(values) == "<obeya.Values of datasource 1>"
        # The type of ids in a column; the annotations know Python's integers only.
        number: Any = np.int32(1)
        assert values.count() == client.datasources.values(number).count()
    with pytest.raises(TypeError, match="expected an id or Board that has one"):
        client.boards.get(area)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="found bool; expected an id or Area that has one"):
        client.areas.get(True)
    with pytest.raises(TypeError, match="expected an id or Area that has one"):
        # An area that was read without its id.
        client.areas.get(client.areas.get(2, select="name"))


def test_lists_of_v1(client: obeya.Client) -> None:
    (board,) = client.boards.list_v1()
    assert (board.id, board.group_name) == (7, "Mechanics")
    assert [group.name for group in client.groups.list_v1()] == ["Plant", "Mechanics"]
    assert [group.name for group in client.groups.list_v1(order_by="name")] == ["Mechanics", "Plant"]
    assert [group.name for group in client.groups.list_v1(where=obeya.F.name == "Plant")] == ["Plant"]
    assert client.boards.list_v1(where="id eq 7").count() == 1
    assert client.boards.list_v1(where="id eq 8").count() == 0
    with pytest.raises(ValueError, match="did you mean `Weekly`"):
        client.boards.list_v1(where=obeya.F.board_type == "weekly")
    comments = client.comments.of_incident_v1(10).all()
    assert [(comment.id, comment.comment) for comment in comments] == [(100, "The old batch"), (101, "Looking")]


def test_incidents(client: obeya.Client) -> None:
    incident = client.incidents.get(10)
    assert (incident.title, incident.severity, incident.incident_date) == ("Leak on line 2", "High", datetime.date(2025, 5, 20))
    assert client.incidents.get(incident) == incident

    def ids(**options: Any) -> list[int]:
        return [incident.id for incident in client.incidents.list(where="id le 10", **options)]

    assert ids() == ids(type=3) == ids(type=client.incidents.types().first()) == [10]
    assert ids(type=4) == []
    # Both days are included.
    assert ids(incident_start="2025-05-20", incident_end=datetime.date(2025, 5, 20)) == [10]
    assert ids(incident_start=datetime.date(2025, 5, 21)) == ids(incident_end="2025-05-19") == []
    changed = incident.last_modified
    assert changed is not None
    assert ids(
        modified_start=changed - datetime.timedelta(seconds=1), modified_end=changed + datetime.timedelta(seconds=1)
    ) == [10]
    assert ids(modified_start=changed + datetime.timedelta(seconds=1)) == []
    assert ids(modified_end=changed) == []
    assert ids(modified_start=changed.date(), modified_end=changed.date().isoformat()) == [10]
    with pytest.raises(TypeError, match="found a datetime, expected a date"):
        ids(incident_start=datetime.datetime(2025, 5, 20, tzinfo=UTC))


def test_incidents_of_v2(client: obeya.Client) -> None:
    (incident,) = client.incidents.list_v2(where="id eq 10", expand=["comments", "type"])
    assert incident.comments is not None
    assert [comment.id for comment in incident.comments] == [100, 101]
    assert incident.type is not None
    assert incident.type.title == "Equipment failure"
    assert client.incidents.get_v2(10, select="title").title == "Leak on line 2"
    assert client.incidents.get_v2(incident, select="id").id == 10


def test_incident_types(client: obeya.Client) -> None:
    (kind,) = client.incidents.types(language="nb")
    assert (kind.id, kind.title) == (3, "Utstyrsfeil")
    assert client.incidents.type_detail(kind).title == "Equipment failure"
    (kind_v2,) = client.incidents.types_v2(where="id eq 3")
    assert kind_v2.title == "Equipment failure"
    assert client.incidents.type_v2(3) == client.incidents.type_v2(kind_v2)


def test_improvements(client: obeya.Client) -> None:
    improvement = client.improvements.get(5)
    assert improvement.external_id == "I-5"
    assert [improvement.id for improvement in client.improvements.list(where="externalId eq 'I-5'")] == [5]
    changed = improvement.last_modified
    assert changed is not None
    assert [improvement.id for improvement in client.improvements.list(modified_end=changed, where="id eq 5")] == []


def test_datasources(client: obeya.Client) -> None:
    assert [source.id for source in client.datasources.list(where="id le 2", order_by="id desc")] == [2, 1]
    first, second = client.datasources.list(where="id le 2")
    assert (first.id, first.title, second.title) == (1, "Output", "Nothing yet")
    assert client.datasources.get(first).title == "Output"
    assert client.datasources.values(first).count() == plant.VALUES

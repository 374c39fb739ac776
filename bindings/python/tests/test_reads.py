"""The reading operations, against the lines of the plant."""

from __future__ import annotations

import datetime

import obeya
import plant
import pytest

UTC = datetime.timezone.utc


def test_list_areas(client: obeya.Client) -> None:
    page = client.list_areas(filter="startswith(name,'Cell 12')", orderby="id desc", top=2, skip=1, count=True)
    # 12, 120 to 129 and 1200 to 1203 begin so.
    assert page.count == 1 + 10 + 4
    assert [area.name for area in page] == ["Cell 1202", "Cell 1201"]
    assert len(page) == 2
    assert page[-1].id == 1201
    assert page[:1] == (page.items[0],)
    assert repr(page) == "<obeya.Page: 2 of 15 records>"


def test_a_list_that_is_too_long_for_a_page_has_a_next_link(client: obeya.Client) -> None:
    page = client.list_areas()
    assert len(page) < plant.AREAS
    assert page.next_link is not None
    assert page.count is None


def test_iter_areas_follows_next_links(client: obeya.Client) -> None:
    ids = [area.id for area in client.iter_areas()]
    assert ids == list(range(1, plant.AREAS + 1))


def test_an_iterator_is_used_up(client: obeya.Client) -> None:
    records = client.iter_areas(top=2)
    assert [area.id for area in records] == [1, 2]
    assert list(records) == []


def test_options_take_lists_of_names(client: obeya.Client) -> None:
    page = client.list_areas(select=["id", "description"], orderby=["name", "id"], top=1)
    assert page[0] == obeya.Area.from_dict({"id": 2, "description": None})
    assert page[0].name is None


def test_search(client: obeya.Client) -> None:
    assert [area.id for area in client.list_areas(search="casting")] == [1]


def test_get_area(client: obeya.Client) -> None:
    area = client.get_area(1)
    assert (area.id, area.name, area.description) == (1, "Foundry", "Casting and shake-out")
    assert client.get_area(1, select="name").id is None


def test_list_boards(client: obeya.Client) -> None:
    (board,) = client.list_boards()
    assert (board.id, board.name, board.board_type, board.is_public, board.group) == (7, "Tavle", "Weekly", True, None)
    assert [board.id for board in client.iter_boards()] == [7]


def test_get_board(client: obeya.Client) -> None:
    board = client.get_board(7, expand="group")
    assert board.group is not None
    assert (board.group.id, board.group.name) == (2, "Mechanics")


def test_get_board_detail(client: obeya.Client) -> None:
    board = client.get_board_detail(7)
    assert (board.description, board.group_name) == ("Tier 1", "Mechanics")
    (row,) = board.rows
    assert (row.id, row.name, row.responsible_user) == (1, "Safety", "kari.vik")
    (column,) = board.columns
    assert (column.week_day, column.is_column_category) == ("Monday", False)


def test_list_groups(client: obeya.Client) -> None:
    plant_group, mechanics = client.list_groups(expand="parent,users")
    assert plant_group.type == "BUSINESSUNIT"
    assert plant_group.is_system_group is True
    assert mechanics.parent is not None
    assert mechanics.parent.name == "Plant"
    assert mechanics.users is not None
    assert [user.display_name for user in mechanics.users] == ["Kari Vik"]
    assert [group.id for group in client.iter_groups(filter="parentId eq null")] == [1]


def test_get_group(client: obeya.Client) -> None:
    group = client.get_group(2, select=["externalId"], expand=["boards"])
    assert group.external_id == "HR-2"
    assert group.boards is not None
    assert [board.name for board in group.boards] == ["Tavle"]
    assert group.users is None


def test_list_incident_comments(client: obeya.Client) -> None:
    first, second = client.list_incident_comments()
    assert (first.id, first.commented_by) == (100, "Night shift")
    assert first.comment_date == datetime.datetime(2025, 5, 20, 7, tzinfo=UTC)
    assert second.comment_date == datetime.datetime(2025, 5, 20, 8, 0, 0, 500_000, tzinfo=UTC)
    assert [comment.id for comment in client.iter_incident_comments(orderby="id desc")] == [101, 100]


def test_list_comments_of_incident(client: obeya.Client) -> None:
    page = client.list_comments_of_incident(10, filter="parentId ne null")
    assert [(comment.id, comment.incident_id) for comment in page] == [(101, 10)]
    assert [comment.id for comment in client.iter_comments_of_incident(10)] == [100, 101]


def test_get_incident_comment(client: obeya.Client) -> None:
    comment = client.get_incident_comment(101, expand=["parent", "incident"])
    assert comment.text == "Looking"
    assert comment.parent is not None
    assert comment.parent.text == "The old batch"
    assert comment.incident is not None
    assert comment.incident.title == "Leak on line 2"


def test_get_incident_type(client: obeya.Client) -> None:
    kind = client.get_incident_type(3)
    assert kind.title == "Equipment failure"
    (hydraulics,) = kind.categories
    assert [child.title for child in hydraulics.children] == ["Leak"]
    assert [cause.title for cause in kind.causes] == ["Wear", "Misuse"]
    assert [(consequence.title, consequence.unit) for consequence in kind.consequences] == [("Downtime", "min")]
    assert [field.label for field in kind.custom_fields] == ["Machine"]


def test_get_incident_type_in_another_language(client: obeya.Client) -> None:
    kind = client.get_incident_type(3, language="nb")
    assert kind.title == "Utstyrsfeil"
    # What was not translated stays as it was written.
    assert [cause.title for cause in kind.causes] == ["Slitasje", "Misuse"]


def test_list_trashed_incidents(client: obeya.Client) -> None:
    page = client.list_trashed_incidents()
    assert (page.total, page.page) == (1, 1)
    (incident,) = page.values
    assert (incident.id, incident.title) == (11, "Entered twice")
    assert incident.incident_date == datetime.date(2025, 5, 25)
    assert client.list_trashed_incidents(filter="severity eq 'High'").values == ()


def test_an_unknown_option_is_named(client: obeya.Client) -> None:
    with pytest.raises(TypeError, match=r"list_areas\(\) got an unexpected keyword argument 'filtr'"):
        client.list_areas(filtr="id eq 1")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="argument 'top'"):
        client.list_areas(top="many")  # type: ignore[arg-type]

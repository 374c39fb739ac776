"""The records: immutable values with names, types and a way back."""

from __future__ import annotations

import copy
import datetime
import json
import pickle

import obeya
import pytest

UTC = datetime.timezone.utc


def board(**fields: object) -> obeya.Board:
    return obeya.Board.from_dict({"id": 7, "name": "Tavle", "group": {"id": 2, "type": "GENERAL"}, **fields})


def test_equality_is_by_value() -> None:
    assert board() == board()
    assert board() != board(name="Board")
    assert board() != obeya.Area.from_dict({"id": 7, "name": "Tavle"})


def test_what_is_equal_has_the_same_hash(client: obeya.Client) -> None:
    assert {board(): 1}[board()] == 1
    assert len({board(), board(name="Board"), board()}) == 2
    # Parts within parts, and tuples of them.
    assert hash(client.incidents.type_detail(3)) == hash(client.incidents.type_detail(3))
    # Python does not show the seventh digit, by which these two differ.
    one, other = (obeya.IncidentCommentV2.from_json(f'{{"commentDate":"2025-05-20T06:12:00.123456{n}Z"}}') for n in (7, 8))
    assert one != other
    assert len({one, other}) == 2
    # A dictionary has no hash, so a record with one has none either.
    problem = {"type": "a", "title": "b", "status": 400, "traceId": "c", "code": "d"}
    assert hash(obeya.Problem.from_dict(problem)) == hash(obeya.Problem.from_dict(problem))
    with pytest.raises(TypeError, match="unhashable"):
        hash(obeya.Problem.from_dict({**problem, "errors": {"title": ["too long"]}}))


def test_a_notebook_shows_a_table_in_which_no_markup_begins() -> None:
    shown = obeya.Area.from_dict({"id": 2, "name": "<b onclick='x'>\"A&B\""})._repr_html_()
    assert shown == (
        "<table><caption>Area</caption><tr><th>id</th><td>2</td></tr>"
        "<tr><th>name</th><td>&lt;b onclick=&#x27;x&#x27;&gt;&quot;A&amp;B&quot;</td></tr></table>"
    )
    assert "<tr><th>group</th><td>GroupV2(id=2, type=&#x27;GENERAL&#x27;)</td></tr>" in board()._repr_html_()


def test_repr_shows_what_is_there() -> None:
    assert repr(board()) == "Board(id=7, name='Tavle', group=GroupV2(id=2, type='GENERAL'))"
    day = obeya.UserGroup.from_dict({"id": "u1", "displayName": "Ola Næss"})
    assert repr(day) == "UserGroup(id='u1', display_name='Ola Næss')"


def test_records_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        board().name = "x"  # type: ignore[misc]
    with pytest.raises(TypeError):
        obeya.Board()


def test_pickle_and_copy_give_the_same(client: obeya.Client) -> None:
    for record in (board(), client.incidents.type_detail(3), client.datasources.values(1).page()[0]):
        assert pickle.loads(pickle.dumps(record)) == record
        assert copy.deepcopy(record) == record


def test_to_dict_has_names_and_values_of_python() -> None:
    comment = obeya.IncidentCommentV2.from_dict(
        {"id": 1, "text": "Looking", "comment_date": datetime.datetime(2025, 5, 20, 8, tzinfo=UTC), "parent": {"id": 2}}
    )
    fields = comment.to_dict()
    assert fields["comment_date"] == datetime.datetime(2025, 5, 20, 8, tzinfo=UTC)
    assert fields["parent"]["id"] == 2
    assert fields["commented_by"] is None
    assert list(fields) == list(obeya.IncidentCommentV2.__match_args__)


def test_to_json_is_the_wire() -> None:
    comment = obeya.IncidentCommentV2.from_dict({"id": 1, "comment_date": "2025-05-20T08:00:00+02:00"})
    assert json.loads(comment.to_json()) == {"id": 1, "commentDate": "2025-05-20T06:00:00Z"}
    assert obeya.IncidentCommentV2.from_json(comment.to_json()) == comment


def test_json_keeps_the_seventh_digit() -> None:
    text = '{"id":1,"commentDate":"2025-05-20T06:12:00.1234567Z"}'
    comment = obeya.IncidentCommentV2.from_json(text)
    assert comment.to_json() == text
    assert comment.comment_date == datetime.datetime(2025, 5, 20, 6, 12, 0, 123_456, tzinfo=UTC)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="not JSON"):
        obeya.Area.from_json("{")
    with pytest.raises(ValueError, match=r"Area: id: invalid type: string \"2\", expected i32"):
        obeya.Area.from_json('{"id": "2"}')
    with pytest.raises(TypeError, match="Area got an unexpected argument 'nmae'"):
        obeya.Area.from_dict({"nmae": "x"})
    with pytest.raises(TypeError, match="missing required argument.*'id', 'title'"):
        obeya.CauseReference.from_dict({})


def test_pattern_matching() -> None:
    match obeya.Area.from_dict({"id": 2, "name": "Assembly"}):
        case obeya.Area(2, name=name):
            assert name == "Assembly"
        case _:
            pytest.fail("the pattern should match")


def test_lists_are_tuples(client: obeya.Client) -> None:
    kind = client.incidents.type_detail(3)
    assert isinstance(kind.causes, tuple)
    assert isinstance(kind.to_dict()["causes"], list)
    assert kind.to_dict()["categories"][0]["children"][0]["title"] == "Leak"

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
    with pytest.raises(TypeError, match="unhashable"):
        hash(board())


def test_repr_shows_what_is_there() -> None:
    assert repr(board()) == "Board(id=7, name='Tavle', group=Group(id=2, type='GENERAL'))"
    day = obeya.User.from_dict({"id": "u1", "displayName": "Ola Næss"})
    assert repr(day) == "User(id='u1', display_name='Ola Næss')"


def test_records_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        board().name = "x"  # type: ignore[misc]
    with pytest.raises(TypeError):
        obeya.Board()


def test_pickle_and_copy_give_the_same(client: obeya.Client) -> None:
    for record in (board(), client.get_incident_type(3), client.list_datasource_values(1, page_size=2)):
        assert pickle.loads(pickle.dumps(record)) == record
        assert copy.deepcopy(record) == record


def test_to_dict_has_names_and_values_of_python() -> None:
    comment = obeya.IncidentComment.from_dict(
        {"id": 1, "text": "Looking", "comment_date": datetime.datetime(2025, 5, 20, 8, tzinfo=UTC), "parent": {"id": 2}}
    )
    fields = comment.to_dict()
    assert fields["comment_date"] == datetime.datetime(2025, 5, 20, 8, tzinfo=UTC)
    assert fields["parent"]["id"] == 2
    assert fields["commented_by"] is None
    assert list(fields) == list(obeya.IncidentComment.__match_args__)


def test_to_json_is_the_wire() -> None:
    comment = obeya.IncidentComment.from_dict({"id": 1, "comment_date": "2025-05-20T08:00:00+02:00"})
    assert json.loads(comment.to_json()) == {"id": 1, "commentDate": "2025-05-20T06:00:00Z"}
    assert obeya.IncidentComment.from_json(comment.to_json()) == comment


def test_json_keeps_the_seventh_digit() -> None:
    text = '{"id":1,"commentDate":"2025-05-20T06:12:00.1234567Z"}'
    comment = obeya.IncidentComment.from_json(text)
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
    kind = client.get_incident_type(3)
    assert isinstance(kind.causes, tuple)
    assert isinstance(kind.to_dict()["causes"], list)
    assert kind.to_dict()["categories"][0]["children"][0]["title"] == "Leak"

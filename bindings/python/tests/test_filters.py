"""The text that `obeya.F` writes, against OData's own syntax, and its errors. Results of the service are in test_filter_results.py."""

from __future__ import annotations

import asyncio
import copy
import datetime
import decimal
import enum
import fractions
import inspect
import pickle
import random
import urllib.parse
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import canned
import numpy as np
import obeya
import pandas as pd
import pytest
from obeya import F
from odata_query import grammar

UTC = datetime.timezone.utc
OSLO = datetime.timezone(datetime.timedelta(hours=2))


class Severity(str, enum.Enum):
    HIGH = "High"

    def __str__(self) -> str:
        return "the worst"


class Level(enum.IntEnum):
    TOP = 3


class Shout(str):
    """Text that prints another text than its own."""

    def __str__(self) -> str:
        return "' or true or '"

    def replace(self, *_: object) -> str:
        return "' or true or '"


LITERALS: list[tuple[object, str]] = [
    ("High", "'High'"),
    ("", "''"),
    ("O'Neil", "'O''Neil'"),
    ("' or 1 eq 1 or '", "''' or 1 eq 1 or '''"),
    ("''", "''''''"),
    ('"\\%+&#/?', '\'"\\%+&#/?\''),
    ("Ønske 🦺\n", "'Ønske 🦺\n'"),
    (Shout("it's"), "'it''s'"),
    (True, "true"),
    (False, "false"),
    (np.bool_(True), "true"),
    (None, "null"),
    (0, "0"),
    (-7, "-7"),
    (2**63, "9223372036854775808"),
    (np.int32(5), "5"),
    (Level.TOP, "3"),
    (Severity.HIGH, "'High'"),
    (2.0, "2.0"),
    (-0.1, "-0.1"),
    (1e300, "1e+300"),
    (np.float64(0.1), "0.1"),
    (np.float32(0.5), "0.5"),
    (float("inf"), "INF"),
    (float("-inf"), "-INF"),
    (fractions.Fraction(1, 4), "0.25"),
    (decimal.Decimal("0.10"), "0.10"),
    (decimal.Decimal("-1E+5"), "-1E+5"),
    (decimal.Decimal("-Infinity"), "-INF"),
    (datetime.date(2026, 3, 2), "2026-03-02"),
    (datetime.date(33, 1, 1), "0033-01-01"),
    (datetime.datetime(2026, 3, 2), "2026-03-02T00:00:00Z"),
    (datetime.datetime(2026, 3, 2, 6, 0, 0, 120_000), "2026-03-02T06:00:00.120000Z"),
    (datetime.datetime(2026, 3, 2, 1, tzinfo=OSLO), "2026-03-01T23:00:00Z"),
    (datetime.datetime(1890, 1, 1, tzinfo=datetime.timezone(datetime.timedelta(minutes=43, seconds=8))), "1889-12-31T23:16:52Z"),
    (pd.Timestamp("2026-03-02T06:00:00.0000001"), "2026-03-02T06:00:00.000000100Z"),
    (pd.Timestamp("2026-03-02T06:00", tz="Europe/Oslo"), "2026-03-02T05:00:00Z"),
    (datetime.time(6, 30), "06:30:00"),
    (datetime.timedelta(days=3, microseconds=5), "duration'P3DT0.000005S'"),
    (datetime.timedelta(hours=-1), "duration'-P0DT3600S'"),
    (uuid.UUID(int=0xA5), "00000000-0000-0000-0000-0000000000a5"),
]


@pytest.mark.parametrize(("value", "text"), LITERALS, ids=[text for _, text in LITERALS])
def test_values_are_written_as_one_literal(value: Any, text: str) -> None:
    assert str(F.x == value) == f"x eq {text}"
    assert str(F.x.in_([value, 1])) == f"x in ({text},1)"
    assert str(value == F.x) == f"x eq {text}"


@pytest.mark.parametrize(
    ("value", "error", "words"),
    [
        (float("nan"), ValueError, "NaN"),
        (np.float64("nan"), ValueError, "NaN"),
        (decimal.Decimal("NaN"), ValueError, "NaN"),
        (decimal.Decimal("sNaN"), ValueError, "NaN"),
        (pd.NaT, ValueError, "is_null"),
        (datetime.time(6, tzinfo=UTC), ValueError, "zone"),
        (datetime.datetime.max.replace(tzinfo=datetime.timezone(datetime.timedelta(hours=-1))), ValueError, "UTC"),
        (b"High", TypeError, "bytes"),
        (["High"], TypeError, "in_"),
        ({"High"}, TypeError, "in_"),
        (1j, TypeError, "complex"),
        (pd.NA, TypeError, "NAType"),
        (object(), TypeError, "object"),
        (np.datetime64("2026-03-02"), TypeError, "datetime64"),
    ],
)
def test_values_without_a_literal_are_refused(value: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        F.x == value  # noqa: B015


# The left column is Python, the right one as section 5.1.1 of OData 4.01, part 2, writes such expressions.
EXPRESSIONS: list[tuple[Any, str]] = [
    (F.severity == "High", "severity eq 'High'"),
    (F.name != "Milk", "name ne 'Milk'"),
    (F.due_date < datetime.datetime(2026, 1, 1), "dueDate lt 2026-01-01T00:00:00Z"),
    (F.price <= 100, "price le 100"),
    (datetime.date(2026, 1, 1) <= F.incident_date, "incidentDate ge 2026-01-01"),
    (100 > F.price, "price lt 100"),
    (np.float64(0.5) < F.price, "price gt 0.5"),
    (F.dimension == None, "dimension eq null"),  # noqa: E711
    (F.dimension.is_null(), "dimension eq null"),
    (F.dimension.is_not_null(), "dimension ne null"),
    ((F.a == 1) & (F.b == 2) | (F.c == 3), "a eq 1 and b eq 2 or c eq 3"),
    ((F.a == 1) & ((F.b == 2) | (F.c == 3)), "a eq 1 and (b eq 2 or c eq 3)"),
    ((F.a == 1) & ((F.b == 2) & (F.c == 3)), "a eq 1 and b eq 2 and c eq 3"),
    (~(F.a == 1), "not (a eq 1)"),
    (~F.title.contains("x"), "not contains(title,'x')"),
    (~F.is_public & F.is_member, "not isPublic and isMember"),
    (~(~F.is_public), "not (not isPublic)"),
    (~F.a.in_([1]), "not a in (1)"),
    ((F.a == 1) == (F.b == 2), "a eq 1 eq (b eq 2)"),
    ((F.a > 1) == F.is_public, "a gt 1 eq isPublic"),
    (F.is_public == (F.a > 1), "isPublic eq a gt 1"),
    (F.price + 2.45 == 5, "price add 2.45 eq 5"),
    (F.price - (F.a - F.b) - 1 > 0, "price sub (a sub b) sub 1 gt 0"),
    (10 - F.price * -2 >= 1, "10 sub price mul -2 ge 1"),
    ((1 + F.price) * F.rating / 4 < 1, "(1 add price) mul rating divby 4 lt 1"),
    (1 / F.rating < 1, "1 divby rating lt 1"),
    (-F.price > -5, "-price gt -5"),
    (-(-F.price) > 5, "-(-price) gt 5"),
    (-(F.a + 1) > 5, "-(a add 1) gt 5"),
    (F.resolved_date - F.reported_date > datetime.timedelta(1), "resolvedDate sub reportedDate gt duration'P1DT0S'"),
    ((F.a + F.b).in_([1, -2]), "(a add b) in (1,-2)"),
    (F.status.in_(["Registered", None]), "status in ('Registered',null)"),
    (F.status.in_(iter([])), "status in []"),
    (F.a.in_([F.b, 1]), "a in (b,1)"),
    (F.incident.area.name.startswith("Cell"), "startswith(incident/area/name,'Cell')"),
    (F.name.endswith(F.suffix), "endswith(name,suffix)"),
    (F.name.matchespattern("^A.*e$"), "matchespattern(name,'^A.*e$')"),
    (F.name.length() == 19, "length(name) eq 19"),
    (F.name.indexof("lf") == 1, "indexof(name,'lf') eq 1"),
    (F.name.substring(1) == "lf", "substring(name,1) eq 'lf'"),
    (F.name.substring(1, 2) == "lf", "substring(name,1,2) eq 'lf'"),
    (F.name.tolower().trim().concat("x").toupper() == "", "toupper(concat(trim(tolower(name)),'x')) eq ''"),
    (F.t.year() * 100 + F.t.month() == 202601, "year(t) mul 100 add month(t) eq 202601"),
    (F.t.bin("month", "Europe/Oslo") > F.t.bin("week"), "bin(t,'month','Europe/Oslo') gt bin(t,'week')"),
    (F.t.bin(datetime.timedelta(minutes=15)).hour() == 1, "hour(bin(t,duration'P0DT900S')) eq 1"),
    (F.t.day() + F.t.hour() + F.t.minute() + F.t.second() > 1, "day(t) add hour(t) add minute(t) add second(t) gt 1"),
    (F.t.date() == datetime.date(2026, 1, 1), "date(t) eq 2026-01-01"),
    (F.t.time() < datetime.time(6), "time(t) lt 06:00:00"),
    ((F.t - F.u).totalseconds() > 5, "totalseconds(t sub u) gt 5"),
    (F.v.round() + F.v.floor() + F.v.ceiling() == 3, "round(v) add floor(v) add ceiling(v) eq 3"),
    (F.consequences.any(), "consequences/any()"),
    (F.consequences.any(lambda c: c.amount > 10), "consequences/any(c:c/amount gt 10)"),
    (F.tags.any(lambda t: t == "x"), "tags/any(t:t eq 'x')"),
    (F.custom_fields.all(lambda f: f.is_open | (f.value == F.title)), "customFields/all(c:c/isOpen or c/value eq title)"),
    (F.comments.count() > 3, "comments/$count gt 3"),
    (
        F.groups.any(lambda g: g.groups.all(lambda inner: inner.groups.any(lambda last: last.id == g.id + inner.id + F.g.id))),
        "groups/any(g4:g4/groups/all(g3:g3/groups/any(g2:g2/id eq g4/id add g3/id add g/id)))",
    ),
    (F["incidentDate"] == F["anyName/other"]["x1"].some_more, "incidentDate eq anyName/other/x1/someMore"),
    (F.dimension2 == F.Ønske, "dimension2 eq Ønske"),
]


@pytest.mark.parametrize(("expression", "text"), EXPRESSIONS, ids=[text for _, text in EXPRESSIONS])
def test_expressions_are_written_as_odata_writes_them(expression: obeya.Expression, text: str) -> None:
    assert str(expression) == text
    assert repr(expression) == text
    for other in (copy.copy(expression), copy.deepcopy(expression), pickle.loads(pickle.dumps(expression))):
        assert (type(other), str(other)) == (type(expression), text)
    assert str(pickle.loads(pickle.dumps(expression)).in_([1]))[-7:] == " in (1)"


Tree = tuple[Any, ...] | str | int

# Every pair of these is somewhere inside the other, in both places.
OPERATORS: dict[str, Callable[[Any, Any], obeya.Expression]] = {
    "Or": lambda a, b: a | b,
    "And": lambda a, b: a & b,
    "Eq": lambda a, b: a == b,
    "LtE": lambda a, b: a <= b,
    "Sub": lambda a, b: a - b,
    "Mult": lambda a, b: a * b,
}


def random_tree(rng: random.Random, depth: int, truth: bool, first: bool = True) -> Tree:
    """An expression as nested tuples: what joins it, and what it joins. A number is never first: Python would turn the operator round."""
    if depth == 0:
        leaves: list[Tree] = [*"abc"] if truth else ["n", "m"] if first else ["n", 3, -2]
        return rng.choice(leaves)
    if not truth:
        kind = rng.choice(["Sub", "Mult", "USub"])
        inner = 1 if kind == "USub" else 2
        return (kind, *(random_tree(rng, depth - 1, False, first=not at) for at in range(inner)))
    kind = rng.choice(["Or", "And", "Eq", "LtE", "Not", "In"])
    if kind in ("Not", "In"):
        return (kind, random_tree(rng, depth - 1, kind == "Not"))
    of_truth = kind in ("Or", "And") or (kind == "Eq" and rng.random() < 0.5)
    return (kind, *(random_tree(rng, depth - 1, of_truth, first=not at) for at in range(2)))


def built(tree: Tree) -> Any:
    if isinstance(tree, str):
        return F[tree]
    if isinstance(tree, int):
        return tree
    kind, *inner = tree
    sides = [built(side) for side in inner]
    if kind == "Not":
        return ~sides[0]
    if kind == "In":
        return sides[0].in_([1, 2])
    if kind == "USub":
        return -sides[0]
    return OPERATORS[kind](*sides)


def expected(tree: Tree) -> Tree:
    """The tree as its text means it: a chain of `and` has no order."""
    if not isinstance(tree, tuple):
        return tree
    kind, *inner = tree
    sides = [expected(side) for side in inner]
    return (kind, *(flat(kind, sides) if kind in ("Or", "And") else sides))


def flat(kind: str, sides: list[Tree]) -> list[Tree]:
    return [part for side in sides for part in (side[1:] if isinstance(side, tuple) and side[0] == kind else (side,))]


def read(node: Any) -> Tree:
    """The tree of a third-party parser for the text."""
    name = type(node).__name__
    if name == "Identifier":
        return str(node.name)
    if name == "Integer":
        return int(node.val)
    if name == "UnaryOp":
        operand = read(node.operand)
        kind = type(node.op).__name__
        return -operand if kind == "USub" and isinstance(operand, int) else (kind, operand)
    if name == "Compare" and type(node.comparator).__name__ == "In":
        return ("In", read(node.left))
    kind = type(node.comparator if name == "Compare" else node.op).__name__
    sides = [read(node.left), read(node.right)]
    return (kind, *(flat(kind, sides) if kind in ("Or", "And") else sides))


def parsed(text: str, grammar: Any) -> Any:
    return grammar.ODataParser().parse(grammar.ODataLexer().tokenize(text))


def test_another_parser_reads_the_same_tree() -> None:
    rng = random.Random(4)
    for _ in range(2000):
        tree = random_tree(rng, rng.randint(1, 5), True)
        text = str(built(tree))
        assert read(parsed(text, grammar)) == expected(tree), text


def test_variables_get_names_that_hide_nothing() -> None:
    inner = F.boards.any(lambda b: b.group_id == F.b)
    assert str(inner) == "boards/any(b2:b2/groupId eq b)"
    assert str(F.children.any(lambda c: c.boards.any(lambda b: (b.id == c.id) & (F.children.id == F.b)))) == (
        "children/any(c:c/boards/any(b2:b2/id eq c/id and children/id eq b))"
    )
    # A collection whose name has no letter to begin with.
    assert str(F["_x"].any(lambda c: c.id == 1)) == "_x/any(x:x/id eq 1)"


def test_a_variable_is_of_no_use_outside_its_condition(client: obeya.Client) -> None:
    kept: list[obeya.Field] = []

    def keep(member: obeya.Field) -> obeya.Filter:
        kept.append(member)
        return member.level > 1

    assert str(F.children.any(keep)) == "children/any(c:c/level gt 1)"
    uses: list[tuple[str, Callable[[], object]]] = [
        ("c/level eq 1", lambda: client.groups.list(where=kept[0].level == 1)),
        ("c/level", lambda: client.groups.list(order_by=kept[0].level)),
    ]
    for text, call in uses:
        with pytest.raises(ValueError, match=f"`{text}` is about the member of a collection"):
            call()
    with pytest.raises(ValueError, match="member of a collection"):
        pickle.dumps(kept[0])


def test_python_s_own_operators_are_refused_with_what_to_write() -> None:
    # Type checkers refuse most of these too: see typed_example.py.
    F: Any = obeya.F  # noqa: N806
    misuses: list[tuple[Callable[[], object], str]] = [
        (lambda: F.a == 1 and F.b == 2, "write & for `and`"),
        (lambda: F.a == 1 or F.b == 2, "| for `or`"),
        (lambda: not F.a, "~ for `not`"),
        (lambda: 1 < F.a < 3, r"\(a < x\) & \(x < b\)"),
        (lambda: F.a == F.b == 1, "neither true nor false"),
        (lambda: F.a == 1 & F.b == 2, "found int on one side of `and`: put each comparison in parentheses"),
        (lambda: (F.a == 1) & True, "found bool"),
        (lambda: "b eq 1" | (F.a == 1), "found str"),
        (lambda: (F.a + 1) & (F.b == 2), "found Expression"),
        (lambda: ~(F.a + 1), "unary ~"),
        (lambda: F.a == (F.b == 2) & (F.c + 1), "found Expression"),
        (lambda: "x" in F.title, ".contains()"),
        (lambda: list(F.title), "not iterable"),
        (lambda: list(F), "not iterable"),
        (lambda: F.title.startwith("x"), r"did you mean startswith\(\)"),
        (lambda: F.title.qqq(), r"`title/qqq` is a property and cannot be called$"),
        (lambda: F.status.in_("New"), "a list of values, found str"),
        (lambda: F.a < None, "is_null"),
        (lambda: F.a + "x", "concat"),
        (lambda: "x" + F.a, "concat"),
        (lambda: {F.a: 1}, "unhashable"),
        (lambda: F.a[0], "found int, expected the name"),
        (lambda: F.children.any(F.level == 1), "not callable|cannot be called"),
        (lambda: F.children.any(lambda c: True), "this one with bool"),
        (lambda: F.children.all(lambda c: c.level + 1), "this one with Expression"),
        (obeya.Filter, "made from properties"),
    ]
    for misuse, words in misuses:
        with pytest.raises(TypeError, match=words):
            misuse()


def test_nothing_but_a_name_is_a_name() -> None:
    for name in ["", "a b", "a eq 1 or b", "a)", "a'", "a/", "/a", "a//b", "1a", "$it", "a,b", "a\n", "null", "true", "not", "a" * 129]:
        with pytest.raises(ValueError, match="no name of a property"):
            F[name]
        with pytest.raises(ValueError, match="no name of a property"):
            F.x[name]
    with pytest.raises(ValueError, match="no name of a property"):
        getattr(F, "a eq 1 or b")


def test_expressions_are_not_changed() -> None:
    with pytest.raises(AttributeError, match="== compares"):
        F.title.name = "x"
    with pytest.raises(AttributeError):
        del F.title.name
    with pytest.raises(AttributeError):
        F.title = 5  # type: ignore[attr-defined]


def test_what_libraries_look_for_is_no_property() -> None:
    for name in ["__array__", "_repr_html_", "_ipython_display_", "__arrow_c_stream__", "__dataframe__"]:
        assert not hasattr(F, name), name
        assert not hasattr(F.title, name), name
    assert pickle.loads(pickle.dumps(F)) is F


def test_no_method_has_the_name_of_a_property() -> None:
    methods = {name for name in dir(obeya.Field) if not name.startswith("_")}
    for record in obeya.models.__all__:
        names = set(getattr(obeya.models, record).__match_args__)
        assert not names & methods, record


def test_names_are_those_of_the_records() -> None:
    """`F.in_progress_date` is `inProgressDate`, and so for every attribute that a record has."""
    for record in obeya.models.__all__:
        class_ = getattr(obeya.models, record)
        wire = {name.replace("_", "").lower() for name in class_.__match_args__}
        assert wire == {str(getattr(F, name)).lower() for name in class_.__match_args__}, record
    assert str(F.status_in_progress_date) == "statusInProgressDate"
    assert str(F.data_source_id) == "dataSourceId"


# Where conditions and orders go.


def lists(client: object) -> list[tuple[str, Callable[..., Any]]]:
    found: list[tuple[str, Callable[..., Any]]] = []
    for resource in ["areas", "boards", "groups", "comments", "incidents", "improvements", "datasources", "tasks", "users"]:
        calls = getattr(client, resource)
        for name, method in inspect.getmembers(calls, inspect.ismethod):
            if name.startswith("_"):
                continue
            if "where" in inspect.signature(method).parameters:
                found.append((f"{resource}.{name}", method))
    return found


def arguments(method: Callable[..., Any]) -> tuple[list[int], dict[str, Any], dict[str, str]]:
    """What a list is called with here, and which options its request must then have."""
    parameters = inspect.signature(method).parameters
    ids = [5 for parameter in parameters.values() if parameter.default is inspect.Parameter.empty]
    options: dict[str, Any] = {"where": (F.title == "O'Neil & Søn") | F.is_open}
    wanted = {"$filter": "title eq 'O''Neil & Søn' or isOpen"}
    if "order_by" in parameters:
        options["order_by"] = [F.due_date.desc(), F.group.name, "id", F.title.length().asc()]
        wanted["$orderby"] = "dueDate desc,group/name,id,length(title)"
    if "select" in parameters:
        options |= {"select": [F.id, "title"], "expand": F.follow_up_group}
        wanted |= {"$select": "id,title", "$expand": "followUpGroup"}
    return ids, options, wanted


def options_of(target: str) -> dict[str, str]:
    query = urllib.parse.parse_qs(urllib.parse.urlsplit(target).query, strict_parsing=True)
    return {name: value for name, (value,) in query.items() if name.startswith("$")}


def test_every_list_takes_them() -> None:
    with canned.refusing() as service, obeya.Client(service.url, token="t", max_retries=0) as client:
        names = []
        for name, method in lists(client):
            ids, options, wanted = arguments(method)
            with pytest.raises(obeya.APIStatusError):
                method(*ids, **options).page()
            sent = options_of(service.requests[-1][1])
            assert {key: sent.get(key) for key in wanted} == wanted, name
            names.append(name)
        # Values are also fetched as a table.
        with pytest.raises(obeya.APIStatusError):
            client.datasources.values(5, where=F.value > 1, order_by=F.value.desc()).to_arrow()
        sent = options_of(service.requests[-1][1])
        assert (sent["$filter"], sent["$orderby"]) == ("value gt 1", "value desc")
    assert {"areas.list", "comments.of_incident", "incidents.list", "incidents.trash", "datasources.values"} <= set(names)


def test_every_list_takes_them_beside_an_event_loop() -> None:
    async def check() -> None:
        with canned.refusing() as service:
            async with obeya.AsyncClient(service.url, token="t", max_retries=0) as client:
                for name, method in lists(client):
                    ids, options, wanted = arguments(method)
                    with pytest.raises(obeya.APIStatusError):
                        await method(*ids, **options).page()
                    sent = options_of(service.requests[-1][1])
                    assert {key: sent.get(key) for key in wanted} == wanted, name

    asyncio.run(check())


@pytest.mark.parametrize("where", [5, True, b"id eq 1", ["id eq 1"], F.id + 1, F.id.desc(), F, obeya.Filter])
def test_what_is_no_condition_is_refused(client: obeya.Client, where: Any) -> None:
    for _, method in lists(client):
        ids, _, _ = arguments(method)
        with pytest.raises(TypeError, match="expected text or a filter"):
            method(*ids, where=where)


@pytest.mark.parametrize("order_by", [5, [5], ["id", None], F])
def test_what_is_no_order_is_refused(client: obeya.Client, order_by: Any) -> None:
    for method in (client.areas.list, client.incidents.list):
        with pytest.raises(TypeError, match="expected text or a name"):
            method(order_by=order_by)


def test_the_service_names_what_it_does_not_know(client: obeya.Client) -> None:
    with pytest.raises(obeya.BadRequestError, match="did you mean `name`") as caught:
        client.areas.list(where=(F.id > 1) & (F.nmae == "x")).page()
    assert caught.value.code == "odata.unknown_property"
    with pytest.raises(obeya.BadRequestError, match="can't be compared"):
        client.areas.list(where=F.name > 5).page()


WORDS = Path(__file__).parents[3] / "crates" / "testkit" / "words.tsv"
"""Unknown words and how they are refused; the tests of the service, the Rust SDK and the command line read it too."""


def test_a_word_that_is_no_member_is_refused_before_a_request(client: obeya.Client) -> None:
    lists_of: dict[str, str] = {
        "Board": "boards.list",
        "GroupV2": "groups.list",
        "IncidentV1": "incidents.list",
        "IncidentV2": "incidents.list_v2",
        "TrashedIncident": "incidents.trash",
        "Improvement": "improvements.list",
        "ImprovementV2": "improvements.list_v2",
        "Task": "tasks.list",
        "UserV2": "users.list",
        "BoardSummary": "boards.list_v1",
        "GroupV1": "groups.list_v1",
    }
    lines = [line.split("\t") for line in WORDS.read_text(encoding="utf-8").splitlines()]
    assert lines
    with canned.refusing() as service, obeya.Client(service.url, token="t", max_retries=0) as unasked:
        for record, wire, word, enumeration, hint in lines:
            method = dict(lists(unasked))[lists_of[record]]
            where = F[wire] == word
            refusal = f"$filter at byte {len(wire) + 4}: found {word!r}, which is no member of {enumeration}; {hint}"
            with pytest.raises(ValueError, match="no member") as caught:
                method(where=where)
            assert str(caught.value) == f"argument 'where': {refusal}"
            # As text it goes to the service.
            with pytest.raises(obeya.APIStatusError):
                method(where=str(where)).page()
            with pytest.raises(obeya.BadRequestError) as answered:
                dict(lists(client))[lists_of[record]](where=str(where)).page()
            assert answered.value.problem is not None
            assert answered.value.problem.detail == refusal
        assert len(service.requests) == len(lines)


def test_words_of_related_records_are_checked_too() -> None:
    with canned.refusing() as service, obeya.Client(service.url, token="t", max_retries=0) as client:
        calls: list[Callable[[], object]] = [
            lambda: client.comments.list(where=F.incident.status.in_(["New", "new"])),
            lambda: client.groups.list(where=F.boards.any(lambda board: board.board_type == "weekly")),
            lambda: client.boards.list(where=F.is_public & ~(F.group.type != "general")),
        ]
        for call in calls:
            with pytest.raises(ValueError, match=r"no member of \w+; did you mean"):
                call()
        assert not service.requests

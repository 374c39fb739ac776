"""Random filters, evaluated by the service and by plain Python over the same records: both must choose the same ones.

Python's side implements OData's null: comparing and combining is three-valued, and only true matches.
"""

from __future__ import annotations

import datetime
import json
import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import obeya
import pytest
from obeya import F

UTC = datetime.timezone.utc
START = datetime.datetime(2026, 1, 1, tzinfo=UTC)
WORDS = ["Weld", "weld", "O'Neil", " Øst ", "Line 2", "Line 12", "", "a'b''c", "100%", "Ærlig_å", "🦺 vest", "\\d+"]
Record = dict[str, Any]


def instant(rng: random.Random) -> datetime.datetime:
    return START + datetime.timedelta(minutes=rng.randrange(0, 200_000), microseconds=rng.choice([0, 0, 250_000, 1]))


def quarters(rng: random.Random) -> float:
    """A number that binary fractions represent exactly."""
    return rng.randrange(-40, 40) / 4


def perhaps(rng: random.Random, value: Any) -> Any:
    return None if rng.random() < 0.3 else value


def plant() -> dict[str, list[Record]]:
    """Records as the import takes them, with gaps."""
    rng = random.Random(1)
    areas = [{"id": n, "name": rng.choice(WORDS[:6]) + str(n % 3), "description": perhaps(rng, rng.choice(WORDS))} for n in range(1, 9)]
    groups = [
        {
            "id": n,
            "type": "GENERAL",
            "name": perhaps(rng, rng.choice(WORDS)),
            "parentId": perhaps(rng, rng.randrange(1, n)) if n > 1 else None,
            "level": perhaps(rng, rng.randrange(-2, 4)),
            "isSystemGroup": rng.random() < 0.5,
            "externalId": perhaps(rng, rng.choice(WORDS)),
        }
        for n in range(1, 61)
    ]
    incidents = [
        {
            "id": n,
            "incidentTypeId": 3,
            "title": rng.choice(WORDS) or "-",
            "text": perhaps(rng, rng.choice(WORDS)),
            "incidentDate": (START + datetime.timedelta(days=rng.randrange(100))).date().isoformat(),
            "reportedDate": instant(rng).isoformat(),
            "dueDate": perhaps(rng, instant(rng).isoformat()),
            "severity": rng.choice(["None", "Low", "Medium", "High"]),
            "areaId": perhaps(rng, rng.randrange(1, 9)),
            "reportedByGroupId": perhaps(rng, rng.randrange(1, 61)),
            "isAnonymous": rng.random() < 0.3,
            "categories": [{"id": 31}],
            "consequences": [{"id": id, "amount": quarters(rng)} for id in (34, 37) if rng.random() < 0.6],
        }
        for n in range(1, 81)
    ]
    comments: list[Record] = []
    for n in range(1, 121):
        before = [comment for comment in comments if comment["parentId"] is None]
        parent = perhaps(rng, rng.choice(before)) if before else None
        comments.append(
            {
                "id": n,
                "incidentId": parent["incidentId"] if parent else rng.randrange(1, 81),
                "parentId": parent and parent["id"],
                "text": rng.choice(WORDS) or "-",
                "commentDate": instant(rng).isoformat(),
                "commentedBy": perhaps(rng, rng.choice(WORDS[:4])),
            }
        )
    values = [
        {
            "id": n,
            "dataSourceId": 1,
            "value": quarters(rng),
            "valueDate": instant(rng).isoformat(),
            "registrationDate": instant(rng).isoformat(),
            "areaId": perhaps(rng, rng.randrange(1, 9)),
            "assetId": perhaps(rng, rng.randrange(-3, 4)),
            "dimension": perhaps(rng, rng.choice(WORDS)),
            "description": perhaps(rng, rng.choice(WORDS)),
        }
        for n in range(1, 201)
    ]
    return {
        "areas": areas,
        "groups": groups,
        "incident_types": [
            {
                "id": 3,
                "title": "Equipment failure",
                "categories": [{"id": 31, "title": "Leak"}],
                "consequences": [{"id": 34, "title": "Downtime", "unit": "min"}, {"id": 37, "title": "Scrap", "unit": "kg"}],
            }
        ],
        "incidents": incidents,
        "incident_comments": comments,
        "datasources": [{"id": 1, "title": "Output"}],
        "datasource_values": values,
    }


PLANT = plant()


@pytest.fixture(scope="module")
def plant_client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[obeya.Client]:
    folder: Path = tmp_path_factory.mktemp("filters")
    for resource, lines in PLANT.items():
        (folder / f"{resource}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    with obeya.TestServer() as server:
        server.import_dir(folder)
        with server.client() as client:
            yield client


class Node(NamedTuple):
    """An expression, and its value for one record."""

    expression: Any
    value: Callable[[Record], Any]


@dataclass
class Shape:
    """The properties of a record, by type, as attributes of `F` and in the lines above; `lists` are its collections."""

    texts: list[str] = field(default_factory=list)
    numbers: list[str] = field(default_factory=list)
    instants: list[str] = field(default_factory=list)
    days: list[str] = field(default_factory=list)
    truths: list[str] = field(default_factory=list)
    words: dict[str, list[str]] = field(default_factory=dict)
    one: dict[str, Shape] = field(default_factory=dict)
    lists: dict[str, Shape] = field(default_factory=dict)


AREA = Shape(texts=["name", "description"], numbers=["id"])
GROUP = Shape(texts=["name", "external_id"], numbers=["id", "level", "parent_id"], truths=["is_system_group"])
PARENT = Shape(**{**GROUP.__dict__, "lists": {"children": GROUP}})
FAMILY = Shape(**{**GROUP.__dict__, "one": {"parent": PARENT}, "lists": {"children": PARENT}})
SEVERITIES = {"severity": ["None", "Low", "Medium", "High"]}
INCIDENT_V2 = Shape(
    texts=["title", "text"],
    numbers=["id", "area_id"],
    instants=["created_date", "due_date"],
    truths=["is_anonymous"],
    words=SEVERITIES,
    one={"area": AREA, "group": FAMILY},
)
SHAPES = {
    "values": Shape(
        texts=["dimension", "description"], numbers=["id", "value", "area_id", "asset_id"], instants=["value_date", "registration_date"]
    ),
    "incidents": Shape(
        texts=["title", "text"],
        numbers=["id", "area_id"],
        instants=["reported_date", "due_date"],
        days=["incident_date"],
        truths=["is_anonymous"],
        words=SEVERITIES,
        lists={"consequences": Shape(texts=["title", "unit"], numbers=["id", "amount"])},
    ),
    "groups": FAMILY,
    "comments": Shape(
        texts=["text", "commented_by"],
        numbers=["id", "parent_id"],
        instants=["comment_date"],
        one={"incident": INCIDENT_V2, "parent": Shape(texts=["text"], numbers=["id"], instants=["comment_date"])},
    ),
}


def read(line: Record) -> Record:
    """A line as an expression sees it: names of attributes, and moments."""
    record = {}
    for wire, value in line.items():
        name = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in wire)
        if name == "incident_date":
            value = datetime.date.fromisoformat(value)
        elif name.endswith("_date") and value is not None:
            value = datetime.datetime.fromisoformat(value)
        record[name] = value
    return record


def records() -> dict[str, list[Record]]:
    """The records of each list, with their related records."""
    lines = {resource: {line["id"]: read(line) for line in of} for resource, of in PLANT.items()}
    groups, areas, comments = lines["groups"], lines["areas"], lines["incident_comments"]
    for group in groups.values():
        group["parent"] = groups.get(group["parent_id"])
        group["children"] = [child for child in groups.values() if child["parent_id"] == group["id"]]
    kinds = {34: ("Downtime", "min"), 37: ("Scrap", "kg")}
    for incident in lines["incidents"].values():
        incident["area"] = areas.get(incident["area_id"])
        incident["group"] = groups.get(incident["reported_by_group_id"])
        incident["created_date"] = incident["reported_date"]
        incident["consequences"] = [
            {**one, "title": kinds[one["id"]][0], "unit": kinds[one["id"]][1]} for one in incident["consequences"]
        ]
    for comment in comments.values():
        comment["incident"] = lines["incidents"][comment["incident_id"]]
        comment["parent"] = comments.get(comment["parent_id"])
    found = {"groups": groups, "comments": comments, "incidents": lines["incidents"], "values": lines["datasource_values"]}
    return {name: list(of.values()) for name, of in found.items()}


RECORDS = records()


def conjunction(a: bool | None, b: bool | None) -> bool | None:
    if a is False or b is False:
        return False
    return None if a is None or b is None else True


def negation(a: bool | None) -> bool | None:
    return None if a is None else not a


def strict(function: Callable[..., Any]) -> Callable[..., Any]:
    """Of nothing it makes nothing."""
    return lambda *arguments: None if None in arguments else function(*arguments)


def rounded(number: float) -> float:
    return math.copysign(math.floor(abs(number) + 0.5), number)


EQUALITIES: list[tuple[Callable[[Any, Any], Any], Callable[[Any, Any], bool]]] = [
    (lambda a, b: a == b, lambda a, b: a == b),
    (lambda a, b: a != b, lambda a, b: a != b),
]
# Nothing is neither smaller nor larger than anything.
ORDERS: list[tuple[Callable[[Any, Any], Any], Callable[[Any, Any], bool]]] = [
    (lambda a, b: a < b, lambda a, b: a is not None and b is not None and a < b),
    (lambda a, b: a <= b, lambda a, b: a is not None and b is not None and a <= b),
    (lambda a, b: a > b, lambda a, b: a is not None and b is not None and a > b),
    (lambda a, b: a >= b, lambda a, b: a is not None and b is not None and a >= b),
]


class Generator:
    """Makes expressions of records of one shape."""

    def __init__(self, rng: random.Random, shape: Shape, root: Any = F, at: Callable[[Record], Record | None] = lambda record: record):
        self.rng = rng
        self.shape = shape
        self.root = root
        self.at = at

    def condition(self, depth: int) -> Node:
        if depth > 0 and self.rng.random() < 0.7:
            kind = self.rng.choice(["and", "or", "not", "equal"])
            a = self.condition(depth - 1)
            if kind == "not":
                return Node(~a.expression, lambda record: negation(a.value(record)))
            b = self.condition(depth - 1)
            if kind == "and":
                return Node(a.expression & b.expression, lambda record: conjunction(a.value(record), b.value(record)))
            if kind == "equal":
                return Node(a.expression == b.expression, lambda record: a.value(record) == b.value(record))
            return Node(
                a.expression | b.expression,
                lambda record: negation(conjunction(negation(a.value(record)), negation(b.value(record)))),
            )
        kinds = ["text", "number", "number", "function"]
        kinds += ["instant"] * bool(self.shape.instants) + ["day"] * bool(self.shape.days) + ["truth"] * bool(self.shape.truths)
        kinds += ["word"] * bool(self.shape.words) + ["one", "one"] * bool(self.shape.one) + ["list", "list"] * bool(self.shape.lists)
        made: Node = getattr(self, f"of_{self.rng.choice(kinds)}")(depth)
        return made

    def property(self, names: list[str]) -> Node:
        name, at = self.rng.choice(names), self.at

        def value(record: Record) -> Any:
            found = at(record)
            return None if found is None else found[name]

        return Node(getattr(self.root, name), value)

    def compared(self, a: Node, b: Node | Any, orders: bool = True) -> Node:
        right = b if isinstance(b, Node) else Node(b, lambda record: b)
        made, worth = self.rng.choice(EQUALITIES if b is None or not orders else EQUALITIES + ORDERS)
        if b is not None and self.rng.random() < 0.2:
            a, right = right, a
        if not isinstance(a.expression, obeya.Expression) and not isinstance(right.expression, obeya.Expression):
            # Python would compare the two values itself.
            a, right = self.property(self.shape.numbers), Node(1, lambda record: 1)
        return Node(made(a.expression, right.expression), lambda record: worth(a.value(record), right.value(record)))

    def among(self, a: Node, choices: list[Any]) -> Node:
        chosen = self.rng.choices([*choices, None], k=self.rng.randrange(4))
        return Node(a.expression.in_(chosen), lambda record: a.value(record) in chosen)

    def text(self) -> Node:
        a = self.property(self.shape.texts)
        start, length, word = self.rng.randrange(3), self.rng.randrange(4), self.rng.choice(WORDS)
        changes: list[tuple[Any, Callable[..., Any]]] = [
            (lambda e: e, lambda text: text),
            (lambda e: e.tolower(), str.lower),
            (lambda e: e.toupper(), str.upper),
            (lambda e: e.trim(), str.strip),
            (lambda e: e.concat(word), lambda text: text + word),
            (lambda e: e.substring(start), lambda text: text[start:]),
            (lambda e: e.substring(start, length), lambda text: text[start : start + length]),
        ]
        made, worth = self.rng.choice(changes)
        return Node(made(a.expression), lambda record: strict(worth)(a.value(record)))

    def of_text(self, _depth: int) -> Node:
        a = self.text()
        if self.rng.random() < 0.3:
            return self.among(a, WORDS)
        return self.compared(a, self.rng.choice([self.rng.choice(WORDS), self.text(), None]))

    def of_function(self, _depth: int) -> Node:
        a, word = self.text(), self.rng.choice(WORDS)
        word = word[: self.rng.randrange(1, 4)]
        functions: list[tuple[Any, Callable[..., bool]]] = [
            (a.expression.contains(word), lambda text: word in text),
            (a.expression.startswith(word), lambda text: text.startswith(word)),
            (a.expression.endswith(word), lambda text: text.endswith(word)),
            (a.expression.matchespattern("[0-9]$"), lambda text: text[-1:].isdigit()),
        ]
        made, worth = self.rng.choice(functions)
        return Node(made, lambda record: strict(worth)(a.value(record)))

    def number(self, depth: int) -> Node:
        kind = self.rng.randrange(8)
        if depth > 0 and kind < 4:
            a, b = self.number(depth - 1), self.number(depth - 1)
            c = self.rng.choice([2, 0.5, -4])
            computed: list[tuple[Any, Callable[..., Any], tuple[Node, ...]]] = [
                (lambda: a.expression + b.expression, lambda a, b: a + b, (a, b)),
                (lambda: a.expression - b.expression, lambda a, b: a - b, (a, b)),
                (lambda: a.expression * c, lambda a: a * c, (a,)),
                (lambda: a.expression / c, lambda a: a / c, (a,)),
                (lambda: c - a.expression, lambda a: c - a, (a,)),
                (lambda: -a.expression, lambda a: -a, (a,)),
                (lambda: a.expression.round(), rounded, (a,)),
                (lambda: a.expression.floor(), math.floor, (a,)),
                (lambda: a.expression.ceiling(), math.ceil, (a,)),
            ]
            made, worth, operands = self.rng.choice(computed)
            return Node(made(), lambda record: strict(worth)(*(operand.value(record) for operand in operands)))
        if kind == 4:
            text = self.text()
            return Node(text.expression.length(), lambda record: strict(len)(text.value(record)))
        if kind == 5:
            text, part = self.text(), self.rng.choice(["e", "'", "12"])
            return Node(text.expression.indexof(part), lambda record: strict(lambda found: found.find(part))(text.value(record)))
        if kind == 6 and self.shape.lists:
            name, at = self.rng.choice(list(self.shape.lists)), self.at
            return Node(getattr(self.root, name).count(), lambda record: len((at(record) or {name: ()})[name]))
        return self.property(self.shape.numbers)

    def of_number(self, depth: int) -> Node:
        a = self.number(depth)
        if self.rng.random() < 0.2:
            return self.among(a, [0, 1, 2, 2.5, -3])
        literals = [self.rng.randrange(-40, 40) / 4, self.rng.randrange(-5, 80), None, float("inf"), float("-inf")]
        return self.compared(a, self.rng.choice([*literals, self.number(depth)]))

    def of_instant(self, _depth: int) -> Node:
        a, b = self.property(self.shape.instants), self.property(self.shape.instants)
        kind = self.rng.randrange(5)
        if kind == 0:
            part = self.rng.choice(["year", "month", "day", "hour", "minute", "second"])
            made = Node(getattr(a.expression, part)(), lambda record: strict(lambda moment: getattr(moment, part))(a.value(record)))
            return self.compared(made, self.rng.choice([2026, 1, 3, 12, 30]))
        if kind == 1:
            made = Node(a.expression.date(), lambda record: strict(lambda moment: moment.date())(a.value(record)))
            return self.compared(made, instant(self.rng).date())
        if kind == 2:
            made = Node(a.expression.time(), lambda record: strict(lambda moment: moment.time())(a.value(record)))
            return self.compared(made, instant(self.rng).time())
        if kind == 3:
            made = Node(a.expression - b.expression, lambda record: strict(lambda a, b: a - b)(a.value(record), b.value(record)))
            return self.compared(made, datetime.timedelta(hours=self.rng.randrange(-2000, 2000)))
        moment = self.rng.choice(RECORDS["values"])["value_date"] if self.rng.random() < 0.3 else instant(self.rng)
        zone = datetime.timezone(datetime.timedelta(minutes=self.rng.choice([0, 330, -480])))
        literal = self.rng.choice([moment.astimezone(zone), moment.replace(tzinfo=None)])
        made_with = Node(literal, lambda record: moment)
        return self.compared(a, self.rng.choice([made_with, b, None]))

    def of_day(self, _depth: int) -> Node:
        day = START.date() + datetime.timedelta(days=self.rng.randrange(100))
        return self.compared(self.property(self.shape.days), day)

    def of_truth(self, _depth: int) -> Node:
        a = self.property(self.shape.truths)
        return self.rng.choice([a, self.compared(a, self.rng.random() < 0.5, orders=False)])

    def of_word(self, _depth: int) -> Node:
        name = self.rng.choice(list(self.shape.words))
        a, words = self.property([name]), self.shape.words[name]
        if self.rng.random() < 0.5:
            return self.among(a, words)
        return self.compared(a, self.rng.choice(words), orders=False)

    def of_one(self, depth: int) -> Node:
        name, at = self.rng.choice(list(self.shape.one)), self.at

        def step(record: Record) -> Any:
            return (at(record) or {}).get(name)

        return Generator(self.rng, self.shape.one[name], getattr(self.root, name), step).condition(depth - 1)

    def of_list(self, depth: int) -> Node:
        name, at = self.rng.choice(list(self.shape.lists)), self.at

        def members(record: Record) -> Any:
            return (at(record) or {name: ()})[name]

        collection = getattr(self.root, name)
        kind = self.rng.randrange(5)
        if kind == 0:
            return Node(collection.any(), lambda record: bool(members(record)))
        bodies: list[Node] = []

        def body(variable: obeya.Field) -> Any:
            inner = Generator(self.rng, self.shape.lists[name], variable, lambda pair: pair["member"]).condition(max(depth - 1, 0))
            if self.rng.random() < 0.5:
                bodies.append(inner)
            else:
                # A body may speak of the record around the member too.
                outer = Generator(self.rng, self.shape, self.root, lambda pair: at(pair["around"])).of_number(0)
                both = inner.expression & outer.expression
                bodies.append(Node(both, lambda pair: conjunction(inner.value(pair), outer.value(pair))))
            return bodies[0].expression

        made, joined = (collection.any, any) if kind < 3 else (collection.all, all)
        expression = made(body)

        def holds(record: Record) -> bool:
            return joined(bodies[0].value({"member": member, "around": record}) is True for member in members(record))

        return Node(expression, holds)


LISTS: dict[str, Callable[[obeya.Client, obeya.Filter], Any]] = {
    "values": lambda client, where: client.datasources.values(1, where=where, order_by=F.id),
    "incidents": lambda client, where: client.incidents.list(where=where),
    "groups": lambda client, where: client.groups.list(where=where, select=F.id),
    "comments": lambda client, where: client.comments.list(where=where, select=[F.id], order_by=F.id.asc()),
}


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("seed", range(10))
def test_the_service_finds_what_python_finds(plant_client: obeya.Client, name: str, seed: int) -> None:
    rng = random.Random(f"{name} {seed}")
    generator = Generator(rng, SHAPES[name])
    partial = 0
    for _ in range(25):
        node = generator.condition(rng.randrange(4))
        found = [record.id for record in LISTS[name](plant_client, node.expression)]
        wanted = [record["id"] for record in RECORDS[name] if node.value(record) is True]
        assert found == wanted, str(node.expression)
        partial += 0 < len(wanted) < len(RECORDS[name])
    # Filters that find all or nothing say little.
    assert partial >= 8


@pytest.mark.parametrize(
    ("keys", "python"),
    [
        (F.value.desc(), lambda record: (-record["value"], record["id"])),
        ([F.dimension.length().desc(), F.value], lambda record: (-len(record["dimension"]), record["value"], record["id"])),
        ([F.value_date.month(), F.value.asc(), "id desc"], lambda record: (record["value_date"].month, record["value"], -record["id"])),
    ],
)
def test_the_service_orders_as_python_does(plant_client: obeya.Client, keys: Any, python: Callable[[Record], Any]) -> None:
    values = plant_client.datasources.values(1, where=F.dimension != None, order_by=keys)  # noqa: E711
    wanted = sorted((record for record in RECORDS["values"] if record["dimension"] is not None), key=python)
    assert [value.id for value in values] == [record["id"] for record in wanted]

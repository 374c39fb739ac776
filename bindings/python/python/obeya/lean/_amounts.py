"""What each category of a Pareto chart amounts to: records counted, or a weight of theirs summed within one unit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import Any, Literal, TypeAlias

import pyarrow as pa

from obeya.lean import _frame, _plot
from obeya.lean._rows import Rows, named

Split: TypeAlias = Literal["equal", "each"]
"""How the amount of a record with several categories counts: in equal parts, or for each of them in full."""


@dataclass(frozen=True)
class Amounts:
    """The amounts of categories, and of the records that have them."""

    entries: list[tuple[int, str | None, float]]
    """Record, category and what the record adds to it."""
    records: dict[int, float]
    """What each record amounts to, once."""
    split: Split | None
    """How records with several categories count; None where there are none, or where each entry has its own amount."""
    empty: int
    """How many rows have no category, or no amount, and do not count."""
    uncategorised: float
    """What the rows without a category amount to."""
    name: str
    """The name of the amounts."""

    @property
    def total(self) -> float:
        """The sum over the records, each of them once."""
        return fsum(self.records.values())

    def ranked(self) -> list[tuple[str | None, float]]:
        """The categories, the largest first, equal ones by name."""
        found: dict[str | None, list[float]] = {}
        for _, category, amount in self.entries:
            found.setdefault(category, []).append(amount)
        sums = [(category, fsum(amounts)) for category, amounts in found.items()]
        return sorted(sums, key=lambda item: (-item[1], item[0] is None, item[0] or ""))

    def of(self, categories: Collection[str | None]) -> float:
        """What several categories amount to together. Counted in full for each, a record that has two of them counts once."""
        if self.split == "each":
            return fsum(self.records[record] for record in {row for row, category, _ in self.entries if category in categories})
        return fsum(amount for _, category, amount in self.entries if category in categories)

    def running(self, categories: Sequence[str | None]) -> list[float]:
        """What the first category amounts to, the first two together, and so on."""
        rows: dict[str | None, list[tuple[int, float]]] = {}
        for row, category, amount in self.entries:
            rows.setdefault(category, []).append((row, amount))
        found: list[float] = []
        sums: list[float] = []
        seen: set[int] = set()
        for category in categories:
            for row, amount in rows[category]:
                if self.split != "each":
                    sums.append(amount)
                elif row not in seen:
                    seen.add(row)
                    sums.append(self.records[row])
            found.append(fsum(sums))
        return found


def amounts(used: Rows, by: str, weight: str | None, unit: str | None, split: Split | None) -> Amounts:
    """The amounts of the categories in ``by``; see `obeya.lean.pareto`."""
    names, parents = _frame.exploded(used.table, by, "by")
    categories = _frame.words(pa.table({by: names}), by, "by")
    rows = list(range(used.table.num_rows)) if parents is None else parents.to_pylist()
    several = any(count > 1 for count in Counter(rows).values())
    if weight is None and split is None:
        # Counted are the entries themselves: an incident with two causes is one of each.
        own = [(at, category, 1.0) for at, category in enumerate(categories)]
        return _of_entries(own, None, used.table.num_rows - len(set(rows)), unit or "count")
    if weight is None:
        weights, label = dict.fromkeys(range(used.table.num_rows), 1.0), unit or "count"
    else:
        numbers, places, unit = _weights(used, weight, unit)
        label = _plot.labelled(weight, unit)
        if parents is not None and _list(weight) == by.partition(".")[0]:
            if split is not None:
                message = f"each of {by!r} has a {weight} of its own: there is nothing to split"
                raise ValueError(message)
            own = [(at, categories[at], number) for at, (_, number) in zip(places, numbers, strict=True)]
            return _of_entries(own, None, used.table.num_rows - len({row for row, _ in numbers}), label)
        weights = {}
        for row, number in numbers:
            weights[row] = weights.get(row, 0.0) + number
    how = (split or "equal") if several else None
    found = _shared(rows, categories, weights, how, label + shared_by(how, by))
    # Where each row has a category and an amount, one that does not count is named already.
    lists = parents is not None or (weight is not None and _list(weight) != "")
    return replace(found, empty=used.table.num_rows - len(found.records)) if lists else found


def shared_by(split: Split | None, by: str) -> str:
    """How records with several categories count, as a part of the name of the amounts."""
    among = by.partition(".")[0]
    return {"equal": f", split evenly among {among}", "each": f", in full for each of its {among}"}.get(split or "", "")


def _of_entries(own: list[tuple[int, str | None, float]], split: Split | None, empty: int, name: str) -> Amounts:
    """Entries that are counted apart, each as a record of its own."""
    return Amounts(own, {at: amount for at, _, amount in own}, split, empty, 0.0, name)


def _shared(
    rows: Sequence[int], categories: Sequence[str | None], weights: dict[int, float], how: Split | None, name: str
) -> Amounts:
    """The weights of rows, shared among their categories."""
    counts = Counter(rows)
    entries = [
        (row, category, weights[row] / (counts[row] if how == "equal" else 1))
        for row, category in zip(rows, categories, strict=True)
        if row in weights
    ]
    if how == "each":
        # One record is one of a category, however often it has it.
        entries = list(dict.fromkeys(entries))
    records = {row: weights[row] for row, _, _ in entries}
    return Amounts(
        entries=entries,
        records=records,
        split=how,
        empty=0,
        uncategorised=fsum(weight for row, weight in weights.items() if row not in counts),
        name=name,
    )


def _list(path: str) -> str:
    """The column of lists whose field a path names; empty where it names a column."""
    name, _, field = path.partition(".")
    return name if field else ""


def _weights(used: Rows, weight: str, unit: str | None) -> tuple[list[tuple[int, float]], list[int], str | None]:
    """Row and amount of each usable amount, the places of these among all, and their unit.

    Units stand beside amounts: the field ``unit`` of the same list, or the column ``unit`` beside the column ``amount``.
    """
    table = used.table
    values, parents = _frame.exploded(table, weight, "weight")
    rows = list(range(table.num_rows)) if parents is None else parents.to_pylist()
    beside: list[str | None] = []
    path = f"{_list(weight)}.unit" if _list(weight) else "unit"
    if weight.endswith("amount") and weight in ("amount", f"{_list(weight)}.amount") and _frame.has(table, path):
        units = _frame.exploded(table, path, "unit")[0]
        beside = _frame.words(pa.table({path: units}), path, "unit")
        unit = _one_unit(beside, weight, unit)
        # Where no amount has a unit, the one that is passed only names them.
        beside = beside if any(beside) else []
    numbers: list[Any] = _frame.numbers(pa.table({weight: values}), weight, "weight")
    found: list[tuple[int, float]] = []
    places: list[int] = []
    wanted = [at for at in range(len(numbers)) if not beside or unit is None or beside[at] == unit]
    for at in wanted:
        why = _unusable(numbers[at], weight)
        if why:
            used.leave_out(rows[at], why)
        else:
            found.append((rows[at], numbers[at]))
            places.append(at)
    if wanted and not found:
        message = f"no amount of {weight!r} can be used: {named(used.left_out, 1)}"
        raise ValueError(message)
    return found, places, unit


def _one_unit(units: Sequence[str | None], weight: str, unit: str | None) -> str | None:
    """The requested unit, or the only one there is."""
    found = sorted({name for name in units if name is not None})
    if not found:
        return unit
    several = len(found) + (None in units) > 1
    if (unit is None and several) or (unit is not None and unit not in found):
        listed = ", ".join([*found, *(["no unit"] if None in units else [])])
        message = f"the amounts of {weight!r} are in {listed}, which have no common sum: choose one (argument `unit`)"
        raise ValueError(message if unit is None else f"{message}; found {unit!r}")
    return found[0] if unit is None else unit


def _unusable(number: Any, weight: str) -> str | None:
    """Why an amount has no share in a total."""
    if number is None:
        return f"has no {weight}"
    if isinstance(number, _frame.Unusable):
        return f"has the {weight} {number}"
    return f"has a negative {weight}, {_plot.short(number)}" if number < 0 else None

"""Whose records count: those of an area, or of a group with its subgroups, or all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from obeya import F, Filter
from obeya._report._wanted import Unknown, Wanted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from obeya import Client



@dataclass(frozen=True)
class Scope:
    """The conditions by which records count."""

    area: tuple[int, str] | None = None
    """The id and the name of the area."""
    group: tuple[int, str] | None = None
    """The id and the name of the group."""
    groups: tuple[int, ...] = ()
    """Its id, and those of its subgroups."""

    def incidents(self, *others: Filter) -> Filter | None:
        """Those of the area that the groups have reported or follow up, and that any of the other conditions is true of."""
        parts = []
        if self.area is not None:
            parts.append(F.area_id == self.area[0])
        if self.group is not None:
            parts.append(F.reported_by_group_id.in_(self.groups) | F.follow_up_group_id.in_(self.groups))
        return _all([*parts, *([_any(others)] if others else [])])

    def improvements(self) -> Filter | None:
        """Those of the groups."""
        return None if self.group is None else F.group_id.in_(self.groups)

    def tasks(self, *needed: Filter) -> Filter | None:
        """Those on boards of the groups, that all other conditions are true of."""
        return _all([*needed, *([] if self.group is None else [F.board.group_id.in_(self.groups)])])


def find(client: Client, wanted: Wanted) -> Scope:
    """The area and the group that are meant by a name or an id.

    Raises:
        Unknown: There is none of that name or id, or several.
    """
    area = group = None
    groups: tuple[int, ...] = ()
    if wanted.area is not None:
        area = _named("area", wanted.area, [(each.id, each.name) for each in client.areas.list()])
    if wanted.group is not None:
        there = client.groups.list(select=["id", "name", "parentId"]).all()
        group = _named("group", wanted.group, [(each.id, each.name) for each in there])
        groups = _below(group[0], [(each.id, each.parent_id) for each in there])
    return Scope(area, group, groups)


def _named(kind: str, name: str, there: Iterable[tuple[int | None, str | None]]) -> tuple[int, str]:
    known = [(number, title or "") for number, title in there if number is not None]
    found = [each for each in known if each[1] == name] or [each for each in known if str(each[0]) == name]
    if len(found) == 1:
        return found[0]
    if found:
        message = f"several {kind}s are called {name!r}; pass one of their ids: {', '.join(str(number) for number, _ in found)}"
    else:
        message = f"no {kind} is called {name!r}; those there are: {', '.join(sorted(title for _, title in known)) or 'none'}"
    raise Unknown(message)


def _below(top: int, parents: Iterable[tuple[int | None, int | None]]) -> tuple[int, ...]:
    """A group and all below it."""
    children: dict[int | None, list[int]] = {}
    for number, parent in parents:
        if number is not None:
            children.setdefault(parent, []).append(number)
    found = [top]
    for each in found:
        # A circle of parents must not go on for ever.
        found += [child for child in children.get(each, ()) if child not in found]
    return tuple(found)


def _any(conditions: Iterable[Filter]) -> Filter:
    first, *others = conditions
    for other in others:
        first = first | other
    return first


def _all(conditions: Iterable[Filter]) -> Filter | None:
    found: Filter | None = None
    for condition in conditions:
        found = condition if found is None else found & condition
    return found

# Written by `cargo xtask regen` from ../_async/groups.py; edit that.
# fmt: off
"""Groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from obeya._sync._answer import answer
from obeya._sync.lists import GroupableRecords, Records

if TYPE_CHECKING:
    from obeya._obeya import Core
    from obeya._settings import Names, Order, Where
    from obeya.models import GroupV2

    # Imports of the methods below the second marker, written by `cargo xtask regen`.
    from obeya._obeya import Call, Query
    from obeya.models import GroupV1, UserGroupMember
    from obeya.types import GroupCreate, GroupMemberCreate
    from typing_extensions import Unpack
    # End of the methods that `cargo xtask regen` writes.


class Groups:
    """The groups of the plant."""

    def __init__(self, core: Core) -> None:
        self._core = core

    # Written by `cargo xtask regen` from spec/openapi.yaml, all but the docstrings and the names of lists.
    def list(
        self,
        *,
        where: Where | None = None,
        order_by: Order | None = None,
        select: Names | None = None,
        expand: Names | None = None,
        search: str | None = None,
        top: int | None = None,
        skip: int | None = None,
        count: bool | None = None,
    ) -> GroupableRecords[GroupV2]:
        """The groups. Expands `parent`, `children`, `boards` and `users`. The options are those of `areas.list`."""
        query: Query[GroupV2] = self._core.query(
            "listGroupsV2",
            where=where,
            order_by=order_by,
            select=select,
            expand=expand,
            search=search,
            top=top,
            skip=skip,
            count=count,
        )
        return GroupableRecords(query, "groups")

    def get(self, group: int | GroupV2, *, select: Names | None = None, expand: Names | None = None) -> GroupV2:
        """One group. Expands `parent`, `children`, `boards` and `users`."""
        call: Call[GroupV2] = self._core.call("getGroup", group, select, expand)
        return answer(call)

    def list_v1(self, *, where: Where | None = None, order_by: Order | None = None) -> Records[GroupV1]:
        """The groups as v1 lists them: all at once."""
        query: Query[GroupV1] = self._core.query("listGroupsV1", where=where, order_by=order_by)
        return Records(query, "groups (v1)")

    def create(self, *, idempotency_key: str | None = None, **fields: Unpack[GroupCreate]) -> GroupV1:
        """Creates a group without members. It gets an id, which is never used again."""
        call: Call[GroupV1] = self._core.carrying(None, idempotency_key).call("createGroup", fields)
        return answer(call)

    def delete(
        self, group: int | GroupV2, *, if_match: str | None = None, idempotency_key: str | None = None
    ) -> None:
        """Deletes a group to which nothing refers, with its memberships."""
        call: Call[None] = self._core.carrying(if_match, idempotency_key).call("deleteGroup", group)
        answer(call)

    def members(self, group: int | GroupV2) -> Records[UserGroupMember]:
        """All members of a group as an array, ordered by the id of the user."""
        query: Query[UserGroupMember] = self._core.query("listGroupMembers", group)
        return Records(query, "the members of a group")

    def put_member(
        self, group: int | GroupV2, /, *, idempotency_key: str | None = None, **fields: Unpack[GroupMemberCreate]
    ) -> None:
        """Makes a user a member of a group with this role. A user who is one already gets the role. The response has no body."""
        call: Call[None] = self._core.carrying(None, idempotency_key).call("putGroupMember", group, fields)
        answer(call)

    def remove_member(self, group: int | GroupV2, user_id: str, *, idempotency_key: str | None = None) -> None:
        """Removes a user from a group. Incidents that the user is responsible for stay as they are. The response has no body."""
        call: Call[None] = self._core.carrying(None, idempotency_key).call("removeGroupMember", group, user_id)
        answer(call)
    # End of the methods that `cargo xtask regen` writes.

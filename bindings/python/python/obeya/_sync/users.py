# Written by `cargo xtask regen` from ../_async/users.py; edit that.
# fmt: off
"""Users."""

from __future__ import annotations

from typing import TYPE_CHECKING

from obeya._sync._answer import answer
from obeya._sync.lists import GroupableRecords, Records

if TYPE_CHECKING:
    from obeya._obeya import Call, Core
    from obeya.models import UserV1, UserV2
    from obeya.types import UserCreateV2, UserUpdateV1
    from typing_extensions import Unpack

    # Imports of the methods below the second marker, written by `cargo xtask regen`.
    from obeya._obeya import Query
    from obeya._settings import Names, Order, Where
    from obeya.models import GroupV1
    from obeya.types import UserCreateV1, UserPatch, UserUpdateV2
    # End of the methods that `cargo xtask regen` writes.


class Users:
    """People, and the screens and devices that sign in.

    The members of a group are `groups.members`.
    """

    def __init__(self, core: Core) -> None:
        self._core = core
        self._calls = core.users

    def create(
        self, *, allow_recovery: bool = False, idempotency_key: str | None = None, **fields: Unpack[UserCreateV2]
    ) -> UserV2:
        """Creates a user with a new id.

        With `allow_recovery` a deleted user with the same `user_name` is restored, under its id and with these
        values; without it such a name raises `ConflictError` with the code `user.deleted`.
        """
        calls = self._calls.carrying(None, idempotency_key)
        call: Call[UserV2] = calls.create(fields, allow_recovery)
        return answer(call)

    def update_by_user_name(
        self,
        named: str,
        /,
        *,
        if_match: str | None = None,
        idempotency_key: str | None = None,
        **fields: Unpack[UserUpdateV1],
    ) -> UserV1:
        """Updates the user with the user name `named`, whatever its case.

        `user_name` may be another one, which the user then gets.
        """
        calls = self._calls.carrying(if_match, idempotency_key)
        call: Call[UserV1] = calls.update_by_user_name(named, fields)
        return answer(call)

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
    ) -> GroupableRecords[UserV2]:
        """The users who were not deleted. Expands `groups`. The options are those of `areas.list`."""
        query: Query[UserV2] = self._core.query(
            "listUsersV2",
            where=where,
            order_by=order_by,
            select=select,
            expand=expand,
            search=search,
            top=top,
            skip=skip,
            count=count,
        )
        return GroupableRecords(query, "users")

    def get(self, user_id: str, *, select: Names | None = None, expand: Names | None = None) -> UserV2:
        """One user by its id.

        `$select` and `$expand` apply to the response; the other options are validated but have no
        effect.
        """
        call: Call[UserV2] = self._core.call("getUserV2", user_id, select, expand)
        return answer(call)

    def update(
        self,
        user_id: str,
        /,
        *,
        if_match: str | None = None,
        idempotency_key: str | None = None,
        **fields: Unpack[UserUpdateV2],
    ) -> UserV2:
        """Changes only the properties in the body; null clears a nullable property.

        Other names without a `displayName` make a new one. The response is the whole user.
        """
        call: Call[UserV2] = self._core.carrying(if_match, idempotency_key).call("updateUserV2", user_id, fields)
        return answer(call)

    def delete(self, user_id: str, *, if_match: str | None = None, idempotency_key: str | None = None) -> None:
        """Deletes a user, whose memberships end.

        Records go on naming the person; nobody can be named anew. `obeya erase-user` removes a
        person from the records. The response has no body.
        """
        call: Call[None] = self._core.carrying(if_match, idempotency_key).call("deleteUserV2", user_id)
        answer(call)

    def patch(
        self,
        user_id: str,
        /,
        *,
        if_match: str | None = None,
        idempotency_key: str | None = None,
        **fields: Unpack[UserPatch],
    ) -> UserV2:
        """Changes the properties in the body, a JSON merge patch (RFC 7396); null clears a nullable property.

        Other names without a `displayName` make a new one. The response is the whole user.
        """
        call: Call[UserV2] = self._core.carrying(if_match, idempotency_key).call("patchUser", user_id, fields)
        return answer(call)

    def list_v1(self, *, where: Where | None = None, order_by: Order | None = None) -> Records[UserV1]:
        """All users who were not deleted and match `$filter` as an array, ordered by `$orderby` and id.

        `roles` stands in no condition and no order.
        """
        query: Query[UserV1] = self._core.query("listUsersV1", where=where, order_by=order_by)
        return Records(query, "users (v1)")

    def create_v1(self, *, idempotency_key: str | None = None, **fields: Unpack[UserCreateV1]) -> UserV1:
        """Creates a user with a new id; the display name is first and last name. The response is the whole user."""
        call: Call[UserV1] = self._core.carrying(None, idempotency_key).call("createUserV1", fields)
        return answer(call)

    def get_v1(self, user_id: str) -> UserV1:
        """One user by its id."""
        call: Call[UserV1] = self._core.call("getUserV1", user_id)
        return answer(call)

    def update_v1(
        self,
        user_id: str,
        /,
        *,
        if_match: str | None = None,
        idempotency_key: str | None = None,
        **fields: Unpack[UserUpdateV1],
    ) -> UserV1:
        """Changes only the properties in the body; null clears a nullable property.

        Other names make a new display name. The response is the whole user.
        """
        call: Call[UserV1] = self._core.carrying(if_match, idempotency_key).call("updateUserV1", user_id, fields)
        return answer(call)

    def delete_v1(
        self, user_id: str, *, if_match: str | None = None, idempotency_key: str | None = None
    ) -> UserV1:
        """Deletes a user, whose memberships end.

        Records go on naming the person; nobody can be named anew. `obeya erase-user` removes a
        person from the records. The response is the user.
        """
        call: Call[UserV1] = self._core.carrying(if_match, idempotency_key).call("deleteUserV1", user_id)
        return answer(call)

    def groups(self, user_id: str) -> Records[GroupV1]:
        """The groups of which a user is a member, whatever the role, as an array, ordered by id."""
        query: Query[GroupV1] = self._core.query("listGroupsOfUser", user_id)
        return Records(query, "the groups of a user")

    def of_role(self, role: str) -> Records[UserV1]:
        """The users with a role of the plant, as an array, ordered by id; empty if nobody has it."""
        query: Query[UserV1] = self._core.query("listUsersOfRole", role)
        return Records(query, "the users with a role")

    def add_role(
        self, user_id: str, role: str, *, if_match: str | None = None, idempotency_key: str | None = None
    ) -> UserV1:
        """Gives a user a role of the plant; a user who has it keeps it.

        What a role allows is not decided here: this service only stores it. The response is the
        whole user.
        """
        call: Call[UserV1] = self._core.carrying(if_match, idempotency_key).call("addUserRole", user_id, role)
        return answer(call)

    def remove_role(
        self, user_id: str, role: str, *, if_match: str | None = None, idempotency_key: str | None = None
    ) -> UserV1:
        """Takes a role of the plant from a user. The response is the whole user."""
        call: Call[UserV1] = self._core.carrying(if_match, idempotency_key).call("removeUserRole", user_id, role)
        return answer(call)
    # End of the methods that `cargo xtask regen` writes.

# Written by `cargo xtask regen` from spec/openapi.yaml; edit that, or xtask/src/python.
# fmt: off
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, final

from typing_extensions import Self

__all__ = [
    "Area",
    "Attachment",
    "Board",
    "BoardDetail",
    "BoardLine",
    "BoardSummary",
    "Category",
    "CategoryReference",
    "CauseReference",
    "DataList",
    "DataListItem",
    "Datasource",
    "DatasourceDetail",
    "DatasourceElement",
    "DatasourceV2",
    "DatasourceValue",
    "DatasourceValueTotal",
    "DatasourceValueV2",
    "GroupV1",
    "GroupV2",
    "Improvement",
    "ImprovementV2",
    "IncidentAttachment",
    "IncidentCommentV1",
    "IncidentCommentV2",
    "IncidentConsequence",
    "IncidentCustomField",
    "IncidentType",
    "IncidentTypeCustomField",
    "IncidentTypeDetail",
    "IncidentTypeSummary",
    "IncidentV1",
    "IncidentV2",
    "ODataError",
    "Problem",
    "Project",
    "ProjectMilestone",
    "Task",
    "TaskAttachment",
    "TaskComment",
    "TaskInfo",
    "TrashedIncident",
    "TypeCause",
    "TypeConsequence",
    "UserGroup",
    "UserGroupMember",
    "UserMembership",
    "UserV1",
    "UserV2",
]

@final
class Area:
    """An area of the plant."""
    __match_args__ = ("id", "name", "description",)
    @property
    def id(self) -> int | None:
        """Id of the area."""
    @property
    def name(self) -> str | None:
        """Name of the area."""
    @property
    def description(self) -> str | None:
        """Description of the area."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class Board:
    """A board, without its lines."""
    __match_args__ = ("id", "name", "board_type", "business_unit_id", "is_member", "project_id", "is_public", "group_id", "group", "tasks",)
    @property
    def id(self) -> int | None:
        """Id of the board."""
    @property
    def name(self) -> str | None:
        """Name of the board."""
    @property
    def board_type(self) -> str | None:
        """Layout of the board."""
    @property
    def business_unit_id(self) -> int | None:
        """Id of the group that is the board's business unit."""
    @property
    def is_member(self) -> bool | None:
        """Whether the caller counts as a member of the board. A client is not a user, so this is the imported value, otherwise false."""
    @property
    def project_id(self) -> int | None:
        """Id of the project the board belongs to."""
    @property
    def is_public(self) -> bool | None:
        """Whether people outside the group can see the board."""
    @property
    def group_id(self) -> int | None:
        """Id of the group the board belongs to."""
    @property
    def group(self) -> GroupV2 | None:
        """The group the board belongs to. Only with `$expand`."""
    @property
    def tasks(self) -> tuple[Task, ...] | None:
        """The tasks of the board. Only with `$expand`."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class GroupV2:
    """A team, a business unit, or the members of a project."""
    __match_args__ = ("id", "type", "name", "description", "parent_id", "is_system_group", "level", "sort_order", "business_unit_id", "project_id", "external_id", "external_name", "is_member", "parent", "children", "boards", "users",)
    @property
    def id(self) -> int | None:
        """Id of the group."""
    @property
    def type(self) -> str | None:
        """Type of a group."""
    @property
    def name(self) -> str | None:
        """Name of the group."""
    @property
    def description(self) -> str | None:
        """Description of the group."""
    @property
    def parent_id(self) -> int | None:
        """Id of the parent group."""
    @property
    def is_system_group(self) -> bool | None:
        """Whether the system created the group."""
    @property
    def level(self) -> int | None:
        """Depth in the tree of groups; 0 is the root level."""
    @property
    def sort_order(self) -> int | None:
        """Sort position among the groups with the same parent."""
    @property
    def business_unit_id(self) -> int | None:
        """Id of the group that is the business unit."""
    @property
    def project_id(self) -> int | None:
        """Id of the project the group works on."""
    @property
    def external_id(self) -> str | None:
        """The group's id in another system."""
    @property
    def external_name(self) -> str | None:
        """The group's name in another system."""
    @property
    def is_member(self) -> bool | None:
        """Whether the caller counts as a member of the group. A client is not a user, so this is the imported value, otherwise false."""
    @property
    def parent(self) -> GroupV2 | None:
        """The parent group. Only with `$expand`."""
    @property
    def children(self) -> tuple[GroupV2, ...] | None:
        """The child groups. Only with `$expand`."""
    @property
    def boards(self) -> tuple[Board, ...] | None:
        """The boards of the group. Only with `$expand`."""
    @property
    def users(self) -> tuple[UserGroup, ...] | None:
        """The members of the group. Only with `$expand`."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class UserGroup:
    """A person, as a member of a group."""
    __match_args__ = ("id", "user_name", "display_name", "group_id", "user_id", "role", "group", "user",)
    @property
    def id(self) -> str | None:
        """Id of the user."""
    @property
    def user_name(self) -> str | None:
        """Name with which the user signs in; null for a client that may not read groups."""
    @property
    def display_name(self) -> str | None:
        """Display name of the user."""
    @property
    def group_id(self) -> int | None:
        """Id of the group."""
    @property
    def user_id(self) -> str | None:
        """Id of the user, the same as `id`."""
    @property
    def role(self) -> str | None:
        """What a member may do in a group. A `Viewer` only follows it, and cannot be responsible for its incidents."""
    @property
    def group(self) -> GroupV2 | None:
        """The group. Only with `$expand`."""
    @property
    def user(self) -> UserV2 | None:
        """The user. Only with `$expand`."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class UserV2:
    """A person, or a screen or device that signs in. A client that may not read users sees `id` and `displayName` alone."""
    __match_args__ = ("id", "user_name", "email", "first_name", "last_name", "display_name", "external_id", "type", "business_unit_id", "groups",)
    @property
    def id(self) -> str | None:
        """Id of the user."""
    @property
    def user_name(self) -> str | None:
        """Name with which the user signs in."""
    @property
    def email(self) -> str | None:
        """E-mail address, if known."""
    @property
    def first_name(self) -> str | None:
        """First name, if known."""
    @property
    def last_name(self) -> str | None:
        """Last name, if known."""
    @property
    def display_name(self) -> str | None:
        """Display name."""
    @property
    def external_id(self) -> str | None:
        """The user's id in another system."""
    @property
    def type(self) -> str | None:
        """Who signs in."""
    @property
    def business_unit_id(self) -> int | None:
        """Id of the group that is the business unit. It is not checked."""
    @property
    def groups(self) -> tuple[UserMembership, ...] | None:
        """The memberships of the user. Only with `$expand`."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class UserMembership:
    """A membership of a user in a group."""
    __match_args__ = ("group_id", "user_id", "role", "group", "user",)
    @property
    def group_id(self) -> int | None:
        """Id of the group."""
    @property
    def user_id(self) -> str | None:
        """Id of the user."""
    @property
    def role(self) -> str | None:
        """What a member may do in a group. A `Viewer` only follows it, and cannot be responsible for its incidents."""
    @property
    def group(self) -> GroupV2 | None:
        """The group. Only with `$expand`."""
    @property
    def user(self) -> UserV2 | None:
        """The user. Only with `$expand`."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class IncidentCommentV2:
    """A comment on an incident, or a reply to another comment."""
    __match_args__ = ("id", "text", "comment_date", "commented_by", "commented_by_user_id", "parent_id", "level", "incident_id", "parent", "incident",)
    @property
    def id(self) -> int | None:
        """Id of the comment."""
    @property
    def text(self) -> str | None:
        """Text of the comment."""
    @property
    def comment_date(self) -> datetime.datetime | None:
        """When it was written."""
    @property
    def commented_by(self) -> str | None:
        """Display name of the author, if known."""
    @property
    def commented_by_user_id(self) -> str | None:
        """Id of the user who wrote it, if the author is a user."""
    @property
    def parent_id(self) -> int | None:
        """Id of the comment to which this one replies."""
    @property
    def level(self) -> int | None:
        """Depth of the reply; 0 is a comment on the incident itself."""
    @property
    def incident_id(self) -> int | None:
        """Id of the incident."""
    @property
    def parent(self) -> IncidentCommentV2 | None:
        """The comment to which this one replies. Only with `$expand`."""
    @property
    def incident(self) -> IncidentV2 | None:
        """The incident. Only with `$expand`."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class IncidentV2:
    """An incident in its v2 form."""
    __match_args__ = ("id", "title", "text", "status", "severity", "type_id", "incident_date", "created_date", "last_modified", "last_modified_by_user_id", "last_modified_by_user", "due_date", "status_modified_date", "status_new_date", "status_in_progress_date", "status_implemented_date", "status_rejected_date", "archived_date", "evaluation_status", "evaluation_text", "owner", "owner_display_name", "owner_user_id", "created_by_user_id", "created_by_user", "created_by_user_display_name", "group_id", "follow_up_group_id", "area_id", "project_id", "external_id", "is_anonymous", "latitude", "longitude", "accuracy_in_meters", "attachment_count", "action_list_count", "area", "group", "follow_up_group", "owner_user", "type", "comments", "tasks", "attachments",)
    @property
    def id(self) -> int | None:
        """Id of the incident."""
    @property
    def title(self) -> str | None:
        """Title of the incident."""
    @property
    def text(self) -> str | None:
        """Description of the incident."""
    @property
    def status(self) -> str | None:
        """Status of an incident."""
    @property
    def severity(self) -> str | None:
        """Severity of an incident."""
    @property
    def type_id(self) -> int | None:
        """Id of the incident type."""
    @property
    def incident_date(self) -> datetime.datetime | None:
        """When it happened. v1 has only the day; here it is that day at midnight UTC."""
    @property
    def created_date(self) -> datetime.datetime | None:
        """When it was reported."""
    @property
    def last_modified(self) -> datetime.datetime | None:
        """When it was last changed."""
    @property
    def last_modified_by_user_id(self) -> str | None:
        """Id of the user who last changed it; null after a change by a client, which is not a user, and always when it is anonymous."""
    @property
    def last_modified_by_user(self) -> str | None:
        """User name of that user. Only with a scope that allows reading users."""
    @property
    def due_date(self) -> datetime.datetime | None:
        """When it should be resolved."""
    @property
    def status_modified_date(self) -> datetime.datetime | None:
        """When the status last changed."""
    @property
    def status_new_date(self) -> datetime.datetime | None:
        """When it last became `New`."""
    @property
    def status_in_progress_date(self) -> datetime.datetime | None:
        """When it last became `InProgress`."""
    @property
    def status_implemented_date(self) -> datetime.datetime | None:
        """When it was resolved; v1's `resolvedDate`."""
    @property
    def status_rejected_date(self) -> datetime.datetime | None:
        """When it last became `Rejected`."""
    @property
    def archived_date(self) -> datetime.datetime | None:
        """When it was archived."""
    @property
    def evaluation_status(self) -> str | None:
        """How well the solution worked."""
    @property
    def evaluation_text(self) -> str | None:
        """Reason for the evaluation."""
    @property
    def owner(self) -> str | None:
        """User name of the person responsible."""
    @property
    def owner_display_name(self) -> str | None:
        """Display name of the person responsible."""
    @property
    def owner_user_id(self) -> str | None:
        """User id of the person responsible."""
    @property
    def created_by_user_id(self) -> str | None:
        """Id of the user who reported it; always null when it is anonymous."""
    @property
    def created_by_user(self) -> str | None:
        """User name of the user who reported it; always null when it is anonymous. Only with a scope that allows reading users."""
    @property
    def created_by_user_display_name(self) -> str | None:
        """Display name of the person who reported it; always null when it is anonymous."""
    @property
    def group_id(self) -> int | None:
        """Id of the group that reported it."""
    @property
    def follow_up_group_id(self) -> int | None:
        """Id of the group that follows it up."""
    @property
    def area_id(self) -> int | None:
        """Id of the area where it happened."""
    @property
    def project_id(self) -> int | None:
        """Id of the project it belongs to."""
    @property
    def external_id(self) -> str | None:
        """The incident's id in another system."""
    @property
    def is_anonymous(self) -> bool | None:
        """Whether the incident is anonymous: the reporter is not shown."""
    @property
    def latitude(self) -> float | None:
        """Where it was reported, in degrees north, if known; always null when it is anonymous."""
    @property
    def longitude(self) -> float | None:
        """Where it was reported, in degrees east, if known; always null when it is anonymous."""
    @property
    def accuracy_in_meters(self) -> float | None:
        """How far from there it may have been; always null when it is anonymous."""
    @property
    def attachment_count(self) -> int | None:
        """Number of attachments."""
    @property
    def action_list_count(self) -> int | None:
        """Number of actions."""
    @property
    def area(self) -> Area | None:
        """The area where it happened. Only with `$expand`."""
    @property
    def group(self) -> GroupV2 | None:
        """The group that reported it. Only with `$expand`."""
    @property
    def follow_up_group(self) -> GroupV2 | None:
        """The group that follows it up. Only with `$expand`."""
    @property
    def owner_user(self) -> UserV2 | None:
        """The user who is responsible. Only with `$expand`. A client that may not read users sees `id` and `displayName` alone; null if the
        user was deleted.
        """
    @property
    def type(self) -> IncidentType | None:
        """The incident type. Only with `$expand`."""
    @property
    def comments(self) -> tuple[IncidentCommentV2, ...] | None:
        """The comments on it. Only with `$expand`."""
    @property
    def tasks(self) -> tuple[Task, ...] | None:
        """The tasks of the incident. Only with `$expand`."""
    @property
    def attachments(self) -> tuple[IncidentAttachment, ...] | None:
        """The files attached to the incident. Only with `$expand`."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class IncidentAttachment:
    """A file attached to an incident, as v2 returns it."""
    __match_args__ = ("id", "file_id", "file_name", "file_url", "content_type", "name", "preview_file_name", "has_preview", "file_extension", "e_tag", "file_size_in_bytes", "file_size_in_kb", "created_date", "created_by_user_id", "created_by_user", "last_modified", "last_modified_by_user_id", "last_modified_by_user", "mime_type", "is_image",)
    @property
    def id(self) -> int | None:
        """Id of the attachment."""
    @property
    def file_id(self) -> str | None:
        """A text that names the file, and no other."""
    @property
    def file_name(self) -> str | None:
        """Name of the file."""
    @property
    def file_url(self) -> str | None:
        """Address of the content, below the base URL of the service: `/v2/incidents/1204/attachments/601/content`. It needs a token like any
        other request.
        """
    @property
    def content_type(self) -> str | None:
        """Media type of the content."""
    @property
    def name(self) -> str | None:
        """Name of the file without its extension."""
    @property
    def preview_file_name(self) -> str | None:
        """Always null, as the service makes no previews."""
    @property
    def has_preview(self) -> bool | None:
        """Always false, as the service makes no previews."""
    @property
    def file_extension(self) -> str | None:
        """Extension of the file, without a dot."""
    @property
    def e_tag(self) -> str | None:
        """SHA-256 of the content, in hexadecimal. Between quotation marks it is the `ETag` of the content."""
    @property
    def file_size_in_bytes(self) -> int | None:
        """Size of the content in bytes."""
    @property
    def file_size_in_kb(self) -> int | None:
        """Size of the content in KiB, rounded up."""
    @property
    def created_date(self) -> datetime.datetime | None:
        """When the file was attached."""
    @property
    def created_by_user_id(self) -> str | None:
        """Id of the person who attached it. Null if a client did, and always where an incident is anonymous."""
    @property
    def created_by_user(self) -> str | None:
        """Display name of the person who attached it. Null if a client did, and always where an incident is anonymous."""
    @property
    def last_modified(self) -> datetime.datetime | None:
        """The same as `createdDate`, as an attachment never changes."""
    @property
    def last_modified_by_user_id(self) -> str | None:
        """The same as `createdByUserId`."""
    @property
    def last_modified_by_user(self) -> str | None:
        """The same as `createdByUser`."""
    @property
    def mime_type(self) -> str | None:
        """The same as `contentType`."""
    @property
    def is_image(self) -> bool | None:
        """Whether the content is an image."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class TaskAttachment:
    """A file attached to a task, as v2 returns it."""
    __match_args__ = ("id", "file_id", "file_name", "file_url", "content_type", "name", "preview_file_name", "has_preview", "file_extension", "e_tag", "file_size_in_bytes", "file_size_in_kb", "created_date", "created_by_user_id", "created_by_user", "last_modified", "last_modified_by_user_id", "last_modified_by_user", "mime_type", "is_image",)
    @property
    def id(self) -> int | None:
        """Id of the attachment."""
    @property
    def file_id(self) -> str | None:
        """A text that names the file, and no other."""
    @property
    def file_name(self) -> str | None:
        """Name of the file."""
    @property
    def file_url(self) -> str | None:
        """Address of the content, below the base URL of the service: `/v2/incidents/1204/attachments/601/content`. It needs a token like any
        other request.
        """
    @property
    def content_type(self) -> str | None:
        """Media type of the content."""
    @property
    def name(self) -> str | None:
        """Name of the file without its extension."""
    @property
    def preview_file_name(self) -> str | None:
        """Always null, as the service makes no previews."""
    @property
    def has_preview(self) -> bool | None:
        """Always false, as the service makes no previews."""
    @property
    def file_extension(self) -> str | None:
        """Extension of the file, without a dot."""
    @property
    def e_tag(self) -> str | None:
        """SHA-256 of the content, in hexadecimal. Between quotation marks it is the `ETag` of the content."""
    @property
    def file_size_in_bytes(self) -> int | None:
        """Size of the content in bytes."""
    @property
    def file_size_in_kb(self) -> int | None:
        """Size of the content in KiB, rounded up."""
    @property
    def created_date(self) -> datetime.datetime | None:
        """When the file was attached."""
    @property
    def created_by_user_id(self) -> str | None:
        """Id of the person who attached it. Null if a client did, and always where an incident is anonymous."""
    @property
    def created_by_user(self) -> str | None:
        """Display name of the person who attached it. Null if a client did, and always where an incident is anonymous."""
    @property
    def last_modified(self) -> datetime.datetime | None:
        """The same as `createdDate`, as an attachment never changes."""
    @property
    def last_modified_by_user_id(self) -> str | None:
        """The same as `createdByUserId`."""
    @property
    def last_modified_by_user(self) -> str | None:
        """The same as `createdByUser`."""
    @property
    def mime_type(self) -> str | None:
        """The same as `contentType`."""
    @property
    def is_image(self) -> bool | None:
        """Whether the content is an image."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class IncidentType:
    """An incident type in its v2 form."""
    __match_args__ = ("id", "title", "description",)
    @property
    def id(self) -> int | None:
        """Id of the incident type."""
    @property
    def title(self) -> str | None:
        """Title of the type."""
    @property
    def description(self) -> str | None:
        """Description of the type."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class Task:
    """A task as v2 returns it."""
    __match_args__ = ("id", "parent_id", "last_modified", "responsible_user", "responsible_user_id", "external_id", "board_id", "title", "description", "status", "due_date", "start_date", "row_category_id", "column_category_id", "last_modified_by_user_id", "last_modified_by_user", "tags", "color", "board", "comments", "attachments",)
    @property
    def id(self) -> int | None:
        """Id of the task."""
    @property
    def parent_id(self) -> int | None:
        """Id of the task that this is a sub-task of."""
    @property
    def last_modified(self) -> datetime.datetime | None:
        """When it was last changed. Every change of the task moves it forward."""
    @property
    def responsible_user(self) -> str | None:
        """Display name of the person responsible."""
    @property
    def responsible_user_id(self) -> str | None:
        """Id of the person responsible."""
    @property
    def external_id(self) -> str | None:
        """The task's id in another system."""
    @property
    def board_id(self) -> int | None:
        """Id of the board it is on."""
    @property
    def title(self) -> str | None:
        """Title of the task."""
    @property
    def description(self) -> str | None:
        """Description of the task."""
    @property
    def status(self) -> str | None:
        """Status of a task."""
    @property
    def due_date(self) -> datetime.datetime | None:
        """When it is to be completed."""
    @property
    def start_date(self) -> datetime.datetime | None:
        """When it is to begin."""
    @property
    def row_category_id(self) -> int | None:
        """Id of the row of the board it is in."""
    @property
    def column_category_id(self) -> int | None:
        """Id of the column of the board it is in."""
    @property
    def last_modified_by_user_id(self) -> str | None:
        """Id of the person who last changed it. Null after a change by a client."""
    @property
    def last_modified_by_user(self) -> str | None:
        """Display name of the person who last changed it. Null after a change by a client."""
    @property
    def tags(self) -> tuple[str, ...] | None:
        """Its tags, in the order in which they were set."""
    @property
    def color(self) -> str | None:
        """Its colour, as it was set."""
    @property
    def board(self) -> Board | None:
        """The board it is on. Only with `$expand`."""
    @property
    def comments(self) -> tuple[TaskComment, ...] | None:
        """The comments on it. Only with `$expand`."""
    @property
    def attachments(self) -> tuple[TaskAttachment, ...] | None:
        """The files attached to the task. Only with `$expand`."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class TaskComment:
    """A comment on a task, or an answer to another comment."""
    __match_args__ = ("id", "parent_id", "level", "text", "commented_by", "commented_by_user_id", "comment_date", "task_id", "commented_by_user_display_name", "parent", "task",)
    @property
    def id(self) -> int | None:
        """Id of the comment."""
    @property
    def parent_id(self) -> int | None:
        """Id of the comment that this one answers."""
    @property
    def level(self) -> int | None:
        """Depth of the answer; 0 is a comment on the task itself."""
    @property
    def text(self) -> str | None:
        """Text of the comment."""
    @property
    def commented_by(self) -> str | None:
        """Name of the author, if known; the display name of a user."""
    @property
    def commented_by_user_id(self) -> str | None:
        """Id of the user who wrote it, if the author is a user."""
    @property
    def comment_date(self) -> datetime.datetime | None:
        """When it was written."""
    @property
    def task_id(self) -> int | None:
        """Id of the task."""
    @property
    def commented_by_user_display_name(self) -> str | None:
        """Display name of the user who wrote it, if the author is a user."""
    @property
    def parent(self) -> TaskComment | None:
        """The comment that this one answers. Only with `$expand`."""
    @property
    def task(self) -> Task | None:
        """The task. Only with `$expand`."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class ImprovementV2:
    """An improvement in its v2 form."""
    __match_args__ = ("id", "status", "priority_status", "group_id", "text", "title", "category_id", "category", "project_id", "project", "last_modified", "last_modified_by_user_id", "suggested_by_user_id", "suggested_by", "suggestion_date", "due_date", "planned_date", "in_progress_date", "implemented_date", "evaluated_date", "archived_date", "responsible_user_id", "responsible_user", "responsible_display_name", "attachment_count", "action_list_count", "comment_count", "like_count", "external_id", "cost_of_investment", "gain_of_investment", "cost_of_investment_hours", "gain_of_investment_hours", "estimated_cost_of_investment", "estimated_gain_of_investment", "estimated_cost_of_investment_hours", "estimated_gain_of_investment_hours", "evaluation_status", "evaluation_text", "group", "responsible",)
    @property
    def id(self) -> int | None:
        """Id of the improvement."""
    @property
    def status(self) -> str | None:
        """Stage of an improvement. `Activated` is a request, not a stage: it returns an archived improvement to its previous stage. `Open` is
        for improvements without stages.
        """
    @property
    def priority_status(self) -> str | None:
        """Priority of an improvement by effort and effect."""
    @property
    def group_id(self) -> int | None:
        """Id of the group that works on it."""
    @property
    def text(self) -> str | None:
        """Description of the improvement."""
    @property
    def title(self) -> str | None:
        """Title of the improvement."""
    @property
    def category_id(self) -> int | None:
        """Id of the improvement category."""
    @property
    def category(self) -> str | None:
        """Title of the improvement category."""
    @property
    def project_id(self) -> int | None:
        """Id of the project it belongs to."""
    @property
    def project(self) -> str | None:
        """Name of the project."""
    @property
    def last_modified(self) -> datetime.datetime | None:
        """When it was last changed."""
    @property
    def last_modified_by_user_id(self) -> str | None:
        """Id of the user who last changed it; null if a client changed it."""
    @property
    def suggested_by_user_id(self) -> str | None:
        """Id of the user who suggested it."""
    @property
    def suggested_by(self) -> str | None:
        """Display name of the user who suggested it."""
    @property
    def suggestion_date(self) -> datetime.datetime | None:
        """When it was suggested."""
    @property
    def due_date(self) -> datetime.datetime | None:
        """When it should be implemented."""
    @property
    def planned_date(self) -> datetime.datetime | None:
        """When it became `Planned`."""
    @property
    def in_progress_date(self) -> datetime.datetime | None:
        """When it became `InProgress`."""
    @property
    def implemented_date(self) -> datetime.datetime | None:
        """When it became `Implemented`."""
    @property
    def evaluated_date(self) -> datetime.datetime | None:
        """When it became `Evaluated`."""
    @property
    def archived_date(self) -> datetime.datetime | None:
        """When it became `Archived`."""
    @property
    def responsible_user_id(self) -> str | None:
        """Id of the person responsible."""
    @property
    def responsible_user(self) -> str | None:
        """User name of the person responsible."""
    @property
    def responsible_display_name(self) -> str | None:
        """Display name of the person responsible."""
    @property
    def attachment_count(self) -> int | None:
        """Number of attachments."""
    @property
    def action_list_count(self) -> int | None:
        """Number of actions."""
    @property
    def comment_count(self) -> int | None:
        """Number of comments."""
    @property
    def like_count(self) -> int | None:
        """Number of likes."""
    @property
    def external_id(self) -> str | None:
        """The improvement's id in another system."""
    @property
    def cost_of_investment(self) -> float | None:
        """Cost in money."""
    @property
    def gain_of_investment(self) -> float | None:
        """Gain in money."""
    @property
    def cost_of_investment_hours(self) -> float | None:
        """Cost in hours."""
    @property
    def gain_of_investment_hours(self) -> float | None:
        """Gain in hours."""
    @property
    def estimated_cost_of_investment(self) -> float | None:
        """Expected cost in money."""
    @property
    def estimated_gain_of_investment(self) -> float | None:
        """Expected gain in money."""
    @property
    def estimated_cost_of_investment_hours(self) -> float | None:
        """Expected cost in hours."""
    @property
    def estimated_gain_of_investment_hours(self) -> float | None:
        """Expected gain in hours."""
    @property
    def evaluation_status(self) -> str | None:
        """How well it worked."""
    @property
    def evaluation_text(self) -> str | None:
        """Reason for the evaluation."""
    @property
    def group(self) -> GroupV2 | None:
        """The group that works on it. Only with `$expand`."""
    @property
    def responsible(self) -> UserV2 | None:
        """The user who is responsible. Only with `$expand`. A client that may not read users sees `id` and `displayName` alone; null if the
        user was deleted.
        """
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class DatasourceV2:
    """A datasource in its v2 form."""
    __match_args__ = ("id", "title", "description", "object_source", "unit_of_time", "primary_input_source", "value_count", "values",)
    @property
    def id(self) -> int | None:
        """Id of the datasource."""
    @property
    def title(self) -> str | None:
        """Name of the datasource."""
    @property
    def description(self) -> str | None:
        """Description of the values."""
    @property
    def object_source(self) -> str | None:
        """Subject of the values."""
    @property
    def unit_of_time(self) -> str | None:
        """Length of the period that a value covers, for example a shift."""
    @property
    def primary_input_source(self) -> str | None:
        """Source of most of the values."""
    @property
    def value_count(self) -> int | None:
        """Number of its values."""
    @property
    def values(self) -> tuple[DatasourceValueV2, ...] | None:
        """The values of the datasource. Only with `$expand`."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class DatasourceValueV2:
    """A value of a datasource in its v2 form."""
    __match_args__ = ("id", "data_source_id", "registration_date", "area_id", "asset_id", "project_id", "value", "description", "dimension", "dimension2", "dimension3", "dimension4", "value_date", "external_id",)
    @property
    def id(self) -> int | None:
        """Id of the value."""
    @property
    def data_source_id(self) -> int | None:
        """Id of the datasource."""
    @property
    def registration_date(self) -> datetime.datetime | None:
        """When the value was registered."""
    @property
    def area_id(self) -> int | None:
        """Id of the related area."""
    @property
    def asset_id(self) -> int | None:
        """Id of the related asset."""
    @property
    def project_id(self) -> int | None:
        """Id of the related project."""
    @property
    def value(self) -> float | None:
        """The numeric value; null if the value has none."""
    @property
    def description(self) -> str | None:
        """A remark."""
    @property
    def dimension(self) -> str | None:
        """First dimension; its meaning depends on the datasource."""
    @property
    def dimension2(self) -> str | None:
        """Second dimension; its meaning depends on the datasource."""
    @property
    def dimension3(self) -> str | None:
        """Third dimension; its meaning depends on the datasource."""
    @property
    def dimension4(self) -> str | None:
        """Fourth dimension; its meaning depends on the datasource."""
    @property
    def value_date(self) -> datetime.datetime | None:
        """The time to which the value applies."""
    @property
    def external_id(self) -> str | None:
        """The value's id in another system."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class IncidentV1:
    """An incident with all its properties."""
    __match_args__ = ("id", "project", "incident_type", "reported_by_group", "reported_by_user_id", "reported_by", "reported_date", "follow_up_group", "responsible", "responsible_display_name", "last_modified", "number_of_comments", "number_of_actions", "number_of_attachments", "consequences", "categories", "causes", "custom_fields", "status", "incident_type_id", "severity", "reported_by_group_id", "follow_up_group_id", "responsible_user_id", "title", "text", "incident_date", "resolved_date", "due_date", "evaluation_status", "evaluation_text", "is_anonymous", "area_id", "project_id", "external_id",)
    @property
    def id(self) -> int:
        """Id of the incident."""
    @property
    def project(self) -> str | None:
        """Name of the project."""
    @property
    def incident_type(self) -> str:
        """Title of the incident type."""
    @property
    def reported_by_group(self) -> str | None:
        """Name of the group that reported it."""
    @property
    def reported_by_user_id(self) -> str | None:
        """Id of the user who reported it; always null when it is anonymous."""
    @property
    def reported_by(self) -> str | None:
        """Display name of the user who reported it; always null when it is anonymous."""
    @property
    def reported_date(self) -> datetime.datetime:
        """When it was reported."""
    @property
    def follow_up_group(self) -> str | None:
        """Name of the group that follows it up."""
    @property
    def responsible(self) -> str | None:
        """User name of the person responsible."""
    @property
    def responsible_display_name(self) -> str | None:
        """Display name of the person responsible."""
    @property
    def last_modified(self) -> datetime.datetime:
        """When it was last changed."""
    @property
    def number_of_comments(self) -> int:
        """Number of comments."""
    @property
    def number_of_actions(self) -> int:
        """Number of actions."""
    @property
    def number_of_attachments(self) -> int:
        """Number of attachments."""
    @property
    def consequences(self) -> tuple[IncidentConsequence, ...]:
        """Consequences of the incident."""
    @property
    def categories(self) -> tuple[CategoryReference, ...]:
        """Categories of the incident."""
    @property
    def causes(self) -> tuple[CauseReference, ...]:
        """Causes of the incident."""
    @property
    def custom_fields(self) -> tuple[IncidentCustomField, ...]:
        """The values of the custom fields of its type; a field without a value is omitted."""
    @property
    def status(self) -> str:
        """Status of an incident."""
    @property
    def incident_type_id(self) -> int:
        """Id of the incident type."""
    @property
    def severity(self) -> str:
        """Severity of an incident."""
    @property
    def reported_by_group_id(self) -> int | None:
        """Id of the group that reported it."""
    @property
    def follow_up_group_id(self) -> int | None:
        """Id of the group that follows it up."""
    @property
    def responsible_user_id(self) -> str | None:
        """Id of the person responsible."""
    @property
    def title(self) -> str:
        """Title of the incident."""
    @property
    def text(self) -> str | None:
        """Description of the incident."""
    @property
    def incident_date(self) -> datetime.date:
        """The day it happened."""
    @property
    def resolved_date(self) -> datetime.datetime | None:
        """When it was resolved; null if it is not resolved."""
    @property
    def due_date(self) -> datetime.datetime | None:
        """When it should be resolved."""
    @property
    def evaluation_status(self) -> str | None:
        """How well the solution worked."""
    @property
    def evaluation_text(self) -> str | None:
        """Reason for the evaluation."""
    @property
    def is_anonymous(self) -> bool:
        """Whether the incident is anonymous: the reporter is not shown."""
    @property
    def area_id(self) -> int | None:
        """Id of the area where it happened."""
    @property
    def project_id(self) -> int | None:
        """Id of the project it belongs to."""
    @property
    def external_id(self) -> str | None:
        """The incident's id in another system."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class TrashedIncident:
    """An incident in the trash."""
    __match_args__ = ("id", "project", "incident_type", "reported_by_group", "reported_by_user_id", "reported_by", "reported_date", "follow_up_group", "responsible", "responsible_display_name", "last_modified", "number_of_comments", "number_of_actions", "number_of_attachments", "status", "incident_type_id", "severity", "reported_by_group_id", "follow_up_group_id", "responsible_user_id", "title", "text", "incident_date", "resolved_date", "due_date", "evaluation_status", "evaluation_text", "is_anonymous", "area_id", "project_id", "external_id",)
    @property
    def id(self) -> int:
        """Id of the incident."""
    @property
    def project(self) -> str | None:
        """Name of the project."""
    @property
    def incident_type(self) -> str:
        """Title of the incident type."""
    @property
    def reported_by_group(self) -> str | None:
        """Name of the group that reported it."""
    @property
    def reported_by_user_id(self) -> str | None:
        """Id of the user who reported it; always null when it is anonymous."""
    @property
    def reported_by(self) -> str | None:
        """Display name of the user who reported it; always null when it is anonymous."""
    @property
    def reported_date(self) -> datetime.datetime:
        """When it was reported."""
    @property
    def follow_up_group(self) -> str | None:
        """Name of the group that follows it up."""
    @property
    def responsible(self) -> str | None:
        """User name of the person responsible."""
    @property
    def responsible_display_name(self) -> str | None:
        """Display name of the person responsible."""
    @property
    def last_modified(self) -> datetime.datetime:
        """When it was last changed."""
    @property
    def number_of_comments(self) -> int:
        """Number of comments."""
    @property
    def number_of_actions(self) -> int:
        """Number of actions."""
    @property
    def number_of_attachments(self) -> int:
        """Number of attachments."""
    @property
    def status(self) -> str:
        """Status of an incident."""
    @property
    def incident_type_id(self) -> int:
        """Id of the incident type."""
    @property
    def severity(self) -> str:
        """Severity of an incident."""
    @property
    def reported_by_group_id(self) -> int | None:
        """Id of the group that reported it."""
    @property
    def follow_up_group_id(self) -> int | None:
        """Id of the group that follows it up."""
    @property
    def responsible_user_id(self) -> str | None:
        """Id of the person responsible."""
    @property
    def title(self) -> str:
        """Title of the incident."""
    @property
    def text(self) -> str | None:
        """Description of the incident."""
    @property
    def incident_date(self) -> datetime.date:
        """The day it happened."""
    @property
    def resolved_date(self) -> datetime.datetime | None:
        """When it was resolved; null if it is not resolved."""
    @property
    def due_date(self) -> datetime.datetime | None:
        """When it should be resolved."""
    @property
    def evaluation_status(self) -> str | None:
        """How well the solution worked."""
    @property
    def evaluation_text(self) -> str | None:
        """Reason for the evaluation."""
    @property
    def is_anonymous(self) -> bool:
        """Whether the incident is anonymous: the reporter is not shown."""
    @property
    def area_id(self) -> int | None:
        """Id of the area where it happened."""
    @property
    def project_id(self) -> int | None:
        """Id of the project it belongs to."""
    @property
    def external_id(self) -> str | None:
        """The incident's id in another system."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class IncidentCommentV1:
    """A comment on an incident in its v1 form."""
    __match_args__ = ("id", "comment", "comment_date", "commented_by", "commented_by_user_id", "parent_id", "level",)
    @property
    def id(self) -> int:
        """Id of the comment."""
    @property
    def comment(self) -> str:
        """Text of the comment."""
    @property
    def comment_date(self) -> datetime.datetime:
        """When it was written."""
    @property
    def commented_by(self) -> str | None:
        """Display name of the author."""
    @property
    def commented_by_user_id(self) -> str | None:
        """Id of the author."""
    @property
    def parent_id(self) -> int | None:
        """Id of the comment to which it replies."""
    @property
    def level(self) -> int:
        """Depth of the reply: the number of comments above it."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class IncidentConsequence:
    """A consequence of an incident, with its amount."""
    __match_args__ = ("unit", "amount", "id", "title",)
    @property
    def unit(self) -> str | None:
        """Unit of the amount, from the incident type."""
    @property
    def amount(self) -> float | None:
        """Amount of the consequence."""
    @property
    def id(self) -> int:
        """Id of the incident type's consequence."""
    @property
    def title(self) -> str:
        """Title of the consequence."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class CategoryReference:
    """A category of the incident type."""
    __match_args__ = ("id", "title",)
    @property
    def id(self) -> int:
        """Id of the category."""
    @property
    def title(self) -> str:
        """Title of the category."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class CauseReference:
    """A cause of the incident type."""
    __match_args__ = ("id", "title",)
    @property
    def id(self) -> int:
        """Id of the cause."""
    @property
    def title(self) -> str:
        """Title of the cause."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class IncidentCustomField:
    """The value of a custom field of the incident type."""
    __match_args__ = ("id", "value", "data_list_value", "data_list_id", "data_list_name", "registration_date", "label", "type",)
    @property
    def id(self) -> int:
        """Id of the custom field."""
    @property
    def value(self) -> str | None:
        """The entered value, as text. For a field with a data list it is the chosen entry."""
    @property
    def data_list_value(self) -> str | None:
        """The chosen entry of the data list."""
    @property
    def data_list_id(self) -> int | None:
        """Id of the data list."""
    @property
    def data_list_name(self) -> str | None:
        """Name of the data list."""
    @property
    def registration_date(self) -> datetime.datetime | None:
        """When the value was entered."""
    @property
    def label(self) -> str:
        """Label of the field."""
    @property
    def type(self) -> str:
        """Kind of the field, such as text, number, date, bool or list. More kinds may be added."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class Improvement:
    """An improvement with all its properties."""
    __match_args__ = ("id", "status", "priority_status", "group_id", "group", "text", "title", "category_id", "category", "project_id", "project", "last_modified", "last_modified_by_user_id", "suggested_by_user_id", "suggested_by", "suggestion_date", "due_date", "planned_date", "in_progress_date", "implemented_date", "evaluated_date", "archived_date", "responsible_user_id", "responsible_user", "responsible_display_name", "attachment_count", "action_list_count", "comment_count", "like_count", "external_id", "cost_of_investment", "gain_of_investment", "cost_of_investment_hours", "gain_of_investment_hours", "estimated_cost_of_investment", "estimated_gain_of_investment", "estimated_cost_of_investment_hours", "estimated_gain_of_investment_hours", "evaluation_status", "evaluation_text",)
    @property
    def id(self) -> int:
        """Id of the improvement."""
    @property
    def status(self) -> str:
        """Stage of an improvement. `Activated` is a request, not a stage: it returns an archived improvement to its previous stage. `Open` is
        for improvements without stages.
        """
    @property
    def priority_status(self) -> str:
        """Priority of an improvement by effort and effect."""
    @property
    def group_id(self) -> int | None:
        """Id of the group that works on it."""
    @property
    def group(self) -> str | None:
        """Name of the group."""
    @property
    def text(self) -> str | None:
        """Description of the improvement."""
    @property
    def title(self) -> str | None:
        """Title of the improvement."""
    @property
    def category_id(self) -> int | None:
        """Id of the improvement category."""
    @property
    def category(self) -> str | None:
        """Title of the improvement category."""
    @property
    def project_id(self) -> int | None:
        """Id of the project it belongs to."""
    @property
    def project(self) -> str | None:
        """Name of the project."""
    @property
    def last_modified(self) -> datetime.datetime:
        """When it was last changed."""
    @property
    def last_modified_by_user_id(self) -> str | None:
        """Id of the user who last changed it; null if a client changed it."""
    @property
    def suggested_by_user_id(self) -> str | None:
        """Id of the user who suggested it."""
    @property
    def suggested_by(self) -> str | None:
        """Display name of the user who suggested it."""
    @property
    def suggestion_date(self) -> datetime.datetime | None:
        """When it was suggested."""
    @property
    def due_date(self) -> datetime.datetime | None:
        """When it should be implemented."""
    @property
    def planned_date(self) -> datetime.datetime | None:
        """When it became `Planned`."""
    @property
    def in_progress_date(self) -> datetime.datetime | None:
        """When it became `InProgress`."""
    @property
    def implemented_date(self) -> datetime.datetime | None:
        """When it became `Implemented`."""
    @property
    def evaluated_date(self) -> datetime.datetime | None:
        """When it became `Evaluated`."""
    @property
    def archived_date(self) -> datetime.datetime | None:
        """When it became `Archived`."""
    @property
    def responsible_user_id(self) -> str | None:
        """Id of the person responsible."""
    @property
    def responsible_user(self) -> str | None:
        """User name of the person responsible."""
    @property
    def responsible_display_name(self) -> str | None:
        """Display name of the person responsible."""
    @property
    def attachment_count(self) -> int:
        """Number of attachments."""
    @property
    def action_list_count(self) -> int:
        """Number of actions."""
    @property
    def comment_count(self) -> int:
        """Number of comments."""
    @property
    def like_count(self) -> int:
        """Number of likes."""
    @property
    def external_id(self) -> str | None:
        """The improvement's id in another system."""
    @property
    def cost_of_investment(self) -> float | None:
        """Cost in money."""
    @property
    def gain_of_investment(self) -> float | None:
        """Gain in money."""
    @property
    def cost_of_investment_hours(self) -> float | None:
        """Cost in hours."""
    @property
    def gain_of_investment_hours(self) -> float | None:
        """Gain in hours."""
    @property
    def estimated_cost_of_investment(self) -> float | None:
        """Expected cost in money."""
    @property
    def estimated_gain_of_investment(self) -> float | None:
        """Expected gain in money."""
    @property
    def estimated_cost_of_investment_hours(self) -> float | None:
        """Expected cost in hours."""
    @property
    def estimated_gain_of_investment_hours(self) -> float | None:
        """Expected gain in hours."""
    @property
    def evaluation_status(self) -> str | None:
        """How well it worked."""
    @property
    def evaluation_text(self) -> str | None:
        """Reason for the evaluation."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class IncidentTypeSummary:
    """An incident type: id, name and description."""
    __match_args__ = ("id", "title", "description",)
    @property
    def id(self) -> int:
        """Id of the type."""
    @property
    def title(self) -> str:
        """Name of the type."""
    @property
    def description(self) -> str | None:
        """Description of the type."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class IncidentTypeDetail:
    """An incident type with the custom fields, categories, consequences and causes that its incidents may have."""
    __match_args__ = ("id", "title", "description", "custom_fields", "categories", "consequences", "causes",)
    @property
    def id(self) -> int:
        """Id of the incident type."""
    @property
    def title(self) -> str:
        """Title of the type."""
    @property
    def description(self) -> str | None:
        """Description of the type."""
    @property
    def custom_fields(self) -> tuple[IncidentTypeCustomField, ...]:
        """Its custom fields, in sort order."""
    @property
    def categories(self) -> tuple[Category, ...]:
        """Its top-level categories, in sort order, each with its subcategories."""
    @property
    def consequences(self) -> tuple[TypeConsequence, ...]:
        """Its consequences."""
    @property
    def causes(self) -> tuple[TypeCause, ...]:
        """Its causes, in sort order."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class IncidentTypeCustomField:
    """A custom field of an incident type."""
    __match_args__ = ("id", "label", "type", "sort_order", "data_list_id", "is_mandatory",)
    @property
    def id(self) -> int:
        """Id of the custom field."""
    @property
    def label(self) -> str:
        """Label of the field."""
    @property
    def type(self) -> str:
        """Kind of the field, such as text, number, date, bool or list. More kinds may be added."""
    @property
    def sort_order(self) -> int:
        """Sort position among the fields."""
    @property
    def data_list_id(self) -> int | None:
        """Id of the data list from which its values come."""
    @property
    def is_mandatory(self) -> bool:
        """Whether a form should require a value. The service does not."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class Category:
    """A category of an incident type, with its subcategories."""
    __match_args__ = ("id", "title", "description", "sort_order", "parent_id", "children",)
    @property
    def id(self) -> int:
        """Id of the category."""
    @property
    def title(self) -> str:
        """Title of the category."""
    @property
    def description(self) -> str | None:
        """Description of the category."""
    @property
    def sort_order(self) -> int:
        """Sort position among the categories with the same parent."""
    @property
    def parent_id(self) -> int | None:
        """Id of the parent category."""
    @property
    def children(self) -> tuple[Category, ...]:
        """The subcategories, in sort order."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class TypeConsequence:
    """A consequence of an incident type."""
    __match_args__ = ("id", "title", "unit",)
    @property
    def id(self) -> int:
        """Id of the consequence."""
    @property
    def title(self) -> str:
        """Title of the consequence."""
    @property
    def unit(self) -> str | None:
        """Unit of the amount."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class TypeCause:
    """A cause of an incident type."""
    __match_args__ = ("id", "title", "description", "sort_order",)
    @property
    def id(self) -> int:
        """Id of the cause."""
    @property
    def title(self) -> str:
        """Title of the cause."""
    @property
    def description(self) -> str | None:
        """Description of the cause."""
    @property
    def sort_order(self) -> int:
        """Sort position among the causes."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class Datasource:
    """A datasource: id, name and description."""
    __match_args__ = ("id", "title", "description",)
    @property
    def id(self) -> int:
        """Id of the datasource."""
    @property
    def title(self) -> str | None:
        """Name of the datasource."""
    @property
    def description(self) -> str | None:
        """Description of the values."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class DatasourceDetail:
    """A datasource, with descriptions of the properties of its values."""
    __match_args__ = ("id", "title", "description", "object_source", "unit_of_time", "primary_input_source", "elements",)
    @property
    def id(self) -> int:
        """Id of the datasource."""
    @property
    def title(self) -> str | None:
        """Name of the datasource."""
    @property
    def description(self) -> str | None:
        """Description of the values."""
    @property
    def object_source(self) -> str | None:
        """Subject of the values."""
    @property
    def unit_of_time(self) -> str | None:
        """Length of the period that a value covers, for example a shift."""
    @property
    def primary_input_source(self) -> str | None:
        """Source of most of the values."""
    @property
    def elements(self) -> tuple[DatasourceElement, ...]:
        """Descriptions of the properties of a value, in the order in which a form shows them."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class DatasourceElement:
    """Description of one property of a datasource's values."""
    __match_args__ = ("id", "key", "label", "type", "is_mandatory", "source_column", "data_list_id",)
    @property
    def id(self) -> int:
        """Id of the element, unique within the datasource."""
    @property
    def key(self) -> str:
        """The element's name as text, unique within the datasource; its id as text if it was imported without a name."""
    @property
    def label(self) -> str | None:
        """Label of the property in a form."""
    @property
    def type(self) -> str:
        """Type of a property of a datasource's values."""
    @property
    def is_mandatory(self) -> bool:
        """Whether the property is mandatory in a value."""
    @property
    def source_column(self) -> str | None:
        """Name of the value's property, for example `dimension`."""
    @property
    def data_list_id(self) -> int | None:
        """Id of the data list from which its value is chosen."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class DatasourceValue:
    """A value of a datasource."""
    __match_args__ = ("id", "data_source_id", "registration_date", "area_id", "asset_id", "project_id", "value", "description", "dimension", "dimension2", "dimension3", "dimension4", "value_date", "external_id",)
    @property
    def id(self) -> int:
        """Id of the value."""
    @property
    def data_source_id(self) -> int:
        """Id of the datasource."""
    @property
    def registration_date(self) -> datetime.datetime:
        """When the value was registered."""
    @property
    def area_id(self) -> int | None:
        """Id of the related area."""
    @property
    def asset_id(self) -> int | None:
        """Id of the related asset."""
    @property
    def project_id(self) -> int | None:
        """Id of the related project."""
    @property
    def value(self) -> float:
        """The numeric value."""
    @property
    def description(self) -> str | None:
        """A remark."""
    @property
    def dimension(self) -> str | None:
        """First dimension; its meaning depends on the datasource."""
    @property
    def dimension2(self) -> str | None:
        """Second dimension; its meaning depends on the datasource."""
    @property
    def dimension3(self) -> str | None:
        """Third dimension; its meaning depends on the datasource."""
    @property
    def dimension4(self) -> str | None:
        """Fourth dimension; its meaning depends on the datasource."""
    @property
    def value_date(self) -> datetime.datetime:
        """The time to which the value applies."""
    @property
    def external_id(self) -> str | None:
        """The value's id in another system."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class DatasourceValueTotal:
    """Result of writing a batch of values."""
    __match_args__ = ("total",)
    @property
    def total(self) -> int:
        """Number of added values."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class GroupV1:
    """A group, as v1 lists it."""
    __match_args__ = ("id", "type", "name", "description", "parent_id", "is_system_group", "level", "sort_order", "business_unit_id", "buisness_unit_id", "project_id", "external_id", "external_name", "is_member",)
    @property
    def id(self) -> int:
        """Id of the group."""
    @property
    def type(self) -> str:
        """Type of a group."""
    @property
    def name(self) -> str | None:
        """Name of the group."""
    @property
    def description(self) -> str | None:
        """Description of the group."""
    @property
    def parent_id(self) -> int | None:
        """Id of the parent group."""
    @property
    def is_system_group(self) -> bool:
        """Whether the system created the group."""
    @property
    def level(self) -> int | None:
        """Depth in the tree of groups; 0 is the root level."""
    @property
    def sort_order(self) -> int | None:
        """Sort position among the groups with the same parent."""
    @property
    def business_unit_id(self) -> int | None:
        """Id of the group that is the business unit."""
    @property
    def buisness_unit_id(self) -> int | None:
        """The same as `businessUnitId`, under the name that existing clients read."""
    @property
    def project_id(self) -> int | None:
        """Id of the project the group works on."""
    @property
    def external_id(self) -> str | None:
        """The group's id in another system."""
    @property
    def external_name(self) -> str | None:
        """The group's name in another system."""
    @property
    def is_member(self) -> bool:
        """Whether the caller counts as a member of the group. A client is not a user, so this is the imported value, otherwise false."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class UserGroupMember:
    """A member of a group."""
    __match_args__ = ("user_name", "azure_object_id", "group_id", "user_id", "group_role",)
    @property
    def user_name(self) -> str:
        """Name with which the user signs in."""
    @property
    def azure_object_id(self) -> str | None:
        """Object id of the user in Entra ID, formerly Azure AD."""
    @property
    def group_id(self) -> int:
        """Id of the group."""
    @property
    def user_id(self) -> str:
        """Id of the user."""
    @property
    def group_role(self) -> str:
        """What a member may do in a group. A `Viewer` only follows it, and cannot be responsible for its incidents."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class UserV1:
    """A person, or a screen or device that signs in."""
    __match_args__ = ("id", "roles", "full_name", "user_name", "email", "use_ad", "azure_ad_object_id", "first_name", "last_name", "screen_name", "is_info_screen_user", "is_mobile_user", "business_unit_id", "external_id",)
    @property
    def id(self) -> str:
        """Id of the user."""
    @property
    def roles(self) -> tuple[str, ...]:
        """Roles of the plant, in the order in which they were given."""
    @property
    def full_name(self) -> str:
        """Display name."""
    @property
    def user_name(self) -> str:
        """Name with which the user signs in."""
    @property
    def email(self) -> str:
        """E-mail address; empty if unknown."""
    @property
    def use_ad(self) -> bool:
        """Whether the user signs in through a directory."""
    @property
    def azure_ad_object_id(self) -> str | None:
        """Object id of the user in Entra ID, formerly Azure AD."""
    @property
    def first_name(self) -> str:
        """First name; empty if unknown."""
    @property
    def last_name(self) -> str:
        """Last name; empty if unknown."""
    @property
    def screen_name(self) -> str | None:
        """Short name for boards."""
    @property
    def is_info_screen_user(self) -> bool:
        """Whether it is a screen that shows boards."""
    @property
    def is_mobile_user(self) -> bool:
        """Whether it is a mobile device that people of a shift share."""
    @property
    def business_unit_id(self) -> int | None:
        """Id of the group that is the business unit."""
    @property
    def external_id(self) -> str | None:
        """The user's id in another system."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class BoardSummary:
    """A board without its lines."""
    __match_args__ = ("id", "name", "description", "board_type", "is_public", "group_id", "group_name",)
    @property
    def id(self) -> int:
        """Id of the board."""
    @property
    def name(self) -> str | None:
        """Name of the board."""
    @property
    def description(self) -> str | None:
        """Description of the board."""
    @property
    def board_type(self) -> str | None:
        """Layout of the board."""
    @property
    def is_public(self) -> bool:
        """Whether people outside the group can see the board."""
    @property
    def group_id(self) -> int | None:
        """Id of the group the board belongs to."""
    @property
    def group_name(self) -> str | None:
        """Name of that group."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class BoardDetail:
    """A board with its lines."""
    __match_args__ = ("id", "name", "description", "board_type", "is_public", "group_id", "group_name", "rows", "columns",)
    @property
    def id(self) -> int:
        """Id of the board."""
    @property
    def name(self) -> str | None:
        """Name of the board."""
    @property
    def description(self) -> str | None:
        """Description of the board."""
    @property
    def board_type(self) -> str | None:
        """Layout of the board."""
    @property
    def is_public(self) -> bool:
        """Whether people outside the group can see the board."""
    @property
    def group_id(self) -> int | None:
        """Id of the group the board belongs to."""
    @property
    def group_name(self) -> str | None:
        """Name of that group."""
    @property
    def rows(self) -> tuple[BoardLine, ...]:
        """Its rows, in sort order."""
    @property
    def columns(self) -> tuple[BoardLine, ...]:
        """Its columns, in sort order."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class BoardLine:
    """A row or a column of a board."""
    __match_args__ = ("id", "name", "week_day", "is_column_category", "style", "sort_order", "responsible_user_id", "responsible_user",)
    @property
    def id(self) -> int:
        """Id of the line."""
    @property
    def name(self) -> str | None:
        """Heading of the line."""
    @property
    def week_day(self) -> str | None:
        """Day of the week of the line, in English."""
    @property
    def is_column_category(self) -> bool:
        """Whether the line is a heading over other columns."""
    @property
    def style(self) -> str | None:
        """Display style of the line."""
    @property
    def sort_order(self) -> int | None:
        """Sort position among the lines."""
    @property
    def responsible_user_id(self) -> str | None:
        """Id of the person responsible."""
    @property
    def responsible_user(self) -> str | None:
        """User name of the person responsible."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class DataList:
    """A list of choices for custom fields and for elements of datasources."""
    __match_args__ = ("id", "name", "description", "last_modified", "last_modified_by_user",)
    @property
    def id(self) -> int:
        """Id of the data list."""
    @property
    def name(self) -> str:
        """Name of the data list."""
    @property
    def description(self) -> str | None:
        """Description of the data list."""
    @property
    def last_modified(self) -> datetime.datetime | None:
        """Time of the last change of the list or its items; later than every earlier change of any record. Null for an imported list that
        has not changed since.
        """
    @property
    def last_modified_by_user(self) -> str | None:
        """Display name of the user who made the last change; null after a change by a client."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class DataListItem:
    """An item of a data list."""
    __match_args__ = ("id", "sort_order", "identifier", "name",)
    @property
    def id(self) -> int:
        """Id of the item."""
    @property
    def sort_order(self) -> int:
        """Sort position in the list."""
    @property
    def identifier(self) -> str:
        """What identifies the item in its list."""
    @property
    def name(self) -> str | None:
        """Name of the item."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class Project:
    """A project."""
    __match_args__ = ("id", "project_number", "status", "external_id", "name", "description", "customer_number", "customer_name", "created_date", "start_date", "end_date", "estimated_start_date", "estimated_end_date",)
    @property
    def id(self) -> int:
        """Id of the project."""
    @property
    def project_number(self) -> str:
        """Number of the project, which identifies it in addresses."""
    @property
    def status(self) -> str | None:
        """Status of the project; an open set of names."""
    @property
    def external_id(self) -> str | None:
        """The project's id in another system."""
    @property
    def name(self) -> str:
        """Name of the project."""
    @property
    def description(self) -> str | None:
        """Description of the project."""
    @property
    def customer_number(self) -> str | None:
        """Number of the customer."""
    @property
    def customer_name(self) -> str | None:
        """Name of the customer."""
    @property
    def created_date(self) -> datetime.datetime | None:
        """When the project was created."""
    @property
    def start_date(self) -> datetime.datetime | None:
        """When it began."""
    @property
    def end_date(self) -> datetime.datetime | None:
        """When it ended."""
    @property
    def estimated_start_date(self) -> datetime.datetime | None:
        """When it is planned to begin."""
    @property
    def estimated_end_date(self) -> datetime.datetime | None:
        """When it is planned to end."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class ProjectMilestone:
    """A milestone of a project."""
    __match_args__ = ("id", "project_id", "name", "planned_date", "actual_date",)
    @property
    def id(self) -> int:
        """Id of the milestone."""
    @property
    def project_id(self) -> int:
        """Id of its project."""
    @property
    def name(self) -> str:
        """Name of the milestone."""
    @property
    def planned_date(self) -> datetime.datetime | None:
        """When it is to be reached."""
    @property
    def actual_date(self) -> datetime.datetime | None:
        """When it was reached."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class Attachment:
    """A file attached to an incident, as v1 returns it."""
    __match_args__ = ("id", "file_name", "file_extension", "file_size_in_kb", "url", "created_date", "created_by_user_id", "created_by_user", "content_type",)
    @property
    def id(self) -> str:
        """A text that names the file, and no other. v2 has it as `fileId`."""
    @property
    def file_name(self) -> str:
        """Name of the file."""
    @property
    def file_extension(self) -> str:
        """Extension of the file, without a dot."""
    @property
    def file_size_in_kb(self) -> int:
        """Size of the content in KiB, rounded up."""
    @property
    def url(self) -> str:
        """Address of the content, below the base URL of the service: `/v2/incidents/1204/attachments/601/content`. It needs a token like any
        other request.
        """
    @property
    def created_date(self) -> datetime.datetime:
        """When the file was attached."""
    @property
    def created_by_user_id(self) -> str | None:
        """Id of the person who attached it. Null if a client did, and always where the incident is anonymous."""
    @property
    def created_by_user(self) -> str | None:
        """Display name of the person who attached it. Null if a client did, and always where the incident is anonymous."""
    @property
    def content_type(self) -> str:
        """Media type of the content."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class TaskInfo:
    """A task as v1 returns it."""
    __match_args__ = ("id", "parent_id", "last_modified", "responsible_user", "external_id", "board_id", "title", "description", "status", "responsible_user_id", "due_date", "start_date", "row_category_id", "column_category_id", "tags",)
    @property
    def id(self) -> int:
        """Id of the task."""
    @property
    def parent_id(self) -> int | None:
        """Id of the task that this is a sub-task of."""
    @property
    def last_modified(self) -> datetime.datetime:
        """When it was last changed. Every change of the task moves it forward."""
    @property
    def responsible_user(self) -> str | None:
        """Display name of the person responsible."""
    @property
    def external_id(self) -> str | None:
        """The task's id in another system."""
    @property
    def board_id(self) -> int | None:
        """Id of the board it is on."""
    @property
    def title(self) -> str:
        """Title of the task."""
    @property
    def description(self) -> str | None:
        """Description of the task."""
    @property
    def status(self) -> str:
        """Status of a task."""
    @property
    def responsible_user_id(self) -> str | None:
        """Id of the person responsible."""
    @property
    def due_date(self) -> datetime.datetime | None:
        """When it is to be completed."""
    @property
    def start_date(self) -> datetime.datetime | None:
        """When it is to begin."""
    @property
    def row_category_id(self) -> int | None:
        """Id of the row of the board it is in."""
    @property
    def column_category_id(self) -> int | None:
        """Id of the column of the board it is in."""
    @property
    def tags(self) -> tuple[str, ...]:
        """Its tags, in the order in which they were set."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class Problem:
    """An RFC 9457 problem document."""
    __match_args__ = ("type", "title", "status", "detail", "instance", "trace_id", "code", "errors", "error",)
    @property
    def type(self) -> str:
        """Problem type as a URN: `urn:obeya:problem:` and the code."""
    @property
    def title(self) -> str:
        """Title of the problem type; always the same for a code."""
    @property
    def status(self) -> int:
        """The HTTP status."""
    @property
    def detail(self) -> str | None:
        """What was found in this request, what was expected, and how to correct it."""
    @property
    def instance(self) -> str | None:
        """Path of the request."""
    @property
    def trace_id(self) -> str:
        """Trace id. Quote it to the operator; the log has the cause under this id."""
    @property
    def code(self) -> str:
        """Stable error code for programs. New codes may be added; a code never changes its meaning.
        - 400: `path.invalid`, `query.invalid`, `odata.syntax`, `odata.option`, `odata.unknown_property`, `odata.unknown_function`,
          `odata.type`, `odata.value`, `odata.limit`, `odata.search_with_filter`, `body.malformed`, `body.invalid`,
          `body.unknown_property`, `header.invalid`
        - 401: `token.missing`, `token.invalid`, `token.expired`, `token.revoked`
        - 403: `scope.missing`, `address.refused`, `grant.missing`
        - 404: `not_found`
        - 405: `method.not_allowed`
        - 406: `media_type.not_acceptable`
        - 408: `body.timeout`
        - 409: `incident.transition`, `incident.evaluation`, `improvement.transition`, `value.ids_exhausted`, `data_list.identifier_exists`,
          `project.number_exists`, `project.in_use`, `user.exists`, `user.deleted`, `group.system`, `group.in_use`,
          `attachment.too_many`
        - 412: `precondition.failed`
        - 413: `body.too_large`
        - 414: `request.uri_too_long`
        - 415: `media_type.unsupported`
        - 422: `reference.unknown`, `reference.other_type`, `reference.duplicate`, `responsible.not_member`, `user.roles`, `custom_field.value`,
          `element.missing`, `element.type`, `idempotency.mismatch`
        - 429: `idempotency.quota`, `rate.limited`
        - 431: `request.headers_too_large`
        - 500: `internal`
        - 503: `unavailable`
        - 504: `timeout`
        """
    @property
    def errors(self) -> dict[str, tuple[str, ...]] | None:
        """Errors by part of the request, with 400 and 422: by parameter name, or by path in the body, such as `consequences[0].id`. An
        error of the body as a whole is under `body`.
        """
    @property
    def error(self) -> ODataError | None:
        """The same error in the form that OData clients read. Only on v2."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class ODataError:
    """The same error in the form that OData clients read. Only on v2."""
    __match_args__ = ("code", "message", "target",)
    @property
    def code(self) -> str:
        """The code of the problem."""
    @property
    def message(self) -> str:
        """The detail of the problem."""
    @property
    def target(self) -> str | None:
        """What the error refers to, such as a query option or a property."""
    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], /) -> Self:
        """The record with these fields, named as the attributes are or as on the wire."""
    @classmethod
    def from_json(cls, text: str, /) -> Self:
        """Reads the record from JSON as it is on the wire."""
    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name; records within it are dictionaries too."""
    def to_json(self) -> str:
        """The record as it is on the wire."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

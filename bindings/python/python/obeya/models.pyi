# Written by `cargo xtask regen` from spec/openapi.yaml; edit that, or xtask/src/python.
# fmt: off
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, final

from typing_extensions import Self

__all__ = [
    "Area",
    "Board",
    "BoardDetail",
    "BoardLine",
    "BoardSummary",
    "Category",
    "CategoryReference",
    "CauseReference",
    "Datasource",
    "DatasourceDetail",
    "DatasourceElement",
    "DatasourceValue",
    "DatasourceValueTotal",
    "Group",
    "Improvement",
    "Incident",
    "IncidentComment",
    "IncidentCommentV1",
    "IncidentConsequence",
    "IncidentCustomField",
    "IncidentTypeCustomField",
    "IncidentTypeDetail",
    "IncidentTypeSummary",
    "IncidentTypeV2",
    "IncidentV2",
    "ODataError",
    "Problem",
    "TrashedIncident",
    "TypeCause",
    "TypeConsequence",
    "User",
]

@final
class Area:
    """A place in the plant."""
    __match_args__ = ("id", "name", "description",)
    @property
    def id(self) -> int | None:
        """Id of the area."""
    @property
    def name(self) -> str | None:
        """Name of the area."""
    @property
    def description(self) -> str | None:
        """What the area holds."""
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
    __match_args__ = ("id", "name", "board_type", "business_unit_id", "is_member", "project_id", "is_public", "group_id", "group",)
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
        """Whether the board counts as the caller's own. A client is no user, so this is what was imported, and otherwise false."""
    @property
    def project_id(self) -> int | None:
        """Id of the project the board belongs to."""
    @property
    def is_public(self) -> bool | None:
        """Whether people outside the group see the board."""
    @property
    def group_id(self) -> int | None:
        """Id of the group the board belongs to."""
    @property
    def group(self) -> Group | None:
        """The group the board belongs to. Only with `$expand`."""
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
class Group:
    """A team, a business unit, or the people of a project."""
    __match_args__ = ("id", "type", "name", "description", "parent_id", "is_system_group", "level", "sort_order", "business_unit_id", "project_id", "external_id", "external_name", "is_member", "parent", "children", "boards", "users",)
    @property
    def id(self) -> int | None:
        """Id of the group."""
    @property
    def type(self) -> str | None:
        """What kind of group it is."""
    @property
    def name(self) -> str | None:
        """Name of the group."""
    @property
    def description(self) -> str | None:
        """What the group is for."""
    @property
    def parent_id(self) -> int | None:
        """Id of the group above."""
    @property
    def is_system_group(self) -> bool | None:
        """Whether the system made the group."""
    @property
    def level(self) -> int | None:
        """Depth in the tree of groups; 0 is the top."""
    @property
    def sort_order(self) -> int | None:
        """Place among the groups with the same parent."""
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
        """Whether the group counts as the caller's own. A client is no user, so this is what was imported, and otherwise false."""
    @property
    def parent(self) -> Group | None:
        """The group above. Only with `$expand`."""
    @property
    def children(self) -> tuple[Group, ...] | None:
        """The groups below. Only with `$expand`."""
    @property
    def boards(self) -> tuple[Board, ...] | None:
        """The boards of the group. Only with `$expand`."""
    @property
    def users(self) -> tuple[User, ...] | None:
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
class User:
    """A person, as a member of a group."""
    __match_args__ = ("id", "user_name", "display_name",)
    @property
    def id(self) -> str | None:
        """Id of the user."""
    @property
    def user_name(self) -> str | None:
        """Name the user signs in with."""
    @property
    def display_name(self) -> str | None:
        """Name to show."""
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
class IncidentComment:
    """What somebody wrote under an incident, or in reply to another comment."""
    __match_args__ = ("id", "text", "comment_date", "commented_by", "commented_by_user_id", "parent_id", "level", "incident_id", "parent", "incident",)
    @property
    def id(self) -> int | None:
        """Id of the comment."""
    @property
    def text(self) -> str | None:
        """What was written."""
    @property
    def comment_date(self) -> datetime.datetime | None:
        """When it was written."""
    @property
    def commented_by(self) -> str | None:
        """Display name of the writer, if it is known."""
    @property
    def commented_by_user_id(self) -> str | None:
        """Id of the user who wrote it, if it was one."""
    @property
    def parent_id(self) -> int | None:
        """Id of the comment this one replies to."""
    @property
    def level(self) -> int | None:
        """Depth of the reply; 0 is a comment on the incident itself."""
    @property
    def incident_id(self) -> int | None:
        """Id of the incident."""
    @property
    def parent(self) -> IncidentComment | None:
        """The comment this one replies to. Only with `$expand`."""
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
    """An incident as v2 shows it."""
    __match_args__ = ("id", "title", "text", "status", "severity", "type_id", "incident_date", "created_date", "last_modified", "due_date", "status_modified_date", "status_new_date", "status_in_progress_date", "status_implemented_date", "status_rejected_date", "archived_date", "evaluation_status", "evaluation_text", "owner", "owner_display_name", "owner_user_id", "created_by_user_id", "group_id", "follow_up_group_id", "area_id", "project_id", "external_id", "is_anonymous", "attachment_count", "action_list_count", "area", "group", "follow_up_group", "type", "comments",)
    @property
    def id(self) -> int | None:
        """Id of the incident."""
    @property
    def title(self) -> str | None:
        """What happened, in a line."""
    @property
    def text(self) -> str | None:
        """What happened, at length."""
    @property
    def status(self) -> str | None:
        """Where an incident stands."""
    @property
    def severity(self) -> str | None:
        """How grave an incident is."""
    @property
    def type_id(self) -> int | None:
        """Id of the incident type."""
    @property
    def incident_date(self) -> datetime.datetime | None:
        """When it happened. v1 keeps only the day; here it is that day at midnight UTC."""
    @property
    def created_date(self) -> datetime.datetime | None:
        """When it was reported."""
    @property
    def last_modified(self) -> datetime.datetime | None:
        """When it was last changed."""
    @property
    def due_date(self) -> datetime.datetime | None:
        """When it is to be resolved."""
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
        """Why it was evaluated so."""
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
        """Whether who reported it is kept hidden."""
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
    def group(self) -> Group | None:
        """The group that reported it. Only with `$expand`."""
    @property
    def follow_up_group(self) -> Group | None:
        """The group that follows it up. Only with `$expand`."""
    @property
    def type(self) -> IncidentTypeV2 | None:
        """The incident type. Only with `$expand`."""
    @property
    def comments(self) -> tuple[IncidentComment, ...] | None:
        """The comments under it. Only with `$expand`."""
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
class IncidentTypeV2:
    """An incident type as v2 shows it."""
    __match_args__ = ("id", "title", "description",)
    @property
    def id(self) -> int | None:
        """Id of the incident type."""
    @property
    def title(self) -> str | None:
        """Title of the type."""
    @property
    def description(self) -> str | None:
        """What the type is for."""
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
class Incident:
    """An incident in full."""
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
        """What it caused."""
    @property
    def categories(self) -> tuple[CategoryReference, ...]:
        """How it is classified."""
    @property
    def causes(self) -> tuple[CauseReference, ...]:
        """Why it happened."""
    @property
    def custom_fields(self) -> tuple[IncidentCustomField, ...]:
        """The values of the custom fields of its type; a field without a value is left out."""
    @property
    def status(self) -> str:
        """Where an incident stands."""
    @property
    def incident_type_id(self) -> int:
        """Id of the incident type."""
    @property
    def severity(self) -> str:
        """How grave an incident is."""
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
        """What happened, in a line."""
    @property
    def text(self) -> str | None:
        """What happened, at length."""
    @property
    def incident_date(self) -> datetime.date:
        """The day it happened."""
    @property
    def resolved_date(self) -> datetime.datetime | None:
        """When it was resolved; null unless it is."""
    @property
    def due_date(self) -> datetime.datetime | None:
        """When it is to be resolved."""
    @property
    def evaluation_status(self) -> str | None:
        """How well the solution worked."""
    @property
    def evaluation_text(self) -> str | None:
        """Why it was evaluated so."""
    @property
    def is_anonymous(self) -> bool:
        """Whether who reported it is kept hidden."""
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
        """Where an incident stands."""
    @property
    def incident_type_id(self) -> int:
        """Id of the incident type."""
    @property
    def severity(self) -> str:
        """How grave an incident is."""
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
        """What happened, in a line."""
    @property
    def text(self) -> str | None:
        """What happened, at length."""
    @property
    def incident_date(self) -> datetime.date:
        """The day it happened."""
    @property
    def resolved_date(self) -> datetime.datetime | None:
        """When it was resolved; null unless it is."""
    @property
    def due_date(self) -> datetime.datetime | None:
        """When it is to be resolved."""
    @property
    def evaluation_status(self) -> str | None:
        """How well the solution worked."""
    @property
    def evaluation_text(self) -> str | None:
        """Why it was evaluated so."""
    @property
    def is_anonymous(self) -> bool:
        """Whether who reported it is kept hidden."""
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
    """A comment on an incident, as v1 tells it."""
    __match_args__ = ("id", "comment", "comment_date", "commented_by", "commented_by_user_id", "parent_id", "level",)
    @property
    def id(self) -> int:
        """Id of the comment."""
    @property
    def comment(self) -> str:
        """What was written."""
    @property
    def comment_date(self) -> datetime.datetime:
        """When it was written."""
    @property
    def commented_by(self) -> str | None:
        """Display name of who wrote it."""
    @property
    def commented_by_user_id(self) -> str | None:
        """Id of who wrote it."""
    @property
    def parent_id(self) -> int | None:
        """Id of the comment that it answers."""
    @property
    def level(self) -> int:
        """How many comments there are above it."""
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
    """What an incident caused, and how much of it."""
    __match_args__ = ("unit", "amount", "id", "title",)
    @property
    def unit(self) -> str | None:
        """Unit of the amount, as the incident type gives it."""
    @property
    def amount(self) -> float | None:
        """How much."""
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
        """What was entered, as text. For a field with a data list it is the chosen entry."""
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
        """Kind of the field, such as text, number, date, bool or list. More kinds may come."""
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
    """An improvement in full."""
    __match_args__ = ("id", "status", "priority_status", "group_id", "group", "text", "title", "category_id", "category", "project_id", "project", "last_modified", "last_modified_by_user_id", "suggested_by_user_id", "suggested_by", "suggestion_date", "due_date", "planned_date", "in_progress_date", "implemented_date", "evaluated_date", "archived_date", "responsible_user_id", "responsible_user", "responsible_display_name", "attachment_count", "action_list_count", "comment_count", "like_count", "external_id", "cost_of_investment", "gain_of_investment", "cost_of_investment_hours", "gain_of_investment_hours", "estimated_cost_of_investment", "estimated_gain_of_investment", "estimated_cost_of_investment_hours", "estimated_gain_of_investment_hours", "evaluation_status", "evaluation_text",)
    @property
    def id(self) -> int:
        """Id of the improvement."""
    @property
    def status(self) -> str:
        """The stage of an improvement. `Activated` is a request rather than a stage: it brings an archived improvement back to the stage it
        had. `Open` is for improvements that do not go through stages.
        """
    @property
    def priority_status(self) -> str:
        """Where an improvement lies between effort and effect."""
    @property
    def group_id(self) -> int | None:
        """Id of the group that works on it."""
    @property
    def group(self) -> str | None:
        """Name of the group."""
    @property
    def text(self) -> str | None:
        """What is to be better, at length."""
    @property
    def title(self) -> str | None:
        """What is to be better, in a line."""
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
        """Id of the user who last changed it; null when a client did."""
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
        """When it is to be implemented."""
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
        """Money it cost."""
    @property
    def gain_of_investment(self) -> float | None:
        """Money it gained."""
    @property
    def cost_of_investment_hours(self) -> float | None:
        """Hours it cost."""
    @property
    def gain_of_investment_hours(self) -> float | None:
        """Hours it gained."""
    @property
    def estimated_cost_of_investment(self) -> float | None:
        """Money it was expected to cost."""
    @property
    def estimated_gain_of_investment(self) -> float | None:
        """Money it was expected to gain."""
    @property
    def estimated_cost_of_investment_hours(self) -> float | None:
        """Hours it was expected to cost."""
    @property
    def estimated_gain_of_investment_hours(self) -> float | None:
        """Hours it was expected to gain."""
    @property
    def evaluation_status(self) -> str | None:
        """How well it worked."""
    @property
    def evaluation_text(self) -> str | None:
        """Why it was evaluated so."""
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
    """An incident type, by name."""
    __match_args__ = ("id", "title", "description",)
    @property
    def id(self) -> int:
        """Id of the type."""
    @property
    def title(self) -> str:
        """Name of the type."""
    @property
    def description(self) -> str | None:
        """What incidents of the type are."""
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
    """An incident type and what its incidents may have."""
    __match_args__ = ("id", "title", "description", "custom_fields", "categories", "consequences", "causes",)
    @property
    def id(self) -> int:
        """Id of the incident type."""
    @property
    def title(self) -> str:
        """Title of the type."""
    @property
    def description(self) -> str | None:
        """What the type is for."""
    @property
    def custom_fields(self) -> tuple[IncidentTypeCustomField, ...]:
        """Its custom fields, in sort order."""
    @property
    def categories(self) -> tuple[Category, ...]:
        """Its top categories, in sort order, each with those below it."""
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
        """Kind of the field, such as text, number, date, bool or list. More kinds may come."""
    @property
    def sort_order(self) -> int:
        """Place among the fields."""
    @property
    def data_list_id(self) -> int | None:
        """Id of the data list its values come from."""
    @property
    def is_mandatory(self) -> bool:
        """Whether a form should insist on a value. The service does not."""
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
    """A category of an incident type, and those below it."""
    __match_args__ = ("id", "title", "description", "sort_order", "parent_id", "children",)
    @property
    def id(self) -> int:
        """Id of the category."""
    @property
    def title(self) -> str:
        """Title of the category."""
    @property
    def description(self) -> str | None:
        """What belongs to it."""
    @property
    def sort_order(self) -> int:
        """Place among the categories with the same parent."""
    @property
    def parent_id(self) -> int | None:
        """Id of the category above."""
    @property
    def children(self) -> tuple[Category, ...]:
        """The categories below, in sort order."""
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
        """Unit of its amount."""
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
        """What belongs to it."""
    @property
    def sort_order(self) -> int:
        """Place among the causes."""
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
    """A datasource, by name."""
    __match_args__ = ("id", "title", "description",)
    @property
    def id(self) -> int:
        """Id of the datasource."""
    @property
    def title(self) -> str | None:
        """Name of the datasource."""
    @property
    def description(self) -> str | None:
        """What its figures are."""
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
    """A datasource, and what the properties of its values mean."""
    __match_args__ = ("id", "title", "description", "object_source", "unit_of_time", "primary_input_source", "elements",)
    @property
    def id(self) -> int:
        """Id of the datasource."""
    @property
    def title(self) -> str | None:
        """Name of the datasource."""
    @property
    def description(self) -> str | None:
        """What its figures are."""
    @property
    def object_source(self) -> str | None:
        """What kind of thing the figures are about."""
    @property
    def unit_of_time(self) -> str | None:
        """How long the time is that a figure stands for, for example a shift."""
    @property
    def primary_input_source(self) -> str | None:
        """Where most of the figures come from."""
    @property
    def elements(self) -> tuple[DatasourceElement, ...]:
        """What the properties of a value mean, in the order in which a form shows them."""
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
    """What one property of a datasource's values means."""
    __match_args__ = ("id", "label", "type", "is_mandatory", "source_column", "data_list_id",)
    @property
    def id(self) -> str:
        """Id of the element, unique within the datasource."""
    @property
    def label(self) -> str | None:
        """What a form calls it."""
    @property
    def type(self) -> str:
        """What a property of a datasource's values holds."""
    @property
    def is_mandatory(self) -> bool:
        """Whether a value must have it."""
    @property
    def source_column(self) -> str | None:
        """The property of a value that holds it, for example `dimension`."""
    @property
    def data_list_id(self) -> int | None:
        """Id of the list of choices it draws from."""
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
    """One figure of a datasource."""
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
        """Id of the area it is about."""
    @property
    def asset_id(self) -> int | None:
        """Id of the asset it is about."""
    @property
    def project_id(self) -> int | None:
        """Id of the project it is about."""
    @property
    def value(self) -> float:
        """The figure."""
    @property
    def description(self) -> str | None:
        """A remark."""
    @property
    def dimension(self) -> str | None:
        """First dimension; what it means is up to the datasource."""
    @property
    def dimension2(self) -> str | None:
        """Second dimension; what it means is up to the datasource."""
    @property
    def dimension3(self) -> str | None:
        """Third dimension; what it means is up to the datasource."""
    @property
    def dimension4(self) -> str | None:
        """Fourth dimension; what it means is up to the datasource."""
    @property
    def value_date(self) -> datetime.datetime:
        """The time the figure belongs to."""
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
    """What became of a list of values."""
    __match_args__ = ("total",)
    @property
    def total(self) -> int:
        """Number of values that were added."""
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
        """What the board is for."""
    @property
    def board_type(self) -> str | None:
        """Layout of the board."""
    @property
    def is_public(self) -> bool:
        """Whether people outside the group see the board."""
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
        """What the board is for."""
    @property
    def board_type(self) -> str | None:
        """Layout of the board."""
    @property
    def is_public(self) -> bool:
        """Whether people outside the group see the board."""
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
        """Day of the week the line stands for, in English."""
    @property
    def is_column_category(self) -> bool:
        """Whether the line is a heading over other columns."""
    @property
    def style(self) -> str | None:
        """How the line is drawn."""
    @property
    def sort_order(self) -> int | None:
        """Place among the lines."""
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
class Problem:
    """An RFC 9457 problem document."""
    __match_args__ = ("type", "title", "status", "detail", "instance", "trace_id", "code", "errors", "error",)
    @property
    def type(self) -> str:
        """The code as a URN, `urn:obeya:problem:` and the code."""
    @property
    def title(self) -> str:
        """What kind of problem it is; always the same for a code."""
    @property
    def status(self) -> int:
        """The HTTP status."""
    @property
    def detail(self) -> str | None:
        """What was found this time, what was expected, and what may mend it."""
    @property
    def instance(self) -> str | None:
        """Path of the request."""
    @property
    def trace_id(self) -> str:
        """What to name when asking the operator; the log has the cause under it."""
    @property
    def code(self) -> str:
        """What went wrong, for programs to act on. New codes may come; a code never changes its meaning.
        - 400: `path.invalid`, `query.invalid`, `odata.syntax`, `odata.option`, `odata.unknown_property`, `odata.unknown_function`,
          `odata.type`, `odata.value`, `odata.limit`, `odata.search_with_filter`, `body.malformed`, `body.invalid`,
          `body.unknown_property`, `header.invalid`
        - 401: `token.missing`, `token.invalid`, `token.expired`, `token.revoked`
        - 403: `scope.missing`
        - 404: `not_found`
        - 405: `method.not_allowed`
        - 406: `media_type.not_acceptable`
        - 408: `body.timeout`
        - 409: `incident.transition`, `incident.evaluation`, `improvement.transition`, `value.ids_exhausted`
        - 412: `precondition.failed`
        - 413: `body.too_large`
        - 414: `request.uri_too_long`
        - 415: `media_type.unsupported`
        - 422: `reference.unknown`, `reference.other_type`, `reference.duplicate`, `responsible.not_member`, `custom_field.value`, `element.missing`,
          `element.type`, `idempotency.mismatch`
        - 429: `idempotency.quota`
        - 431: `request.headers_too_large`
        - 500: `internal`
        - 503: `unavailable`
        - 504: `timeout`
        """
    @property
    def errors(self) -> dict[str, tuple[str, ...]] | None:
        """What is wrong with each part of the request, with 400 and 422: by parameter name, or by path in the body, such as
        `consequences[0].id`. A body that is wrong as a whole is named `body`.
        """
    @property
    def error(self) -> ODataError | None:
        """The same error in the form OData clients read. Only on v2."""
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
    """The same error in the form OData clients read. Only on v2."""
    __match_args__ = ("code", "message", "target",)
    @property
    def code(self) -> str:
        """The code of the problem."""
    @property
    def message(self) -> str:
        """The detail of the problem."""
    @property
    def target(self) -> str | None:
        """What it is about, such as a query option or a property."""
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

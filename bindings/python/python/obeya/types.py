# Written by `cargo xtask regen` from spec/openapi.yaml; edit that, or xtask/src/python.
# fmt: off
"""Types of arguments, for annotations: the values of enums, and the keyword arguments of request bodies.

An answer may contain values that are not listed here, because a newer service may have more.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Literal, TypedDict

from obeya import models

__all__ = [
    "BoardType",
    "CategoryInput",
    "CauseInput",
    "ConsequenceInput",
    "CustomFieldInput",
    "DataListItemCreate",
    "DatasourceElementType",
    "DatasourceValueChanges",
    "DatasourceValueInput",
    "EvaluationStatusV1",
    "EvaluationStatusV2",
    "GroupCreate",
    "GroupMemberCreate",
    "GroupRole",
    "GroupType",
    "ImprovementCreate",
    "ImprovementPriorityStatus",
    "ImprovementStatus",
    "ImprovementUpdate",
    "IncidentChanges",
    "IncidentCreate",
    "IncidentCustomFieldChanges",
    "IncidentCustomFieldUpdate",
    "IncidentResponsibleChanges",
    "IncidentResponsibleUpdate",
    "IncidentSeverity",
    "IncidentSeverityUpdate",
    "IncidentStatus",
    "IncidentStatusChanges",
    "IncidentStatusUpdate",
    "IncidentUpdate",
    "ProjectCreate",
    "ProjectMilestoneChanges",
    "ProjectMilestoneCreate",
    "ProjectMilestoneUpdate",
    "TaskChanges",
    "TaskCommentCreate",
    "TaskCreate",
    "TaskDeletionMode",
    "TaskInfoChanges",
    "TaskInfoCreate",
    "TaskInfoUpdate",
    "TaskPatch",
    "TaskStatus",
    "TaskUpdate",
    "UserCreateV1",
    "UserCreateV2",
    "UserPatch",
    "UserType",
    "UserUpdateV1",
    "UserUpdateV2",
]

IncidentStatus = Literal[
    "New",
    "InProgress",
    "Resolved",
    "Rejected",
]
"""Status of an incident."""

IncidentSeverity = Literal[
    "None",
    "Low",
    "Medium",
    "High",
]
"""Severity of an incident."""

ImprovementStatus = Literal[
    "Suggested",
    "Planned",
    "InProgress",
    "Implemented",
    "Evaluated",
    "Archived",
    "Activated",
    "Open",
]
"""Stage of an improvement. `Activated` is a request, not a stage: it returns an archived improvement to its previous stage. `Open` is
for improvements without stages.
"""

ImprovementPriorityStatus = Literal[
    "NotPrioritized",
    "LowEffortHighEffect",
    "HighEffortHighEffect",
    "LowEffortLowEffect",
    "HighEffortLowEffect",
]
"""Priority of an improvement by effort and effect."""

EvaluationStatusV1 = Literal[
    "Medium",
    "Good",
    "Bad",
]
"""How well a solution worked, with the names of v1."""

EvaluationStatusV2 = Literal[
    "Meh",
    "Smile",
    "Frown",
]
"""How well a solution worked, with the names of v2. `Meh`, `Smile` and `Frown` are v1's `Medium`, `Good` and `Bad`."""

BoardType = Literal[
    "Weekly",
    "Kanban",
    "SmartActionList",
    "Yearly",
]
"""Layout of a board."""

DatasourceElementType = Literal[
    "area",
    "asset",
    "board",
    "bool",
    "description",
    "list",
    "number",
    "project",
    "text",
    "user",
]
"""Type of a property of a datasource's values."""

GroupType = Literal[
    "GENERAL",
    "BUSINESSUNIT",
    "PROJECT",
    "CUSTOMIZED",
]
"""Type of a group."""

TaskStatus = Literal[
    "NotStarted",
    "Completed",
    "Blocked",
]
"""Status of a task."""

TaskDeletionMode = Literal[
    "Cascade",
    "Detach",
]
"""What becomes of the sub-tasks of a deleted task. `Cascade` deletes them too, `Detach` moves them up to its own place."""

GroupRole = Literal[
    "Member",
    "Viewer",
    "Owner",
]
"""What a member may do in a group. A `Viewer` only follows it, and cannot be responsible for its incidents."""

UserType = Literal[
    "NORMAL",
    "MOBILE",
    "SCREEN",
]
"""Who signs in: a person, a mobile device that people of a shift share, or a screen that shows boards. A `SCREEN` cannot be made
responsible for anything.
"""


class _IncidentUpdateRequired(TypedDict):
    incident_type_id: int
    """Id of the incident type."""
    severity: IncidentSeverity
    """Severity of an incident."""
    title: str
    """Title of the incident."""
    incident_date: datetime.date | str
    """The day it happened."""


class IncidentUpdate(_IncidentUpdateRequired, total=False):
    """The new properties of an incident. An omitted property is unchanged; null clears it."""

    status: IncidentStatus
    """Status of an incident."""
    reported_by_group_id: int | None
    """Id of the group that reports it."""
    follow_up_group_id: int | None
    """Id of the group that follows it up."""
    responsible_user_id: str | None
    """Id of the person responsible, a member of the follow-up group."""
    text: str | None
    """Description of the incident."""
    resolved_date: datetime.datetime | str | None
    """When it was resolved. Without an offset it is UTC."""
    due_date: datetime.datetime | str | None
    """When it should be resolved. Without an offset it is UTC."""
    evaluation_status: EvaluationStatusV1 | None
    """How well the solution works."""
    evaluation_text: str | None
    """Reason for the evaluation."""
    is_anonymous: bool
    """Whether the incident is anonymous: the reporter is not shown."""
    area_id: int | None
    """Id of the area where it happened."""
    project_id: int | None
    """Id of the project it belongs to."""
    external_id: str | None
    """The incident's id in another system."""


class IncidentChanges(TypedDict, total=False):
    """Any part of an update: missing required fields are taken from the record that is updated."""

    status: IncidentStatus
    """Status of an incident."""
    incident_type_id: int
    """Id of the incident type."""
    severity: IncidentSeverity
    """Severity of an incident."""
    reported_by_group_id: int | None
    """Id of the group that reports it."""
    follow_up_group_id: int | None
    """Id of the group that follows it up."""
    responsible_user_id: str | None
    """Id of the person responsible, a member of the follow-up group."""
    title: str
    """Title of the incident."""
    text: str | None
    """Description of the incident."""
    incident_date: datetime.date | str
    """The day it happened."""
    resolved_date: datetime.datetime | str | None
    """When it was resolved. Without an offset it is UTC."""
    due_date: datetime.datetime | str | None
    """When it should be resolved. Without an offset it is UTC."""
    evaluation_status: EvaluationStatusV1 | None
    """How well the solution works."""
    evaluation_text: str | None
    """Reason for the evaluation."""
    is_anonymous: bool
    """Whether the incident is anonymous: the reporter is not shown."""
    area_id: int | None
    """Id of the area where it happened."""
    project_id: int | None
    """Id of the project it belongs to."""
    external_id: str | None
    """The incident's id in another system."""


class _IncidentCreateRequired(TypedDict):
    incident_type_id: int
    """Id of the incident type."""
    severity: IncidentSeverity
    """Severity of an incident."""
    title: str
    """Title of the incident."""
    incident_date: datetime.date | str
    """The day it happened."""
    categories: Sequence[CategoryInput | int | models.CategoryReference | models.Category]
    """Categories of the incident."""


class IncidentCreate(_IncidentCreateRequired, total=False):
    """An incident to create. An omitted property or null is empty."""

    status: IncidentStatus
    """Status of an incident."""
    reported_by_group_id: int | None
    """Id of the group that reports it."""
    follow_up_group_id: int | None
    """Id of the group that follows it up."""
    responsible_user_id: str | None
    """Id of the person responsible, a member of the follow-up group."""
    text: str | None
    """Description of the incident."""
    resolved_date: datetime.datetime | str | None
    """When it was resolved. Without an offset it is UTC."""
    due_date: datetime.datetime | str | None
    """When it should be resolved. Without an offset it is UTC."""
    evaluation_status: EvaluationStatusV1 | None
    """How well the solution works."""
    evaluation_text: str | None
    """Reason for the evaluation."""
    is_anonymous: bool
    """Whether the incident is anonymous: the reporter is not shown."""
    area_id: int | None
    """Id of the area where it happened."""
    project_id: int | None
    """Id of the project it belongs to."""
    external_id: str | None
    """The incident's id in another system."""
    created_by_user_id: str | None
    """Id of the user who reports it."""
    consequences: Sequence[ConsequenceInput | int | models.IncidentConsequence | models.TypeConsequence] | None
    """Consequences of the incident."""
    causes: Sequence[CauseInput | int | models.CauseReference | models.TypeCause] | None
    """Causes of the incident."""
    custom_fields: Sequence[CustomFieldInput | int | models.IncidentCustomField] | None
    """Values of the custom fields of its type."""


class _IncidentStatusUpdateRequired(TypedDict):
    status: IncidentStatus
    """Status of an incident."""


class IncidentStatusUpdate(_IncidentStatusUpdateRequired, total=False):
    """The new status of an incident."""


class IncidentStatusChanges(TypedDict, total=False):
    """Any part of an update: missing required fields are taken from the record that is updated."""

    status: IncidentStatus
    """Status of an incident."""


class IncidentSeverityUpdate(TypedDict, total=False):
    """The new severity of an incident. An omitted property is unchanged."""

    severity: IncidentSeverity
    """Severity of an incident."""


class _IncidentResponsibleUpdateRequired(TypedDict):
    follow_up_group_id: int
    """Id of the group that follows it up."""
    responsible_user_id: str
    """Id of the person responsible, a member of that group."""


class IncidentResponsibleUpdate(_IncidentResponsibleUpdateRequired, total=False):
    """The follow-up group of an incident and the responsible user."""


class IncidentResponsibleChanges(TypedDict, total=False):
    """Any part of an update: missing required fields are taken from the record that is updated."""

    follow_up_group_id: int
    """Id of the group that follows it up."""
    responsible_user_id: str
    """Id of the person responsible, a member of that group."""


class _IncidentCustomFieldUpdateRequired(TypedDict):
    value: str
    """The value as text. For a field with a data list it is the chosen entry."""


class IncidentCustomFieldUpdate(_IncidentCustomFieldUpdateRequired, total=False):
    """The new value of a custom field."""


class IncidentCustomFieldChanges(TypedDict, total=False):
    """Any part of an update: missing required fields are taken from the record that is updated."""

    value: str
    """The value as text. For a field with a data list it is the chosen entry."""


class _ConsequenceInputRequired(TypedDict):
    id: int
    """Id of the incident type's consequence."""


class ConsequenceInput(_ConsequenceInputRequired, total=False):
    """A consequence to set on the incident."""

    amount: float | None
    """Amount of the consequence."""
    unit: str | None
    """Accepted for compatibility and ignored; the incident type defines it."""
    title: str | None
    """Accepted for compatibility and ignored; the incident type defines it."""


class _CategoryInputRequired(TypedDict):
    id: int
    """Id of the category."""


class CategoryInput(_CategoryInputRequired, total=False):
    """A category to set on the incident."""

    title: str | None
    """Accepted for compatibility and ignored; the incident type defines it."""


class _CauseInputRequired(TypedDict):
    id: int
    """Id of the cause."""


class CauseInput(_CauseInputRequired, total=False):
    """A cause to set on the incident."""

    title: str | None
    """Accepted for compatibility and ignored; the incident type defines it."""


class _CustomFieldInputRequired(TypedDict):
    id: int
    """Id of the custom field."""


class CustomFieldInput(_CustomFieldInputRequired, total=False):
    """The value to set in a custom field."""

    value: str | None
    """The value as text; null clears the field."""


class ImprovementUpdate(TypedDict, total=False):
    """The new properties of an improvement. An omitted property is unchanged; null clears it."""

    title: str | None
    """Title of the improvement."""
    suggested_by_user_id: str | None
    """Id of the user who suggested it."""
    status: ImprovementStatus
    """Stage of an improvement. `Activated` is a request, not a stage: it returns an archived improvement to its previous stage. `Open` is
    for improvements without stages.
    """
    priority_status: ImprovementPriorityStatus
    """Priority of an improvement by effort and effect."""
    group_id: int | None
    """Id of the group that works on it."""
    text: str | None
    """Description of the improvement."""
    category_id: int | None
    """Id of the improvement category."""
    project_id: int | None
    """Id of the project it belongs to."""
    due_date: datetime.datetime | str | None
    """When it should be implemented. Without an offset it is UTC."""
    responsible_user_id: str | None
    """Id of the person responsible."""
    external_id: str | None
    """The improvement's id in another system."""
    cost_of_investment: float | None
    """Cost in money."""
    gain_of_investment: float | None
    """Gain in money."""
    cost_of_investment_hours: float | None
    """Cost in hours."""
    gain_of_investment_hours: float | None
    """Gain in hours."""
    estimated_cost_of_investment: float | None
    """Expected cost in money."""
    estimated_gain_of_investment: float | None
    """Expected gain in money."""
    estimated_cost_of_investment_hours: float | None
    """Expected cost in hours."""
    estimated_gain_of_investment_hours: float | None
    """Expected gain in hours."""
    evaluation_status: EvaluationStatusV1 | None
    """How well it works."""
    evaluation_text: str | None
    """Reason for the evaluation."""


class _ImprovementCreateRequired(TypedDict):
    title: str
    """Title of the improvement."""
    suggested_by_user_id: str
    """Id of the user who suggested it."""


class ImprovementCreate(_ImprovementCreateRequired, total=False):
    """A new improvement."""

    status: ImprovementStatus
    """Stage of an improvement. `Activated` is a request, not a stage: it returns an archived improvement to its previous stage. `Open` is
    for improvements without stages.
    """
    priority_status: ImprovementPriorityStatus
    """Priority of an improvement by effort and effect."""
    group_id: int | None
    """Id of the group that works on it."""
    text: str | None
    """Description of the improvement."""
    category_id: int | None
    """Id of the improvement category."""
    project_id: int | None
    """Id of the project it belongs to."""
    due_date: datetime.datetime | str | None
    """When it should be implemented. Without an offset it is UTC."""
    responsible_user_id: str | None
    """Id of the person responsible."""
    external_id: str | None
    """The improvement's id in another system."""
    cost_of_investment: float | None
    """Cost in money so far."""
    gain_of_investment: float | None
    """Gain in money."""
    cost_of_investment_hours: float | None
    """Cost in hours so far."""
    gain_of_investment_hours: float | None
    """Gain in hours."""
    estimated_cost_of_investment: float | None
    """Expected cost in money."""
    estimated_gain_of_investment: float | None
    """Expected gain in money."""
    estimated_cost_of_investment_hours: float | None
    """Expected cost in hours."""
    estimated_gain_of_investment_hours: float | None
    """Expected gain in hours."""
    evaluation_status: EvaluationStatusV1 | None
    """How well it works."""
    evaluation_text: str | None
    """Reason for the evaluation."""


class _DatasourceValueInputRequired(TypedDict):
    value: float
    """The numeric value."""
    value_date: datetime.datetime | str
    """The time to which the value applies. Without an offset it is UTC."""


class DatasourceValueInput(_DatasourceValueInputRequired, total=False):
    """A value to write. An omitted property or null is empty afterwards."""

    area_id: int | None
    """Id of the related area."""
    asset_id: int | None
    """Id of the related asset."""
    project_id: int | None
    """Id of the related project."""
    description: str | None
    """A remark."""
    dimension: str | None
    """First dimension; its meaning depends on the datasource."""
    dimension2: str | None
    """Second dimension; its meaning depends on the datasource."""
    dimension3: str | None
    """Third dimension; its meaning depends on the datasource."""
    dimension4: str | None
    """Fourth dimension; its meaning depends on the datasource."""
    external_id: str | None
    """The value's id in another system."""


class DatasourceValueChanges(TypedDict, total=False):
    """Any part of an update: missing required fields are taken from the record that is updated."""

    value: float
    """The numeric value."""
    value_date: datetime.datetime | str
    """The time to which the value applies. Without an offset it is UTC."""
    area_id: int | None
    """Id of the related area."""
    asset_id: int | None
    """Id of the related asset."""
    project_id: int | None
    """Id of the related project."""
    description: str | None
    """A remark."""
    dimension: str | None
    """First dimension; its meaning depends on the datasource."""
    dimension2: str | None
    """Second dimension; its meaning depends on the datasource."""
    dimension3: str | None
    """Third dimension; its meaning depends on the datasource."""
    dimension4: str | None
    """Fourth dimension; its meaning depends on the datasource."""
    external_id: str | None
    """The value's id in another system."""


class _GroupCreateRequired(TypedDict):
    name: str
    """Name of the group."""


class GroupCreate(_GroupCreateRequired, total=False):
    """A new group."""

    type: GroupType
    """Type of the group; `GENERAL` if omitted."""
    description: str | None
    """Description of the group."""
    parent_id: int | None
    """Id of the parent group."""
    project_id: int | None
    """Id of the project the group works on."""
    business_unit_id: int | None
    """Id of the group that is the business unit. It is not checked."""
    buisness_unit_id: int | None
    """The same as `businessUnitId`, under the name that existing clients send."""
    external_id: str | None
    """The group's id in another system."""


class _GroupMemberCreateRequired(TypedDict):
    user_id: str
    """Id of the user."""
    group_role: GroupRole
    """Role of the user in the group."""


class GroupMemberCreate(_GroupMemberCreateRequired, total=False):
    """A member of a group, and its role."""


class _UserCreateV1Required(TypedDict):
    user_name: str
    """Name with which the user signs in. No other user has it, whatever its case."""
    email: str
    """E-mail address."""
    first_name: str
    """First name."""
    last_name: str
    """Last name."""


class UserCreateV1(_UserCreateV1Required, total=False):
    """The values of a new user."""

    use_ad: bool
    """Whether the user signs in through a directory."""
    azure_ad_object_id: str | None
    """Object id of the user in Entra ID, formerly Azure AD."""
    screen_name: str | None
    """Short name for boards."""
    is_info_screen_user: bool
    """Whether it is a screen that shows boards, which cannot be made responsible for anything."""
    is_mobile_user: bool
    """Whether it is a mobile device that people of a shift share."""
    business_unit_id: int | None
    """Id of the group that is the business unit. It is not checked."""
    external_id: str | None
    """The user's id in another system."""


class _UserUpdateV1Required(TypedDict):
    user_name: str
    """Name with which the user signs in. No other user has it, whatever its case."""
    email: str
    """E-mail address."""
    first_name: str
    """First name."""
    last_name: str
    """Last name."""


class UserUpdateV1(_UserUpdateV1Required, total=False):
    """The new properties of a user. An omitted property is unchanged; null clears it."""

    use_ad: bool
    """Whether the user signs in through a directory."""
    azure_ad_object_id: str | None
    """Object id of the user in Entra ID, formerly Azure AD."""
    screen_name: str | None
    """Short name for boards."""
    is_info_screen_user: bool
    """Whether it is a screen that shows boards, which cannot be made responsible for anything."""
    is_mobile_user: bool
    """Whether it is a mobile device that people of a shift share."""
    business_unit_id: int | None
    """Id of the group that is the business unit. It is not checked."""
    external_id: str | None
    """The user's id in another system."""


class _UserCreateV2Required(TypedDict):
    first_name: str
    """First name."""
    last_name: str
    """Last name."""
    type: UserType
    """Who signs in: a person, a mobile device that people of a shift share, or a screen that shows boards. A `SCREEN` cannot be made
    responsible for anything.
    """
    user_name: str
    """Name with which the user signs in. No other user has it, whatever its case."""
    email: str
    """E-mail address."""


class UserCreateV2(_UserCreateV2Required, total=False):
    """The values of a new user."""

    display_name: str | None
    """Display name. Without one it is first and last name."""
    business_unit_id: int | None
    """Id of the group that is the business unit. It is not checked."""
    external_id: str | None
    """The user's id in another system."""


class _UserUpdateV2Required(TypedDict):
    first_name: str
    """First name."""
    last_name: str
    """Last name."""
    type: UserType
    """Who signs in: a person, a mobile device that people of a shift share, or a screen that shows boards. A `SCREEN` cannot be made
    responsible for anything.
    """
    user_name: str
    """Name with which the user signs in. No other user has it, whatever its case."""
    email: str
    """E-mail address."""


class UserUpdateV2(_UserUpdateV2Required, total=False):
    """The new properties of a user. An omitted property is unchanged; null clears it."""

    display_name: str | None
    """Display name. Without one it is first and last name."""
    business_unit_id: int | None
    """Id of the group that is the business unit. It is not checked."""
    external_id: str | None
    """The user's id in another system."""


class UserPatch(TypedDict, total=False):
    """The properties of a user to change. An omitted property is unchanged; null clears it."""

    first_name: str
    """First name."""
    last_name: str
    """Last name."""
    type: UserType
    """Who signs in: a person, a mobile device that people of a shift share, or a screen that shows boards. A `SCREEN` cannot be made
    responsible for anything.
    """
    display_name: str | None
    """Display name. Without one it is first and last name."""
    user_name: str
    """Name with which the user signs in. No other user has it, whatever its case."""
    email: str
    """E-mail address."""
    business_unit_id: int | None
    """Id of the group that is the business unit. It is not checked."""
    external_id: str | None
    """The user's id in another system."""


class _DataListItemCreateRequired(TypedDict):
    identifier: str
    """What identifies the item; unique in its list."""


class DataListItemCreate(_DataListItemCreateRequired, total=False):
    """A new item of a data list."""

    name: str | None
    """Name of the item."""


class _ProjectCreateRequired(TypedDict):
    project_number: str
    """Number of the project, which identifies it in addresses; unique, and case-sensitive. Not `.` or `..`, which no address can contain."""
    name: str
    """Name of the project."""


class ProjectCreate(_ProjectCreateRequired, total=False):
    """A new project."""

    status: str | None
    """Status of the project; any text."""
    description: str | None
    """Description of the project."""
    start_date: datetime.datetime | str | None
    """When it began."""
    end_date: datetime.datetime | str | None
    """When it ended; not before `startDate`."""
    estimated_start_date: datetime.datetime | str | None
    """When it is planned to begin."""
    estimated_end_date: datetime.datetime | str | None
    """When it is planned to end; not before `estimatedStartDate`."""
    customer_number: str | None
    """Number of the customer."""
    owner_email: str | None
    """E-mail address of the user who leads the project."""
    members_email: Sequence[str] | None
    """E-mail addresses of the users who work on the project."""
    external_id: str | None
    """The project's id in another system."""


class _ProjectMilestoneCreateRequired(TypedDict):
    name: str
    """Name of the milestone."""


class ProjectMilestoneCreate(_ProjectMilestoneCreateRequired, total=False):
    """A new milestone."""

    planned_date: datetime.datetime | str | None
    """When it is to be reached."""
    actual_date: datetime.datetime | str | None
    """When it was reached."""


class _ProjectMilestoneUpdateRequired(TypedDict):
    name: str
    """Name of the milestone."""


class ProjectMilestoneUpdate(_ProjectMilestoneUpdateRequired, total=False):
    """New values of a milestone."""

    planned_date: datetime.datetime | str | None
    """When it is to be reached."""
    actual_date: datetime.datetime | str | None
    """When it was reached."""


class ProjectMilestoneChanges(TypedDict, total=False):
    """Any part of an update: missing required fields are taken from the record that is updated."""

    name: str
    """Name of the milestone."""
    planned_date: datetime.datetime | str | None
    """When it is to be reached."""
    actual_date: datetime.datetime | str | None
    """When it was reached."""


class _TaskInfoCreateRequired(TypedDict):
    title: str
    """Title of the task."""


class TaskInfoCreate(_TaskInfoCreateRequired, total=False):
    """A new task."""

    external_id: str | None
    """The task's id in another system."""
    board_id: int | None
    """Id of the board it is on."""
    description: str | None
    """Description of the task."""
    status: TaskStatus
    """Status of a task."""
    responsible_user_id: str | None
    """Id of the person responsible."""
    due_date: datetime.datetime | str | None
    """When it is to be completed; not before `startDate`. Without an offset it is UTC."""
    start_date: datetime.datetime | str | None
    """When it is to begin. Without an offset it is UTC."""
    row_category_id: int | None
    """Id of the row of the board it is in."""
    column_category_id: int | None
    """Id of the column of the board it is in."""
    tags: Sequence[str] | None
    """Its tags."""


class _TaskInfoUpdateRequired(TypedDict):
    title: str
    """Title of the task."""


class TaskInfoUpdate(_TaskInfoUpdateRequired, total=False):
    """The new properties of a task. An omitted property is unchanged; null clears it."""

    external_id: str | None
    """The task's id in another system."""
    board_id: int | None
    """Id of the board it is on."""
    description: str | None
    """Description of the task."""
    status: TaskStatus
    """Status of a task."""
    responsible_user_id: str | None
    """Id of the person responsible."""
    due_date: datetime.datetime | str | None
    """When it is to be completed; not before `startDate`. Without an offset it is UTC."""
    start_date: datetime.datetime | str | None
    """When it is to begin. Without an offset it is UTC."""
    row_category_id: int | None
    """Id of the row of the board it is in."""
    column_category_id: int | None
    """Id of the column of the board it is in."""
    tags: Sequence[str] | None
    """Its tags."""


class TaskInfoChanges(TypedDict, total=False):
    """Any part of an update: missing required fields are taken from the record that is updated."""

    external_id: str | None
    """The task's id in another system."""
    board_id: int | None
    """Id of the board it is on."""
    title: str
    """Title of the task."""
    description: str | None
    """Description of the task."""
    status: TaskStatus
    """Status of a task."""
    responsible_user_id: str | None
    """Id of the person responsible."""
    due_date: datetime.datetime | str | None
    """When it is to be completed; not before `startDate`. Without an offset it is UTC."""
    start_date: datetime.datetime | str | None
    """When it is to begin. Without an offset it is UTC."""
    row_category_id: int | None
    """Id of the row of the board it is in."""
    column_category_id: int | None
    """Id of the column of the board it is in."""
    tags: Sequence[str] | None
    """Its tags."""


class _TaskCreateRequired(TypedDict):
    title: str
    """Title of the task."""
    status: TaskStatus
    """Status of a task."""


class TaskCreate(_TaskCreateRequired, total=False):
    """A new task, of v2."""

    responsible_user_id: str | None
    """Id of the person responsible."""
    external_id: str | None
    """The task's id in another system."""
    parent_id: int | None
    """Id of the task that this is a sub-task of."""
    board_id: int | None
    """Id of the board it is on."""
    description: str | None
    """Description of the task."""
    due_date: datetime.datetime | str | None
    """When it is to be completed; not before `startDate`. Without an offset it is UTC."""
    start_date: datetime.datetime | str | None
    """When it is to begin. Without an offset it is UTC."""
    row_category_id: int | None
    """Id of the row of the board it is in."""
    column_category_id: int | None
    """Id of the column of the board it is in."""
    color: str | None
    """Its colour, by any name or code."""
    tags: Sequence[str] | None
    """Its tags."""


class _TaskCommentCreateRequired(TypedDict):
    task_id: int
    """Id of the task."""
    comment: str
    """Text of the comment."""


class TaskCommentCreate(_TaskCommentCreateRequired, total=False):
    """A new comment on a task."""

    parent_id: int | None
    """Id of the comment on the same task that this one answers."""
    mentions: Sequence[str] | None
    """Ids of the users whom the text mentions. They must exist, and are not stored."""


class _TaskUpdateRequired(TypedDict):
    title: str
    """Title of the task."""
    status: TaskStatus
    """Status of a task."""


class TaskUpdate(_TaskUpdateRequired, total=False):
    """All properties of a task that a client sets. An omitted property, and one that is null, becomes empty."""

    responsible_user_id: str | None
    """Id of the person responsible."""
    external_id: str | None
    """The task's id in another system."""
    board_id: int | None
    """Id of the board it is on."""
    description: str | None
    """Description of the task."""
    due_date: datetime.datetime | str | None
    """When it is to be completed; not before `startDate`. Without an offset it is UTC."""
    start_date: datetime.datetime | str | None
    """When it is to begin. Without an offset it is UTC."""
    row_category_id: int | None
    """Id of the row of the board it is in."""
    column_category_id: int | None
    """Id of the column of the board it is in."""
    color: str | None
    """Its colour, by any name or code."""
    tags: Sequence[str] | None
    """Its tags."""


class TaskChanges(TypedDict, total=False):
    """Any part of an update: missing required fields are taken from the record that is updated."""

    responsible_user_id: str | None
    """Id of the person responsible."""
    external_id: str | None
    """The task's id in another system."""
    board_id: int | None
    """Id of the board it is on."""
    title: str
    """Title of the task."""
    description: str | None
    """Description of the task."""
    status: TaskStatus
    """Status of a task."""
    due_date: datetime.datetime | str | None
    """When it is to be completed; not before `startDate`. Without an offset it is UTC."""
    start_date: datetime.datetime | str | None
    """When it is to begin. Without an offset it is UTC."""
    row_category_id: int | None
    """Id of the row of the board it is in."""
    column_category_id: int | None
    """Id of the column of the board it is in."""
    color: str | None
    """Its colour, by any name or code."""
    tags: Sequence[str] | None
    """Its tags."""


class TaskPatch(TypedDict, total=False):
    """The new properties of a task. An omitted property is unchanged; null clears it."""

    responsible_user_id: str | None
    """Id of the person responsible."""
    external_id: str | None
    """The task's id in another system."""
    board_id: int | None
    """Id of the board it is on."""
    title: str
    """Title of the task."""
    description: str | None
    """Description of the task."""
    status: TaskStatus
    """Status of a task."""
    due_date: datetime.datetime | str | None
    """When it is to be completed; not before `startDate`. Without an offset it is UTC."""
    start_date: datetime.datetime | str | None
    """When it is to begin. Without an offset it is UTC."""
    row_category_id: int | None
    """Id of the row of the board it is in."""
    column_category_id: int | None
    """Id of the column of the board it is in."""
    color: str | None
    """Its colour, by any name or code."""
    tags: Sequence[str] | None
    """Its tags."""

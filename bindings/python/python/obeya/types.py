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
    "DatasourceElementType",
    "DatasourceValueInput",
    "EvaluationStatus",
    "EvaluationStatusV2",
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
]

IncidentStatus = Literal[
    "New",
    "InProgress",
    "Resolved",
    "Rejected",
]
"""Where an incident stands."""

IncidentSeverity = Literal[
    "None",
    "Low",
    "Medium",
    "High",
]
"""How grave an incident is."""

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
"""The stage of an improvement. `Activated` is a request rather than a stage: it brings an archived improvement back to the stage it
had. `Open` is for improvements that do not go through stages.
"""

ImprovementPriorityStatus = Literal[
    "NotPrioritized",
    "LowEffortHighEffect",
    "HighEffortHighEffect",
    "LowEffortLowEffect",
    "HighEffortLowEffect",
]
"""Where an improvement lies between effort and effect."""

EvaluationStatus = Literal[
    "Medium",
    "Good",
    "Bad",
]
"""How well a solution worked, in the words of v1."""

EvaluationStatusV2 = Literal[
    "Meh",
    "Smile",
    "Frown",
]
"""How well a solution worked, in the words of v2. `Meh`, `Smile` and `Frown` are v1's `Medium`, `Good` and `Bad`."""

BoardType = Literal[
    "Weekly",
    "Kanban",
    "SmartActionList",
    "Yearly",
]
"""The layout of a board."""

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
"""What a property of a datasource's values holds."""

GroupType = Literal[
    "GENERAL",
    "BUSINESSUNIT",
    "PROJECT",
    "CUSTOMIZED",
]
"""What kind of group it is."""


class _IncidentUpdateRequired(TypedDict):
    incident_type_id: int
    """Id of the incident type."""
    severity: IncidentSeverity
    """How grave an incident is."""
    title: str
    """What happened, in a line."""
    incident_date: datetime.date | str
    """The day it happened."""


class IncidentUpdate(_IncidentUpdateRequired, total=False):
    """The new properties of an incident. What is absent stays; null empties."""

    status: IncidentStatus
    """Where an incident stands."""
    reported_by_group_id: int | None
    """Id of the group that reports it."""
    follow_up_group_id: int | None
    """Id of the group that follows it up."""
    responsible_user_id: str | None
    """Id of the person responsible, a member of the follow-up group."""
    text: str | None
    """What happened, at length."""
    resolved_date: datetime.datetime | str | None
    """When it was resolved. Without an offset it is UTC."""
    due_date: datetime.datetime | str | None
    """When it is to be resolved. Without an offset it is UTC."""
    evaluation_status: EvaluationStatus | None
    """How well the solution works."""
    evaluation_text: str | None
    """Why it is evaluated so."""
    is_anonymous: bool
    """Whether who reported it is kept hidden."""
    area_id: int | None
    """Id of the area where it happened."""
    project_id: int | None
    """Id of the project it belongs to."""
    external_id: str | None
    """The incident's id in another system."""


class IncidentChanges(TypedDict, total=False):
    """Any part of an update: missing required fields are taken from the record that is updated."""

    status: IncidentStatus
    """Where an incident stands."""
    incident_type_id: int
    """Id of the incident type."""
    severity: IncidentSeverity
    """How grave an incident is."""
    reported_by_group_id: int | None
    """Id of the group that reports it."""
    follow_up_group_id: int | None
    """Id of the group that follows it up."""
    responsible_user_id: str | None
    """Id of the person responsible, a member of the follow-up group."""
    title: str
    """What happened, in a line."""
    text: str | None
    """What happened, at length."""
    incident_date: datetime.date | str
    """The day it happened."""
    resolved_date: datetime.datetime | str | None
    """When it was resolved. Without an offset it is UTC."""
    due_date: datetime.datetime | str | None
    """When it is to be resolved. Without an offset it is UTC."""
    evaluation_status: EvaluationStatus | None
    """How well the solution works."""
    evaluation_text: str | None
    """Why it is evaluated so."""
    is_anonymous: bool
    """Whether who reported it is kept hidden."""
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
    """How grave an incident is."""
    title: str
    """What happened, in a line."""
    incident_date: datetime.date | str
    """The day it happened."""
    categories: Sequence[CategoryInput | int | models.CategoryReference | models.Category]
    """How it is classified."""


class IncidentCreate(_IncidentCreateRequired, total=False):
    """An incident to report. What is absent or null is empty."""

    status: IncidentStatus
    """Where an incident stands."""
    reported_by_group_id: int | None
    """Id of the group that reports it."""
    follow_up_group_id: int | None
    """Id of the group that follows it up."""
    responsible_user_id: str | None
    """Id of the person responsible, a member of the follow-up group."""
    text: str | None
    """What happened, at length."""
    resolved_date: datetime.datetime | str | None
    """When it was resolved. Without an offset it is UTC."""
    due_date: datetime.datetime | str | None
    """When it is to be resolved. Without an offset it is UTC."""
    evaluation_status: EvaluationStatus | None
    """How well the solution works."""
    evaluation_text: str | None
    """Why it is evaluated so."""
    is_anonymous: bool
    """Whether who reported it is kept hidden."""
    area_id: int | None
    """Id of the area where it happened."""
    project_id: int | None
    """Id of the project it belongs to."""
    external_id: str | None
    """The incident's id in another system."""
    created_by_user_id: str | None
    """Id of the user who reports it."""
    consequences: Sequence[ConsequenceInput | int | models.IncidentConsequence | models.TypeConsequence] | None
    """What it caused."""
    causes: Sequence[CauseInput | int | models.CauseReference | models.TypeCause] | None
    """Why it happened."""
    custom_fields: Sequence[CustomFieldInput | int | models.IncidentCustomField] | None
    """Values of the custom fields of its type."""


class _IncidentStatusUpdateRequired(TypedDict):
    status: IncidentStatus
    """Where an incident stands."""


class IncidentStatusUpdate(_IncidentStatusUpdateRequired, total=False):
    """The new status of an incident."""


class IncidentStatusChanges(TypedDict, total=False):
    """Any part of an update: missing required fields are taken from the record that is updated."""

    status: IncidentStatus
    """Where an incident stands."""


class IncidentSeverityUpdate(TypedDict, total=False):
    """The new severity of an incident. What is absent stays."""

    severity: IncidentSeverity
    """How grave an incident is."""


class _IncidentResponsibleUpdateRequired(TypedDict):
    follow_up_group_id: int
    """Id of the group that follows it up."""
    responsible_user_id: str
    """Id of the person responsible, who must be a member of that group."""


class IncidentResponsibleUpdate(_IncidentResponsibleUpdateRequired, total=False):
    """Who follows an incident up, and who is responsible for it."""


class IncidentResponsibleChanges(TypedDict, total=False):
    """Any part of an update: missing required fields are taken from the record that is updated."""

    follow_up_group_id: int
    """Id of the group that follows it up."""
    responsible_user_id: str
    """Id of the person responsible, who must be a member of that group."""


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
    """A consequence the incident is to have."""

    amount: float | None
    """How much."""
    unit: str | None
    """Accepted for compatibility and not used; the incident type has it."""
    title: str | None
    """Accepted for compatibility and not used; the incident type has it."""


class _CategoryInputRequired(TypedDict):
    id: int
    """Id of the category."""


class CategoryInput(_CategoryInputRequired, total=False):
    """A category the incident is to have."""

    title: str | None
    """Accepted for compatibility and not used; the incident type has it."""


class _CauseInputRequired(TypedDict):
    id: int
    """Id of the cause."""


class CauseInput(_CauseInputRequired, total=False):
    """A cause the incident is to have."""

    title: str | None
    """Accepted for compatibility and not used; the incident type has it."""


class _CustomFieldInputRequired(TypedDict):
    id: int
    """Id of the custom field."""


class CustomFieldInput(_CustomFieldInputRequired, total=False):
    """The value a custom field is to have."""

    value: str | None
    """The value as text; null leaves the field empty."""


class ImprovementUpdate(TypedDict, total=False):
    """The new properties of an improvement. What is absent stays; null empties."""

    title: str | None
    """What is to be better, in a line."""
    suggested_by_user_id: str | None
    """Id of the user who suggested it."""
    status: ImprovementStatus
    """The stage of an improvement. `Activated` is a request rather than a stage: it brings an archived improvement back to the stage it
    had. `Open` is for improvements that do not go through stages.
    """
    priority_status: ImprovementPriorityStatus
    """Where an improvement lies between effort and effect."""
    group_id: int | None
    """Id of the group that works on it."""
    text: str | None
    """What is to be better, at length."""
    category_id: int | None
    """Id of the improvement category."""
    project_id: int | None
    """Id of the project it belongs to."""
    due_date: datetime.datetime | str | None
    """When it is to be implemented. Without an offset it is UTC."""
    responsible_user_id: str | None
    """Id of the person responsible."""
    external_id: str | None
    """The improvement's id in another system."""
    cost_of_investment: float | None
    """Money it cost."""
    gain_of_investment: float | None
    """Money it gained."""
    cost_of_investment_hours: float | None
    """Hours it cost."""
    gain_of_investment_hours: float | None
    """Hours it gained."""
    estimated_cost_of_investment: float | None
    """Money it was expected to cost."""
    estimated_gain_of_investment: float | None
    """Money it was expected to gain."""
    estimated_cost_of_investment_hours: float | None
    """Hours it was expected to cost."""
    estimated_gain_of_investment_hours: float | None
    """Hours it was expected to gain."""
    evaluation_status: EvaluationStatus | None
    """How well it works."""
    evaluation_text: str | None
    """Why it is evaluated so."""


class _ImprovementCreateRequired(TypedDict):
    title: str
    """What is to be better, in a line."""
    suggested_by_user_id: str
    """Id of the user who suggested it."""


class ImprovementCreate(_ImprovementCreateRequired, total=False):
    """A new improvement."""

    status: ImprovementStatus
    """The stage of an improvement. `Activated` is a request rather than a stage: it brings an archived improvement back to the stage it
    had. `Open` is for improvements that do not go through stages.
    """
    priority_status: ImprovementPriorityStatus
    """Where an improvement lies between effort and effect."""
    group_id: int | None
    """Id of the group that works on it."""
    text: str | None
    """What is to be better, at length."""
    category_id: int | None
    """Id of the improvement category."""
    project_id: int | None
    """Id of the project it belongs to."""
    due_date: datetime.datetime | str | None
    """When it is to be implemented. Without an offset it is UTC."""
    responsible_user_id: str | None
    """Id of the person responsible."""
    external_id: str | None
    """The improvement's id in another system."""
    cost_of_investment: float | None
    """Money it cost so far."""
    gain_of_investment: float | None
    """Money it gained."""
    cost_of_investment_hours: float | None
    """Hours it cost so far."""
    gain_of_investment_hours: float | None
    """Hours it gained."""
    estimated_cost_of_investment: float | None
    """Money it was expected to cost."""
    estimated_gain_of_investment: float | None
    """Money it was expected to gain."""
    estimated_cost_of_investment_hours: float | None
    """Hours it was expected to cost."""
    estimated_gain_of_investment_hours: float | None
    """Hours it was expected to gain."""
    evaluation_status: EvaluationStatus | None
    """How well it works."""
    evaluation_text: str | None
    """Why it is evaluated so."""


class _DatasourceValueInputRequired(TypedDict):
    value: float
    """The figure."""
    value_date: datetime.datetime | str
    """The time the figure belongs to. Without an offset it is UTC."""


class DatasourceValueInput(_DatasourceValueInputRequired, total=False):
    """A value to be written. What is absent or null is empty afterwards."""

    area_id: int | None
    """Id of the area it is about."""
    asset_id: int | None
    """Id of the asset it is about."""
    project_id: int | None
    """Id of the project it is about."""
    description: str | None
    """A remark."""
    dimension: str | None
    """First dimension; what it means is up to the datasource."""
    dimension2: str | None
    """Second dimension; what it means is up to the datasource."""
    dimension3: str | None
    """Third dimension; what it means is up to the datasource."""
    dimension4: str | None
    """Fourth dimension; what it means is up to the datasource."""
    external_id: str | None
    """The value's id in another system."""

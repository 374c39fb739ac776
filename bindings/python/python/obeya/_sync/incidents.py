# Written by `cargo xtask regen` from ../_async/incidents.py; edit that.
# fmt: off
"""Incidents, their types and the trash."""

from __future__ import annotations

from typing import TYPE_CHECKING

from obeya import _frames
from obeya._sync._answer import answer
from obeya._sync.lists import GroupableRecords, NumberedRecords, Records
from obeya._progress import Progress
from obeya._tidy import Tidy, tidy
from obeya._tidy import wide as widened

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from typing_extensions import Unpack

    from obeya._obeya import Call, Core
    from obeya._settings import CustomFieldId, Day, IncidentId, IncidentTypeId, Moment, Names, Order, Where
    from obeya.models import (
        Category,
        CategoryReference,
        CauseReference,
        GroupV2,
        IncidentAttachment,
        IncidentV1,
        IncidentConsequence,
        IncidentTypeDetail,
        IncidentTypeSummary,
        IncidentType,
        IncidentV2,
        TrashedIncident,
        TypeCause,
        TypeConsequence,
    )
    from obeya.types import (
        CategoryInput,
        CauseInput,
        ConsequenceInput,
        IncidentChanges,
        IncidentCreate,
        IncidentSeverity,
        IncidentStatus,
    )

    # Imports of the methods below the second marker, written by `cargo xtask regen`.
    from obeya._obeya import Query
    from obeya.models import Attachment, TaskInfo
    # End of the methods that `cargo xtask regen` writes.


class IncidentRecords(NumberedRecords["IncidentV1"]):
    """The incidents of a list, complete: with their consequences, causes, categories and custom fields.

    In a table these are lists of structs. `tidy` makes a table for each kind, and `wide=True` a column for each of them:

    - `categories` and `causes`: their titles, with `; ` between them.
    - For each consequence its amounts, under its title and unit: `Downtime (min)`. Where an incident has several of one name, their sum.
    - For each custom field its value as text, under its label; from a data list its displayed text. Duplicate labels, and those that are
      names of other columns, are followed by the field's id: `Machine (35)`.

    Missing where an incident has none. Which columns there are depends on the incidents, so all are read before any is given.
    """

    def tidy(self, *, progress: bool = False) -> Tidy[pa.Table]:
        """The incidents and each kind of their parts, as tables that `incidentId` connects. They are fetched once. Needs pyarrow."""
        return tidy(self.to_arrow(progress=progress))

    def to_arrow(self, *, wide: bool = False, progress: bool = False) -> pa.Table:
        """All incidents as a table, with `wide=True` with a column for each part. Needs pyarrow."""
        _frames.require("pyarrow")
        table = _frames.table(*self._rows(Progress(self._name, wanted=progress)))
        return widened(table) if wide else table

    def to_pandas(self, *, wide: bool = False, progress: bool = False) -> pd.DataFrame:
        """All incidents as a frame, with `wide=True` with a column for each part. Needs pandas and pyarrow."""
        _frames.require("pyarrow", "pandas")
        table = _frames.table(*self._rows(Progress(self._name, wanted=progress)))
        return _frames.frame(widened(table) if wide else table)

    def to_polars(self, *, wide: bool = False, progress: bool = False) -> pl.DataFrame:
        """All incidents as a frame, with `wide=True` with a column for each part. Needs polars, and pyarrow for `wide=True`."""
        _frames.require("polars", *(["pyarrow"] if wide else []))
        rows, fetched = self._rows(Progress(self._name, wanted=progress))
        return _frames.polars_frame(widened(_frames.table(rows, fetched)) if wide else rows, fetched)


class Incidents:
    """Incidents, their types and the trash.

    A write with `if_match` is carried out only if the record is still in the state of that tag (see `tagged` of the client); with
    `idempotency_key` it is carried out once however often it is sent.
    """

    def __init__(self, core: Core) -> None:
        self._core = core
        self._calls = core.incidents

    def add_attachment(
        self, incident: IncidentId, name: str, content: bytes, *, idempotency_key: str | None = None
    ) -> IncidentAttachment:
        """Attaches a file to an incident. The extension of its name says its type: `crack.png`."""
        calls = self._core.carrying(None, idempotency_key).attachments
        return answer(calls.add_to_incident(incident, name, content))

    def attachment_content(self, incident: IncidentId, attachment: int) -> bytes:
        """The content of an attachment of an incident, by the id of the attachment."""
        return answer(self._core.attachments.content_of_incident(incident, attachment))

    def list(
        self,
        *,
        where: Where | None = None,
        order_by: Order | None = None,
        type: IncidentTypeId | None = None,
        incident_start: Day | None = None,
        incident_end: Day | None = None,
        modified_start: Moment | None = None,
        modified_end: Moment | None = None,
        page_size: int | None = None,
        top: int | None = None,
    ) -> IncidentRecords:
        """The incidents, whole.

        `where` is an OData expression such as `severity eq 'High'`. Only incidents that happened from the day
        `incident_start` to `incident_end`, and that were last changed from `modified_start` to `modified_end`: days are
        included as a whole, moments are excluded. Without `order_by` they come by id, and what changes meanwhile moves
        none out of sight. `top` limits the records of the whole list, `page_size` those of a request.
        """
        query = self._calls.list(
            where=where,
            order_by=order_by,
            type=type,
            incident_start=incident_start,
            incident_end=incident_end,
            modified_start=modified_start,
            modified_end=modified_end,
            page_size=page_size,
            top=top,
        )
        return IncidentRecords(query, "incidents")

    def update(
        self,
        incident: int | IncidentV1,
        /,
        *,
        if_match: str | None = None,
        idempotency_key: str | None = None,
        **fields: Unpack[IncidentChanges],
    ) -> IncidentV1:
        """Changes an incident: arguments that are left out change nothing, `None` clears a field.

        Changes of others in other fields stay. A single status, severity or external id is sent by its own
        operation; the last such change counts. Every other update is one PUT, which requires type, severity, title
        and date. Unless they are given and the incident is passed by its id, the incident is read first and its tag
        is sent with the change. If it has changed in between, it is read and sent again, five times at most; then
        `PreconditionFailedError` is raised. This needs the right to read incidents.

        If others have changed a field that you pass, `UpdateConflictError` is raised and nothing is written: since
        the record you pass was read, or while an update by id is carried out. Two equal changes are
        a conflict as well: of two programs that each add one, the second must notice. With an `if_match` of your own there is one attempt,
        which it decides alone; `if_match="*"` overwrites such changes. A repeat under the same
        `idempotency_key` is recognised while type, severity, title and date are unchanged.
        """
        call: Call[IncidentV1] = self._core.carrying(if_match, idempotency_key).edit("updateIncident", incident, fields)
        return answer(call)

    def set_status(
        self,
        incident: IncidentId,
        status: IncidentStatus,
        *,
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> IncidentV1:
        """Moves an incident to another status."""
        return answer(self._calls.carrying(if_match, idempotency_key).set_status(incident, status))

    def set_severity(
        self,
        incident: IncidentId,
        severity: IncidentSeverity,
        *,
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> IncidentV1:
        """Sets the severity of an incident."""
        return answer(self._calls.carrying(if_match, idempotency_key).set_severity(incident, severity))

    def set_responsible(
        self,
        incident: IncidentId,
        follow_up_group: int | GroupV2,
        responsible_user_id: str,
        *,
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> IncidentV1:
        """Sets the group that follows an incident up, and its responsible member."""
        calls = self._calls.carrying(if_match, idempotency_key)
        return answer(calls.set_responsible(incident, follow_up_group, responsible_user_id))

    def set_custom_field(
        self,
        incident: IncidentId,
        custom_field: CustomFieldId,
        value: str,
        *,
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> IncidentV1:
        """Sets the value of one custom field; the others stay."""
        return answer(self._calls.carrying(if_match, idempotency_key).set_custom_field(incident, custom_field, value))

    def set_external_id(
        self,
        incident: IncidentId,
        external_id: str | None,
        *,
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> IncidentV1:
        """Sets the id by which another system knows an incident; `None` empties it."""
        return answer(self._calls.carrying(if_match, idempotency_key).set_external_id(incident, external_id))

    def trash(self, *, where: Where | None = None) -> Records[TrashedIncident]:
        """The incidents deleted during the last 30 days, latest first. `where` is an OData expression."""
        return Records(self._calls.trash(where), "incidents in the trash")

    def types(self, *, language: str | None = None) -> Records[IncidentTypeSummary]:
        """The incident types. Texts without a translation into `language` come as they were written."""
        return Records(self._calls.types(language), "incident types")

    def type_detail(self, type: IncidentTypeId, *, language: str | None = None) -> IncidentTypeDetail:
        """An incident type: its categories, causes, consequences and custom fields.

        Texts without a translation into `language` come as they were written.
        """
        return answer(self._calls.type_detail(type, language))

    def type_v2(
        self, type: IncidentTypeId, *, select: Names | None = None, expand: Names | None = None
    ) -> IncidentType:
        """One incident type as v2 shows it."""
        call: Call[IncidentType] = self._core.call("getIncidentTypeV2", type, select, expand)
        return answer(call)

    # Written by `cargo xtask regen` from spec/openapi.yaml, all but the docstrings and the names of lists.
    def list_v2(
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
    ) -> GroupableRecords[IncidentV2]:
        """The incidents as v2 shows them. Expands `area`, `group`, `followUpGroup`, `type` and `comments`. The options are those of
        `areas.list`.
        """
        query: Query[IncidentV2] = self._core.query(
            "listIncidentsV2",
            where=where,
            order_by=order_by,
            select=select,
            expand=expand,
            search=search,
            top=top,
            skip=skip,
            count=count,
        )
        return GroupableRecords(query, "incidents (v2)")

    def get_v2(
        self, incident: IncidentId, *, select: Names | None = None, expand: Names | None = None
    ) -> IncidentV2:
        """One incident as v2 shows it. Expands `area`, `group`, `followUpGroup`, `type` and `comments`."""
        call: Call[IncidentV2] = self._core.call("getIncidentV2", incident, select, expand)
        return answer(call)

    def types_v2(
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
    ) -> GroupableRecords[IncidentType]:
        """The incident types as v2 shows them. The options are those of `areas.list`."""
        query: Query[IncidentType] = self._core.query(
            "listIncidentTypesV2",
            where=where,
            order_by=order_by,
            select=select,
            expand=expand,
            search=search,
            top=top,
            skip=skip,
            count=count,
        )
        return GroupableRecords(query, "incident types (v2)")

    def types_of_incident(
        self,
        incident: IncidentId,
        *,
        where: Where | None = None,
        order_by: Order | None = None,
        select: Names | None = None,
        expand: Names | None = None,
        search: str | None = None,
        top: int | None = None,
        skip: int | None = None,
        count: bool | None = None,
    ) -> GroupableRecords[IncidentType]:
        """The one type of an incident, as a list. The options are those of `areas.list`."""
        query: Query[IncidentType] = self._core.query(
            "listTypesOfIncident",
            incident,
            where=where,
            order_by=order_by,
            select=select,
            expand=expand,
            search=search,
            top=top,
            skip=skip,
            count=count,
        )
        return GroupableRecords(query, "the type of an incident")

    def type_of_incident(
        self, incident: IncidentId, type: IncidentTypeId, *, select: Names | None = None
    ) -> IncidentType:
        """One incident type as v2 shows it, if it is the type of this incident."""
        call: Call[IncidentType] = self._core.call("getTypeOfIncident", incident, type, select, None)
        return answer(call)

    def get(self, incident: IncidentId) -> IncidentV1:
        """One incident, by its id."""
        call: Call[IncidentV1] = self._core.call("getIncidentV1", incident)
        return answer(call)

    def delete(
        self, incident: IncidentId, *, if_match: str | None = None, idempotency_key: str | None = None
    ) -> None:
        """Moves an incident to the trash, where it stays for 30 days."""
        call: Call[None] = self._core.carrying(if_match, idempotency_key).call("deleteIncident", incident)
        answer(call)

    def set_consequences(
        self,
        incident: IncidentId,
        consequences: Sequence[ConsequenceInput | int | IncidentConsequence | TypeConsequence],
        *,
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> IncidentV1:
        """Replaces the consequences of an incident."""
        call: Call[IncidentV1] = self._core.carrying(if_match, idempotency_key).call(
            "updateIncidentConsequences", incident, consequences
        )
        return answer(call)

    def set_causes(
        self,
        incident: IncidentId,
        causes: Sequence[CauseInput | int | CauseReference | TypeCause],
        *,
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> IncidentV1:
        """Replaces the causes of an incident."""
        call: Call[IncidentV1] = self._core.carrying(if_match, idempotency_key).call(
            "updateIncidentCauses", incident, causes
        )
        return answer(call)

    def set_categories(
        self,
        incident: IncidentId,
        categories: Sequence[CategoryInput | int | CategoryReference | Category],
        *,
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> IncidentV1:
        """Replaces the categories of an incident, of which there must be one at least."""
        call: Call[IncidentV1] = self._core.carrying(if_match, idempotency_key).call(
            "updateIncidentCategories", incident, categories
        )
        return answer(call)

    def attachments(self, incident: IncidentId) -> Records[Attachment]:
        """All files attached to an incident as an array, in the order in which they were attached. `url` is the address of the content."""
        query: Query[Attachment] = self._core.query("listAttachmentsOfIncident", incident)
        return Records(query, "the attachments of an incident")

    def create(self, *, idempotency_key: str | None = None, **fields: Unpack[IncidentCreate]) -> IncidentV1:
        """Reports an incident.

        Categories, causes and consequences are dictionaries, ids, or the records of an incident type. A `datetime` without a zone is UTC.
        After an `APIConnectionError` the incident may have been created nevertheless, unless there is an `idempotency_key` to retry
        with.
        """
        call: Call[IncidentV1] = self._core.carrying(None, idempotency_key).call("createIncident", fields)
        return answer(call)

    def restore(self, incident: IncidentId, *, idempotency_key: str | None = None) -> IncidentV1:
        """Takes an incident out of the trash, as it was when it was deleted."""
        call: Call[IncidentV1] = self._core.carrying(None, idempotency_key).call("restoreIncident", incident)
        return answer(call)

    def tasks(self, incident: IncidentId) -> Records[TaskInfo]:
        """The tasks of an incident by their ids, sub-tasks included."""
        query: Query[TaskInfo] = self._core.query("listTasksOfIncident", incident)
        return Records(query, "tasks of an incident")

    def delete_attachment(
        self,
        incident: IncidentId,
        incident_attachment_id: int,
        *,
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> None:
        """Deletes an attachment permanently, with its content. The incident gets a new `lastModified`."""
        call: Call[None] = self._core.carrying(if_match, idempotency_key).call(
            "deleteIncidentAttachment", incident, incident_attachment_id
        )
        answer(call)
    # End of the methods that `cargo xtask regen` writes.

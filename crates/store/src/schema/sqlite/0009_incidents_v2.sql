-- What the lists of incidents and of their types under /v2 read.

-- Incidents that are not in the trash, by whatever way one is reached. Who reported is left out by the view
-- that this one reads.
CREATE VIEW live_incidents AS
SELECT r.id, r.title, r.text, r.status, r.severity, r.incident_type_id, r.incident_date, r.reported_date, r.last_modified, r.due_date,
       r.status_modified_date, r.status_new_date, r.status_in_progress_date, r.resolved_date, r.status_rejected_date, r.archived_date,
       r.evaluation_status, r.evaluation_text, r.responsible, r.responsible_display_name, r.responsible_user_id, r.reported_by_user_id,
       r.reported_by_group_id, r.follow_up_group_id, r.area_id, r.project_id, r.external_id, r.is_anonymous,
       r.number_of_attachments, r.number_of_actions
FROM incident_records AS r
WHERE r.deleted_date IS NULL;

-- Filled from the types that are there by the program (store::search::fill_incident_types), as words are cut
-- by its rule.
CREATE VIRTUAL TABLE incident_types_search USING fts5(document, content='', contentless_delete=1, tokenize='ascii');

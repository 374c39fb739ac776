-- Where an incident happened, and who last changed it, as an import gives them. Like the reporter they are
-- never given out while is_anonymous = 1: read through incident_records.
ALTER TABLE incidents ADD COLUMN latitude double precision;
ALTER TABLE incidents ADD COLUMN longitude double precision;
ALTER TABLE incidents ADD COLUMN accuracy_in_meters double precision;
ALTER TABLE incidents ADD COLUMN last_modified_by_user_id text COLLATE "C" REFERENCES users (id);

-- The views are replaced, not dropped: roles keep their rights. New columns can only be the last ones.

-- Every incident with names resolved; what may tell the reporter of an anonymous one is left out.
-- Joins are by primary key, so an engine drops those whose columns a statement does not use.
CREATE OR REPLACE VIEW incident_records AS
SELECT i.id, i.project_id, p.name AS project, i.incident_type_id, t.title AS incident_type,
       i.reported_by_group_id, rg.name AS reported_by_group,
       CASE WHEN i.is_anonymous = 1 THEN NULL ELSE i.reported_by_user_id END AS reported_by_user_id,
       CASE WHEN i.is_anonymous = 1 THEN NULL ELSE coalesce(ru.display_name, i.reported_by) END AS reported_by,
       i.reported_date, i.follow_up_group_id, fg.name AS follow_up_group,
       i.responsible_user_id, u.user_name AS responsible, u.display_name AS responsible_display_name,
       i.last_modified,
       (SELECT count(*) FROM incident_comments AS c WHERE c.incident_id = i.id) AS number_of_comments,
       i.number_of_actions, i.number_of_attachments,
       i.status, i.severity, i.title, i.text, i.incident_date, i.resolved_date, i.due_date,
       i.evaluation_status, i.evaluation_text, i.is_anonymous, i.area_id, i.external_id,
       i.status_modified_date, i.status_new_date, i.status_in_progress_date, i.status_rejected_date, i.archived_date, i.deleted_date,
       CASE WHEN i.is_anonymous = 1 THEN NULL ELSE ru.user_name END AS reported_by_user_name,
       CASE WHEN i.is_anonymous = 1 THEN NULL ELSE i.latitude END AS latitude,
       CASE WHEN i.is_anonymous = 1 THEN NULL ELSE i.longitude END AS longitude,
       CASE WHEN i.is_anonymous = 1 THEN NULL ELSE i.accuracy_in_meters END AS accuracy_in_meters,
       CASE WHEN i.is_anonymous = 1 THEN NULL ELSE i.last_modified_by_user_id END AS last_modified_by_user_id,
       CASE WHEN i.is_anonymous = 1 THEN NULL ELSE mu.user_name END AS last_modified_by_user
FROM incidents AS i
LEFT JOIN projects AS p ON p.id = i.project_id
LEFT JOIN incident_types AS t ON t.id = i.incident_type_id
LEFT JOIN groups AS rg ON rg.id = i.reported_by_group_id
LEFT JOIN users AS ru ON ru.id = i.reported_by_user_id
LEFT JOIN groups AS fg ON fg.id = i.follow_up_group_id
LEFT JOIN users AS u ON u.id = i.responsible_user_id
LEFT JOIN users AS mu ON mu.id = i.last_modified_by_user_id;

-- Incidents that are not in the trash, by whatever way one is reached.
CREATE OR REPLACE VIEW live_incidents AS
SELECT r.id, r.title, r.text, r.status, r.severity, r.incident_type_id, r.incident_date, r.reported_date, r.last_modified, r.due_date,
       r.status_modified_date, r.status_new_date, r.status_in_progress_date, r.resolved_date, r.status_rejected_date, r.archived_date,
       r.evaluation_status, r.evaluation_text, r.responsible, r.responsible_display_name, r.responsible_user_id, r.reported_by_user_id,
       r.reported_by_group_id, r.follow_up_group_id, r.area_id, r.project_id, r.external_id, r.is_anonymous,
       r.number_of_attachments, r.number_of_actions,
       r.reported_by_user_name, r.reported_by, r.latitude, r.longitude, r.accuracy_in_meters,
       r.last_modified_by_user_id, r.last_modified_by_user
FROM incident_records AS r
WHERE r.deleted_date IS NULL;

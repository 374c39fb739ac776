-- The colour of a task.
ALTER TABLE tasks ADD COLUMN color TEXT;

DROP VIEW live_tasks;
CREATE VIEW live_tasks AS
SELECT t.id, t.parent_id, t.last_modified, u.display_name AS responsible_user, t.external_id, t.board_id, t.project_id, t.incident_id,
       t.title, t.description, t.status, t.responsible_user_id, t.due_date, t.start_date, t.row_category_id, t.column_category_id, t.tags,
       t.last_modified_by_user_id, m.display_name AS last_modified_by_user,
       b.group_id AS board_group_id, i.area_id, i.reported_by_group_id, i.follow_up_group_id, i.incident_type_id, t.color
FROM tasks AS t
LEFT JOIN users AS u ON u.id = t.responsible_user_id
LEFT JOIN users AS m ON m.id = t.last_modified_by_user_id
LEFT JOIN boards AS b ON b.id = t.board_id
LEFT JOIN incidents AS i ON i.id = t.incident_id
WHERE i.deleted_date IS NULL;

-- The colour of a task, and comments on tasks.
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

CREATE TABLE task_comments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    task_id INTEGER NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
    -- The comment that it answers: it goes with that.
    parent_id INTEGER REFERENCES task_comments (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    level INTEGER NOT NULL DEFAULT 0,
    text TEXT NOT NULL,
    -- The user's display name wins over the stored one: read through live_task_comments.
    commented_by TEXT,
    commented_by_user_id TEXT REFERENCES users (id),
    comment_date INTEGER NOT NULL
) STRICT;
CREATE INDEX task_comments_by_task ON task_comments (task_id, id);
CREATE INDEX task_comments_by_parent ON task_comments (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX task_comments_by_user ON task_comments (commented_by_user_id) WHERE commented_by_user_id IS NOT NULL;
CREATE INDEX task_comments_by_date ON task_comments (comment_date, id);

-- Comments on tasks that are shown; with what the grants of a client look at.
CREATE VIEW live_task_comments AS
SELECT c.id, c.parent_id, c.level, c.text, coalesce(u.display_name, c.commented_by) AS commented_by, c.commented_by_user_id,
       c.comment_date, c.task_id, u.display_name AS commented_by_user_display_name,
       b.group_id AS board_group_id, t.incident_id, i.area_id, i.reported_by_group_id, i.follow_up_group_id, i.incident_type_id
FROM task_comments AS c
JOIN tasks AS t ON t.id = c.task_id
LEFT JOIN users AS u ON u.id = c.commented_by_user_id
LEFT JOIN boards AS b ON b.id = t.board_id
LEFT JOIN incidents AS i ON i.id = t.incident_id
WHERE i.deleted_date IS NULL;

CREATE VIRTUAL TABLE task_comments_search USING fts5(document, content='', contentless_delete=1, tokenize='ascii');

-- Tasks of boards, projects, incidents and persons.

CREATE TABLE tasks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- The task that it is a part of: it goes with that.
    parent_id INTEGER REFERENCES tasks (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    title TEXT NOT NULL,
    description TEXT,
    status TEXT NOT NULL CHECK (status IN ('NotStarted', 'Completed', 'Blocked')),
    board_id INTEGER REFERENCES boards (id),
    project_id INTEGER REFERENCES projects (id),
    incident_id INTEGER REFERENCES incidents (id) ON DELETE CASCADE,
    responsible_user_id TEXT REFERENCES users (id),
    start_date INTEGER,
    due_date INTEGER,
    -- A row and a column of the board. An import may replace a board's lines, so these may be gone.
    row_category_id INTEGER,
    column_category_id INTEGER,
    -- A JSON array of texts, as it is sent.
    tags TEXT NOT NULL DEFAULT '[]',
    external_id TEXT,
    last_modified INTEGER NOT NULL,
    last_modified_by_user_id TEXT REFERENCES users (id)
) STRICT;
CREATE INDEX tasks_by_parent ON tasks (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX tasks_by_board ON tasks (board_id) WHERE board_id IS NOT NULL;
CREATE INDEX tasks_by_project ON tasks (project_id) WHERE project_id IS NOT NULL;
CREATE INDEX tasks_by_incident ON tasks (incident_id) WHERE incident_id IS NOT NULL;
CREATE INDEX tasks_by_responsible ON tasks (responsible_user_id) WHERE responsible_user_id IS NOT NULL;
CREATE INDEX tasks_by_last_modified ON tasks (last_modified, id);

-- Every task whose incident, if it has one, is not in the trash; with what the grants of a client look at.
CREATE VIEW live_tasks AS
SELECT t.id, t.parent_id, t.last_modified, u.display_name AS responsible_user, t.external_id, t.board_id, t.project_id, t.incident_id,
       t.title, t.description, t.status, t.responsible_user_id, t.due_date, t.start_date, t.row_category_id, t.column_category_id, t.tags,
       t.last_modified_by_user_id, m.display_name AS last_modified_by_user,
       b.group_id AS board_group_id, i.area_id, i.reported_by_group_id, i.follow_up_group_id, i.incident_type_id
FROM tasks AS t
LEFT JOIN users AS u ON u.id = t.responsible_user_id
LEFT JOIN users AS m ON m.id = t.last_modified_by_user_id
LEFT JOIN boards AS b ON b.id = t.board_id
LEFT JOIN incidents AS i ON i.id = t.incident_id
WHERE i.deleted_date IS NULL;

CREATE VIRTUAL TABLE tasks_search USING fts5(document, content='', contentless_delete=1, tokenize='ascii');

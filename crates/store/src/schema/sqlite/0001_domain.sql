-- The tables of the domain.
--
-- Encodings: an instant (…_date, last_modified) is an INTEGER of 100 ns ticks since 1970-01-01T00:00Z, a date
-- (incident_date) an INTEGER of days since 1970-01-01, a boolean an INTEGER 0 or 1. Enumerated columns hold
-- the word of the wire. Strings compare by code point. Ids come from an import or from the table's own
-- sequence, which never gives an id twice (AUTOINCREMENT). References of a table to itself are checked at
-- commit, so that parents and children may arrive in any order; every other reference is checked at once.

-- The last stamp given out for last_modified: see store/stamp.rs.
CREATE TABLE stamps (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    last INTEGER NOT NULL
) STRICT;
INSERT INTO stamps (id, last) VALUES (1, 0);

CREATE TABLE users (
    id TEXT PRIMARY KEY NOT NULL,
    user_name TEXT NOT NULL,
    display_name TEXT NOT NULL,
    email TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE projects (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL
) STRICT;

CREATE TABLE areas (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    description TEXT
) STRICT;

CREATE TABLE groups (
    id INTEGER PRIMARY KEY,
    type TEXT NOT NULL CHECK (type IN ('GENERAL', 'BUSINESSUNIT', 'PROJECT', 'CUSTOMIZED')),
    name TEXT,
    description TEXT,
    parent_id INTEGER REFERENCES groups (id) DEFERRABLE INITIALLY DEFERRED,
    is_system_group INTEGER NOT NULL DEFAULT 0 CHECK (is_system_group IN (0, 1)),
    -- The wire's isMember: as imported, since an API client is no user and so a member of nothing.
    is_member INTEGER NOT NULL DEFAULT 0 CHECK (is_member IN (0, 1)),
    level INTEGER,
    sort_order INTEGER,
    business_unit_id INTEGER,
    project_id INTEGER,
    external_id TEXT,
    external_name TEXT
) STRICT;
CREATE INDEX groups_by_parent ON groups (parent_id);

CREATE TABLE group_members (
    group_id INTEGER NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    PRIMARY KEY (group_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX group_members_by_user ON group_members (user_id);

-- The navigation from a group to its users: a user's columns and the group's id.
CREATE VIEW group_users AS
SELECT m.group_id, u.id, u.user_name, u.display_name, u.email
FROM group_members AS m
JOIN users AS u ON u.id = m.user_id;

CREATE TABLE boards (
    id INTEGER PRIMARY KEY,
    name TEXT,
    description TEXT,
    board_type TEXT CHECK (board_type IN ('Weekly', 'Kanban', 'SmartActionList', 'Yearly')),
    is_public INTEGER NOT NULL DEFAULT 0 CHECK (is_public IN (0, 1)),
    is_member INTEGER NOT NULL DEFAULT 0 CHECK (is_member IN (0, 1)),
    group_id INTEGER REFERENCES groups (id),
    business_unit_id INTEGER,
    project_id INTEGER
) STRICT;
CREATE INDEX boards_by_group ON boards (group_id);
CREATE INDEX boards_by_name ON boards (name);

-- Rows and columns of a board.
CREATE TABLE board_lines (
    board_id INTEGER NOT NULL REFERENCES boards (id) ON DELETE CASCADE,
    axis TEXT NOT NULL CHECK (axis IN ('row', 'column')),
    id INTEGER NOT NULL,
    name TEXT,
    week_day TEXT,
    is_column_category INTEGER NOT NULL DEFAULT 0 CHECK (is_column_category IN (0, 1)),
    style TEXT,
    sort_order INTEGER,
    responsible_user_id TEXT REFERENCES users (id),
    PRIMARY KEY (board_id, axis, id)
) STRICT, WITHOUT ROWID;

-- A list of choices that a custom field of an incident type can draw from.
CREATE TABLE data_lists (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL
) STRICT;

CREATE TABLE incident_types (
    id INTEGER PRIMARY KEY,
    title TEXT NOT NULL,
    description TEXT
) STRICT;

-- The category tree of a type.
CREATE TABLE type_categories (
    id INTEGER PRIMARY KEY,
    incident_type_id INTEGER NOT NULL REFERENCES incident_types (id) ON DELETE CASCADE,
    parent_id INTEGER REFERENCES type_categories (id) DEFERRABLE INITIALLY DEFERRED,
    title TEXT NOT NULL,
    description TEXT,
    sort_order INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX type_categories_by_type ON type_categories (incident_type_id, sort_order, id);

CREATE TABLE type_consequences (
    id INTEGER PRIMARY KEY,
    incident_type_id INTEGER NOT NULL REFERENCES incident_types (id) ON DELETE CASCADE,
    title TEXT NOT NULL,
    unit TEXT
) STRICT;
CREATE INDEX type_consequences_by_type ON type_consequences (incident_type_id, id);

CREATE TABLE type_causes (
    id INTEGER PRIMARY KEY,
    incident_type_id INTEGER NOT NULL REFERENCES incident_types (id) ON DELETE CASCADE,
    title TEXT NOT NULL,
    description TEXT,
    sort_order INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX type_causes_by_type ON type_causes (incident_type_id, sort_order, id);

CREATE TABLE type_custom_fields (
    id INTEGER PRIMARY KEY,
    incident_type_id INTEGER NOT NULL REFERENCES incident_types (id) ON DELETE CASCADE,
    label TEXT NOT NULL,
    type TEXT NOT NULL,
    sort_order INTEGER NOT NULL DEFAULT 0,
    data_list_id INTEGER,
    is_mandatory INTEGER NOT NULL DEFAULT 0 CHECK (is_mandatory IN (0, 1))
) STRICT;
CREATE INDEX type_custom_fields_by_type ON type_custom_fields (incident_type_id, sort_order, id);

-- Words of a type in another language. `language` is a lower-case tag (nb, nb-no); `title` translates a
-- custom field's label too; a null leaves the default word. For the type itself item_id is its own id.
CREATE TABLE type_translations (
    incident_type_id INTEGER NOT NULL REFERENCES incident_types (id) ON DELETE CASCADE,
    language TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('type', 'category', 'consequence', 'cause', 'custom_field')),
    item_id INTEGER NOT NULL,
    title TEXT,
    description TEXT,
    PRIMARY KEY (incident_type_id, language, kind, item_id)
) STRICT, WITHOUT ROWID;

-- Incidents, those in the trash (deleted_date not null) included.
CREATE TABLE incidents (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    incident_type_id INTEGER NOT NULL REFERENCES incident_types (id),
    project_id INTEGER REFERENCES projects (id),
    area_id INTEGER REFERENCES areas (id),
    reported_by_group_id INTEGER REFERENCES groups (id),
    -- Who reported: a user, or only a name where no user is known. Never given out while is_anonymous = 1:
    -- read through incident_records.
    reported_by_user_id TEXT REFERENCES users (id),
    reported_by TEXT,
    reported_date INTEGER NOT NULL,
    follow_up_group_id INTEGER REFERENCES groups (id),
    responsible_user_id TEXT REFERENCES users (id),
    status TEXT NOT NULL CHECK (status IN ('New', 'InProgress', 'Resolved', 'Rejected')),
    severity TEXT NOT NULL CHECK (severity IN ('None', 'Low', 'Medium', 'High')),
    title TEXT NOT NULL,
    text TEXT,
    incident_date INTEGER NOT NULL,
    resolved_date INTEGER,
    due_date INTEGER,
    evaluation_status TEXT CHECK (evaluation_status IN ('Medium', 'Good', 'Bad')),
    evaluation_text TEXT,
    is_anonymous INTEGER NOT NULL DEFAULT 0 CHECK (is_anonymous IN (0, 1)),
    external_id TEXT,
    number_of_actions INTEGER NOT NULL DEFAULT 0,
    number_of_attachments INTEGER NOT NULL DEFAULT 0,
    -- When the status was last set, and when each status was last entered (Resolved: resolved_date).
    status_modified_date INTEGER,
    status_new_date INTEGER,
    status_in_progress_date INTEGER,
    status_rejected_date INTEGER,
    archived_date INTEGER,
    last_modified INTEGER NOT NULL,
    deleted_date INTEGER
) STRICT;
CREATE INDEX incidents_in_trash ON incidents (deleted_date) WHERE deleted_date IS NOT NULL;
CREATE INDEX incidents_by_type ON incidents (incident_type_id, incident_date);
CREATE INDEX incidents_by_date ON incidents (incident_date, id);
CREATE INDEX incidents_by_last_modified ON incidents (last_modified, id);
CREATE INDEX incidents_by_area ON incidents (area_id);
CREATE INDEX incidents_by_external_id ON incidents (external_id) WHERE external_id IS NOT NULL;

CREATE TABLE incident_categories (
    incident_id INTEGER NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    category_id INTEGER NOT NULL REFERENCES type_categories (id),
    PRIMARY KEY (incident_id, category_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX incident_categories_by_category ON incident_categories (category_id);

CREATE TABLE incident_consequences (
    incident_id INTEGER NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    consequence_id INTEGER NOT NULL REFERENCES type_consequences (id),
    amount REAL,
    PRIMARY KEY (incident_id, consequence_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX incident_consequences_by_consequence ON incident_consequences (consequence_id);

CREATE TABLE incident_causes (
    incident_id INTEGER NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    cause_id INTEGER NOT NULL REFERENCES type_causes (id),
    PRIMARY KEY (incident_id, cause_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX incident_causes_by_cause ON incident_causes (cause_id);

CREATE TABLE incident_custom_fields (
    incident_id INTEGER NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    custom_field_id INTEGER NOT NULL REFERENCES type_custom_fields (id),
    value TEXT,
    -- The words of the choice, for a field that draws from a data list.
    data_list_value TEXT,
    registration_date INTEGER NOT NULL,
    PRIMARY KEY (incident_id, custom_field_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX incident_custom_fields_by_field ON incident_custom_fields (custom_field_id);

CREATE TABLE incident_comments (
    id INTEGER PRIMARY KEY,
    incident_id INTEGER NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    text TEXT NOT NULL,
    comment_date INTEGER NOT NULL,
    -- The user's display name wins over the stored one: read through live_comments.
    commented_by TEXT,
    commented_by_user_id TEXT REFERENCES users (id),
    parent_id INTEGER REFERENCES incident_comments (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    level INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX incident_comments_by_incident ON incident_comments (incident_id, comment_date);
CREATE INDEX incident_comments_by_date ON incident_comments (comment_date);
CREATE INDEX incident_comments_by_parent ON incident_comments (parent_id) WHERE parent_id IS NOT NULL;

-- Comments of incidents that are not in the trash. The trash is small, so the set is built once for a
-- statement.
CREATE VIEW live_comments AS
SELECT c.id, c.incident_id, c.text, c.comment_date,
       coalesce((SELECT u.display_name FROM users AS u WHERE u.id = c.commented_by_user_id), c.commented_by) AS commented_by,
       c.commented_by_user_id, c.parent_id, c.level
FROM incident_comments AS c
WHERE c.incident_id NOT IN (SELECT i.id FROM incidents AS i WHERE i.deleted_date IS NOT NULL);

-- Every incident as v1 tells it: names resolved, the reporter of an anonymous one left out.
-- Joins are by primary key, so an engine drops those whose columns a statement does not use.
CREATE VIEW incident_records AS
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
       i.status_modified_date, i.status_new_date, i.status_in_progress_date, i.status_rejected_date, i.archived_date, i.deleted_date
FROM incidents AS i
LEFT JOIN projects AS p ON p.id = i.project_id
LEFT JOIN incident_types AS t ON t.id = i.incident_type_id
LEFT JOIN groups AS rg ON rg.id = i.reported_by_group_id
LEFT JOIN users AS ru ON ru.id = i.reported_by_user_id
LEFT JOIN groups AS fg ON fg.id = i.follow_up_group_id
LEFT JOIN users AS u ON u.id = i.responsible_user_id;

CREATE TABLE improvement_categories (
    id INTEGER PRIMARY KEY,
    title TEXT NOT NULL
) STRICT;

CREATE TABLE improvements (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    status TEXT NOT NULL CHECK (status IN ('Suggested', 'Planned', 'InProgress', 'Implemented', 'Evaluated', 'Archived', 'Open')),
    -- The status an archived improvement goes back to.
    archived_from TEXT CHECK (archived_from IN ('Suggested', 'Planned', 'InProgress', 'Implemented', 'Evaluated', 'Open')),
    priority_status TEXT NOT NULL DEFAULT 'NotPrioritized'
        CHECK (priority_status IN ('NotPrioritized', 'LowEffortHighEffect', 'HighEffortHighEffect', 'LowEffortLowEffect', 'HighEffortLowEffect')),
    group_id INTEGER REFERENCES groups (id),
    title TEXT,
    text TEXT,
    category_id INTEGER REFERENCES improvement_categories (id),
    project_id INTEGER REFERENCES projects (id),
    suggested_by_user_id TEXT REFERENCES users (id),
    suggested_by TEXT,
    responsible_user_id TEXT REFERENCES users (id),
    suggestion_date INTEGER,
    planned_date INTEGER,
    in_progress_date INTEGER,
    implemented_date INTEGER,
    evaluated_date INTEGER,
    archived_date INTEGER,
    due_date INTEGER,
    external_id TEXT,
    cost_of_investment REAL,
    gain_of_investment REAL,
    cost_of_investment_hours REAL,
    gain_of_investment_hours REAL,
    estimated_cost_of_investment REAL,
    estimated_gain_of_investment REAL,
    estimated_cost_of_investment_hours REAL,
    estimated_gain_of_investment_hours REAL,
    evaluation_status TEXT CHECK (evaluation_status IN ('Medium', 'Good', 'Bad')),
    evaluation_text TEXT,
    attachment_count INTEGER NOT NULL DEFAULT 0,
    action_list_count INTEGER NOT NULL DEFAULT 0,
    comment_count INTEGER NOT NULL DEFAULT 0,
    like_count INTEGER NOT NULL DEFAULT 0,
    last_modified INTEGER NOT NULL,
    last_modified_by_user_id TEXT
) STRICT;
CREATE INDEX improvements_by_last_modified ON improvements (last_modified, id);
CREATE INDEX improvements_by_group ON improvements (group_id);

-- Every improvement as v1 tells it: names resolved.
CREATE VIEW improvement_records AS
SELECT i.id, i.status, i.priority_status, i.group_id, g.name AS group_name, i.text, i.title, i.category_id, c.title AS category,
       i.project_id, p.name AS project, i.last_modified, i.last_modified_by_user_id,
       i.suggested_by_user_id, coalesce(s.display_name, i.suggested_by) AS suggested_by, i.suggestion_date, i.due_date,
       i.planned_date, i.in_progress_date, i.implemented_date, i.evaluated_date, i.archived_date,
       i.responsible_user_id, u.user_name AS responsible_user, u.display_name AS responsible_display_name,
       i.attachment_count, i.action_list_count, i.comment_count, i.like_count, i.external_id,
       i.cost_of_investment, i.gain_of_investment, i.cost_of_investment_hours, i.gain_of_investment_hours,
       i.estimated_cost_of_investment, i.estimated_gain_of_investment,
       i.estimated_cost_of_investment_hours, i.estimated_gain_of_investment_hours,
       i.evaluation_status, i.evaluation_text
FROM improvements AS i
LEFT JOIN groups AS g ON g.id = i.group_id
LEFT JOIN improvement_categories AS c ON c.id = i.category_id
LEFT JOIN projects AS p ON p.id = i.project_id
LEFT JOIN users AS s ON s.id = i.suggested_by_user_id
LEFT JOIN users AS u ON u.id = i.responsible_user_id;

CREATE TABLE datasources (
    id INTEGER PRIMARY KEY,
    title TEXT,
    description TEXT,
    object_source TEXT,
    unit_of_time TEXT,
    primary_input_source TEXT,
    -- How many values it has, and a counter that every change of its values moves. Whoever writes values
    -- calls store::values::changed.
    value_count INTEGER NOT NULL DEFAULT 0,
    change_counter INTEGER NOT NULL DEFAULT 0
) STRICT;

-- What the dimensions of a datasource's values mean.
CREATE TABLE datasource_elements (
    datasource_id INTEGER NOT NULL REFERENCES datasources (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    label TEXT,
    type TEXT NOT NULL,
    is_mandatory INTEGER NOT NULL DEFAULT 0 CHECK (is_mandatory IN (0, 1)),
    source_column TEXT,
    data_list_id INTEGER,
    sort_order INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (datasource_id, id)
) STRICT, WITHOUT ROWID;

-- Values, clustered in the order they are read. Area, asset and project are the sender's numbers and are not
-- checked.
CREATE TABLE datasource_values (
    datasource_id INTEGER NOT NULL REFERENCES datasources (id) ON DELETE CASCADE,
    value_date INTEGER NOT NULL,
    id INTEGER NOT NULL,
    value REAL,
    registration_date INTEGER NOT NULL,
    area_id INTEGER,
    asset_id INTEGER,
    project_id INTEGER,
    description TEXT,
    dimension TEXT,
    dimension2 TEXT,
    dimension3 TEXT,
    dimension4 TEXT,
    external_id TEXT,
    PRIMARY KEY (datasource_id, value_date, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX datasource_values_by_id ON datasource_values (id);

-- Search: one document of our own tokens for each row, found by rowid = the row's id. Written through
-- store::search.
CREATE VIRTUAL TABLE areas_search USING fts5(document, content='', contentless_delete=1, tokenize='ascii');
CREATE VIRTUAL TABLE groups_search USING fts5(document, content='', contentless_delete=1, tokenize='ascii');
CREATE VIRTUAL TABLE boards_search USING fts5(document, content='', contentless_delete=1, tokenize='ascii');
CREATE VIRTUAL TABLE comments_search USING fts5(document, content='', contentless_delete=1, tokenize='ascii');
CREATE VIRTUAL TABLE incidents_search USING fts5(document, content='', contentless_delete=1, tokenize='ascii');

-- Data lists with their items, and projects with their milestones and members.
--
-- No table here counts its ids: those of a project are older than the service's own, and the ids of items and
-- milestones are issued as theirs are, by a row of `counters` (store/sequences.rs).

-- The stamp of the last change; NULL for a list that was imported without one.
ALTER TABLE data_lists ADD COLUMN description text COLLATE "C";
ALTER TABLE data_lists ADD COLUMN last_modified bigint;
ALTER TABLE data_lists ADD COLUMN last_modified_by_user_id text COLLATE "C" REFERENCES users (id);

CREATE TABLE data_list_items (
    id bigint PRIMARY KEY,
    data_list_id bigint NOT NULL REFERENCES data_lists (id) ON DELETE CASCADE,
    sort_order bigint NOT NULL,
    identifier text COLLATE "C" NOT NULL,
    name text COLLATE "C"
);
CREATE UNIQUE INDEX data_list_items_by_identifier ON data_list_items (data_list_id, identifier);
CREATE INDEX data_list_items_in_order ON data_list_items (data_list_id, sort_order, id);

-- The number identifies a project in an address. It is a text of any form; a project without one gets its id.
ALTER TABLE projects ADD COLUMN project_number text COLLATE "C";
ALTER TABLE projects ADD COLUMN status text COLLATE "C";
ALTER TABLE projects ADD COLUMN external_id text COLLATE "C";
ALTER TABLE projects ADD COLUMN description text COLLATE "C";
ALTER TABLE projects ADD COLUMN customer_number text COLLATE "C";
ALTER TABLE projects ADD COLUMN customer_name text COLLATE "C";
ALTER TABLE projects ADD COLUMN created_date bigint;
ALTER TABLE projects ADD COLUMN start_date bigint;
ALTER TABLE projects ADD COLUMN end_date bigint;
ALTER TABLE projects ADD COLUMN estimated_start_date bigint;
ALTER TABLE projects ADD COLUMN estimated_end_date bigint;
UPDATE projects SET project_number = CAST(id AS text);
CREATE UNIQUE INDEX projects_by_number ON projects (project_number);

CREATE TABLE project_milestones (
    id bigint PRIMARY KEY,
    project_id bigint NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    name text COLLATE "C" NOT NULL,
    planned_date bigint,
    actual_date bigint
);
CREATE INDEX project_milestones_by_project ON project_milestones (project_id, id);

-- Who leads and who works on a project. No response includes them.
CREATE TABLE project_members (
    project_id bigint NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    user_id text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role text COLLATE "C" NOT NULL CHECK (role IN ('Member', 'Viewer', 'Owner')),
    PRIMARY KEY (project_id, user_id)
);
CREATE INDEX project_members_by_user ON project_members (user_id, project_id);

-- What refers to a project keeps it from being deleted.
CREATE INDEX incidents_by_project ON incidents (project_id NULLS FIRST, id) WHERE project_id IS NOT NULL;
CREATE INDEX improvements_by_project ON improvements (project_id NULLS FIRST, id) WHERE project_id IS NOT NULL;

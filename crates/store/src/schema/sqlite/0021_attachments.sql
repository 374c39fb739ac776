-- Files attached to incidents and tasks. The contents are apart, so that a list never reads them.

CREATE TABLE attachments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- The record that it is attached to: it goes with that.
    incident_id INTEGER REFERENCES incidents (id) ON DELETE CASCADE,
    task_id INTEGER REFERENCES tasks (id) ON DELETE CASCADE,
    file_id TEXT NOT NULL,
    -- The name of the file is both, with a dot between them.
    name TEXT NOT NULL,
    file_extension TEXT NOT NULL,
    content_type TEXT NOT NULL,
    file_size_in_bytes INTEGER NOT NULL,
    -- Of the content, in hexadecimal.
    sha256 TEXT NOT NULL,
    created_date INTEGER NOT NULL,
    created_by_user_id TEXT REFERENCES users (id),
    CHECK ((incident_id IS NULL) <> (task_id IS NULL))
) STRICT;
CREATE UNIQUE INDEX attachments_by_file ON attachments (file_id);
CREATE INDEX attachments_by_incident ON attachments (incident_id) WHERE incident_id IS NOT NULL;
CREATE INDEX attachments_by_task ON attachments (task_id) WHERE task_id IS NOT NULL;

CREATE TABLE attachment_contents (
    id INTEGER PRIMARY KEY REFERENCES attachments (id) ON DELETE CASCADE,
    content BLOB NOT NULL
) STRICT;

-- The attachments of incidents that are not in the trash; who attached one to an anonymous incident may have
-- reported it, and is left out.
CREATE VIEW live_incident_attachments AS
SELECT a.id, a.incident_id, a.file_id, a.name || '.' || a.file_extension AS file_name,
       '/v2/incidents/' || a.incident_id || '/attachments/' || a.id || '/content' AS file_url,
       a.content_type, a.name, CAST(NULL AS TEXT) AS preview_file_name, CAST(0 AS INTEGER) AS has_preview, a.file_extension,
       a.sha256 AS e_tag, a.file_size_in_bytes, (a.file_size_in_bytes + 1023) / 1024 AS file_size_in_kb, a.created_date,
       CASE WHEN i.is_anonymous = 1 THEN NULL ELSE a.created_by_user_id END AS created_by_user_id,
       CASE WHEN i.is_anonymous = 1 THEN NULL ELSE u.display_name END AS created_by_user,
       a.created_date AS last_modified,
       CASE WHEN i.is_anonymous = 1 THEN NULL ELSE a.created_by_user_id END AS last_modified_by_user_id,
       CASE WHEN i.is_anonymous = 1 THEN NULL ELSE u.display_name END AS last_modified_by_user,
       a.content_type AS mime_type, CASE WHEN substr(a.content_type, 1, 6) = 'image/' THEN 1 ELSE 0 END AS is_image
FROM attachments AS a
JOIN incidents AS i ON i.id = a.incident_id
LEFT JOIN users AS u ON u.id = a.created_by_user_id
WHERE i.deleted_date IS NULL;

-- The attachments of tasks whose incident, if they have one, is not in the trash; likewise of an anonymous one.
CREATE VIEW live_task_attachments AS
SELECT a.id, a.task_id, a.file_id, a.name || '.' || a.file_extension AS file_name,
       '/v2/tasks/' || a.task_id || '/attachments/' || a.id || '/content' AS file_url,
       a.content_type, a.name, CAST(NULL AS TEXT) AS preview_file_name, CAST(0 AS INTEGER) AS has_preview, a.file_extension,
       a.sha256 AS e_tag, a.file_size_in_bytes, (a.file_size_in_bytes + 1023) / 1024 AS file_size_in_kb, a.created_date,
       CASE WHEN i.is_anonymous = 1 THEN NULL ELSE a.created_by_user_id END AS created_by_user_id,
       CASE WHEN i.is_anonymous = 1 THEN NULL ELSE u.display_name END AS created_by_user, a.created_date AS last_modified,
       CASE WHEN i.is_anonymous = 1 THEN NULL ELSE a.created_by_user_id END AS last_modified_by_user_id,
       CASE WHEN i.is_anonymous = 1 THEN NULL ELSE u.display_name END AS last_modified_by_user,
       a.content_type AS mime_type, CASE WHEN substr(a.content_type, 1, 6) = 'image/' THEN 1 ELSE 0 END AS is_image
FROM attachments AS a
JOIN tasks AS t ON t.id = a.task_id
LEFT JOIN incidents AS i ON i.id = t.incident_id
LEFT JOIN users AS u ON u.id = a.created_by_user_id
WHERE i.deleted_date IS NULL;

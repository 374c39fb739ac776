-- Rows in every table, with the ends of what each kind of column holds.
INSERT INTO stamps (id, last) VALUES (1, 17488512000000003) ON CONFLICT (id) DO UPDATE SET last = excluded.last;
INSERT INTO clients (id, name, secret_hash, scopes, created_at, revoked_at) VALUES
    ('c-1', 'Reader', '$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$aGFzaA', 'Data.Read', 17488512000000000, NULL),
    ('c-2', 'Gone', 'x', 'Data.Read Data.Write', -9223372036854775808, 9223372036854775807);
INSERT INTO signing_keys (kid, private_key, created_at, expires_at) VALUES
    ('old', 'bm8ga2V5', 1, 2);
INSERT INTO secrets (name, value) VALUES ('other', '');
INSERT INTO users (id, user_name, display_name, email) VALUES
    ('u-1', 'kari.vik', 'Kari Vik', 'kari@example.com'),
    ('u-2', '', '名前 🏭 Ålesund ' || char(8238) || 'rtl' || char(1114111), NULL),
    ('U-2', 'case', 'a''b"c\d', ''),
    ('ø', 'after all of ASCII', char(9) || char(10) || char(13) || ' ', NULL);
-- More than are read at a time, with keys that are texts.
INSERT INTO users (id, user_name, display_name)
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4500) SELECT 'w-' || i, 'w', 'Worker ' || i FROM n;
INSERT INTO projects (id, name, project_number, status, created_date, end_date) VALUES
    (-2147483648, 'lowest', '-2147483648', NULL, NULL, NULL), (2147483647, 'highest', 'Ø / 🏭', '', -5, 9223372036854775807), (1, 'Nordlys', '1', 'Active', 5, NULL);
INSERT INTO project_milestones (id, project_id, name, planned_date, actual_date) VALUES (2147483647, 1, '', 5, NULL), (2, 1, 'Start', NULL, -5);
INSERT INTO project_members (project_id, user_id, role) VALUES (1, 'u-2', 'Owner'), (1, 'U-2', 'Viewer');
INSERT INTO areas (id, name, description) VALUES (1, 'Støperi', 'Casting and shake-out'), (2, 'Assembly', NULL), (3, '', '');
-- A child before its parent: it is looked for at the end.
INSERT INTO groups (id, type, name, description, parent_id, is_system_group, is_member, level, sort_order, business_unit_id, project_id, external_id, external_name) VALUES
    (1, 'GENERAL', 'Mechanics', NULL, 2, 0, 1, 1, -1, 9, 1, 'e', 'E'),
    (2, 'BUSINESSUNIT', 'Plant', 'Everybody', NULL, 1, 0, 0, NULL, NULL, NULL, NULL, NULL),
    (3, 'PROJECT', NULL, NULL, 3, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO group_members (group_id, user_id) VALUES (1, 'u-1'), (1, 'u-2'), (2, 'ø');
INSERT INTO group_members (group_id, user_id) SELECT 2, id FROM users WHERE id LIKE 'w-%';
INSERT INTO boards (id, name, description, board_type, is_public, is_member, group_id, business_unit_id, project_id) VALUES
    (7, 'Tavle', 'Tier 1', 'Weekly', 1, 0, 1, 3, 4), (8, NULL, NULL, NULL, 0, 0, NULL, NULL, NULL);
INSERT INTO board_lines (board_id, axis, id, name, week_day, is_column_category, style, sort_order, responsible_user_id) VALUES
    (7, 'row', 1, 'Safety', NULL, 0, NULL, 1, 'u-1'), (7, 'column', 1, 'Monday', 'Monday', 1, 'wide', 2, NULL), (8, 'row', -1, NULL, NULL, 0, NULL, NULL, NULL);
INSERT INTO data_lists (id, name, description, last_modified, last_modified_by_user_id) VALUES (9, 'Machines', '', 7, 'u-1'), (10, '', NULL, NULL, NULL);
INSERT INTO data_list_items (id, data_list_id, sort_order, identifier, name) VALUES (1, 9, -2147483648, 'M-1', NULL), (3, 9, 1, '', ''), (2, 10, 1, 'M-1', 'Press');
INSERT INTO incident_types (id, title, description) VALUES (3, 'Equipment failure', 'Stops'), (4, 'Environment', NULL);
INSERT INTO type_categories (id, incident_type_id, parent_id, title, description, sort_order) VALUES
    (31, 3, 32, 'Leak', NULL, 0), (32, 3, NULL, 'Hydraulics', 'Oil', 1), (41, 4, NULL, 'Spill', '', 0);
INSERT INTO type_consequences (id, incident_type_id, title, unit) VALUES (34, 3, 'Downtime', 'min'), (35, 4, 'Cost', NULL);
INSERT INTO type_causes (id, incident_type_id, title, description, sort_order) VALUES (33, 3, 'Wear', NULL, 0), (36, 3, 'Dirt', 'Sand', 5);
INSERT INTO type_custom_fields (id, incident_type_id, label, type, sort_order, data_list_id, is_mandatory) VALUES
    (61, 3, 'Machine', 'list', 1, 9, 1), (62, 3, 'Order', 'text', 0, NULL, 0);
INSERT INTO type_translations (incident_type_id, language, kind, item_id, title, description) VALUES
    (3, 'nb', 'type', 3, 'Utstyrsfeil', NULL), (3, 'nb', 'category', 31, NULL, 'Olje'), (3, 'nb-no', 'custom_field', 61, 'Maskin', NULL);
-- The third is in the trash.
INSERT INTO incidents (id, incident_type_id, project_id, area_id, reported_by_group_id, reported_by_user_id, reported_by, reported_date, follow_up_group_id,
        responsible_user_id, status, severity, title, text, incident_date, resolved_date, due_date, evaluation_status, evaluation_text, is_anonymous, external_id,
        number_of_actions, number_of_attachments, status_modified_date, status_new_date, status_in_progress_date, status_rejected_date, archived_date,
        last_modified, deleted_date, latitude, longitude, accuracy_in_meters, last_modified_by_user_id) VALUES
    (10, 3, 1, 1, 1, 'u-1', 'K', 17476927200123456, 2, 'u-2', 'Resolved', 'High', 'Lekkasje på linje 2', 'Oil below the press', 20228, 17478224000000001,
        9223372036854775807, 'Good', 'Holds', 0, 'c100', 2, 3, 1, 2, 3, 4, 5, 17478224000000002, NULL, 59.66875, -180.0, 5e-324, 'u-2'),
    (11, 4, NULL, NULL, NULL, NULL, NULL, -9223372036854775808, NULL, NULL, 'New', 'None', '', NULL, -719528, NULL, NULL, NULL, NULL, 1, NULL,
        0, 0, NULL, NULL, NULL, NULL, NULL, 17478224000000003, NULL, NULL, NULL, NULL, NULL),
    (12, 4, NULL, 2, NULL, NULL, 'Night shift', 17478224000000000, NULL, NULL, 'Rejected', 'Low', 'Entered twice', '', 20230, NULL, NULL, NULL, NULL, 0, '',
        0, 0, NULL, NULL, NULL, NULL, NULL, 17478224000000004, 17481024000000000, NULL, 9.64625, 0.0, NULL);
INSERT INTO incident_categories (incident_id, category_id) VALUES (10, 31), (10, 32), (12, 41);
INSERT INTO incident_consequences (incident_id, consequence_id, amount) VALUES (10, 34, 12.5), (10, 35, NULL), (11, 35, -0.0);
INSERT INTO incident_causes (incident_id, cause_id) VALUES (10, 33), (10, 36);
INSERT INTO incident_custom_fields (incident_id, custom_field_id, value, data_list_value, registration_date) VALUES
    (10, 61, '3', 'Press 2', 17476927200123456), (10, 62, NULL, NULL, 0);
INSERT INTO incident_comments (id, incident_id, text, comment_date, commented_by, commented_by_user_id, parent_id, level) VALUES
    (100, 10, 'Takk, ser på det', 17476992000000000, NULL, 'u-1', 101, 1),
    (101, 10, 'The seal is from the old batch', 17476956000000000, 'Night shift', NULL, NULL, 0),
    (102, 12, '', 17476956000000000, NULL, NULL, NULL, 0);
INSERT INTO improvement_categories (id, title) VALUES (1, 'Safety');
INSERT INTO improvements (id, status, archived_from, priority_status, group_id, title, text, category_id, project_id, suggested_by_user_id, suggested_by,
        responsible_user_id, suggestion_date, planned_date, in_progress_date, implemented_date, evaluated_date, archived_date, due_date, external_id,
        cost_of_investment, gain_of_investment, cost_of_investment_hours, gain_of_investment_hours, estimated_cost_of_investment,
        estimated_gain_of_investment, estimated_cost_of_investment_hours, estimated_gain_of_investment_hours, evaluation_status, evaluation_text,
        attachment_count, action_list_count, comment_count, like_count, last_modified, last_modified_by_user_id) VALUES
    (5, 'Archived', 'Planned', 'LowEffortHighEffect', 1, 'Shadow board', 'Where tools hang', 1, 1, 'u-2', 'Ola', 'u-1', 1, 2, 3, 4, 5, 6, 7, 'x',
        0.1, 1e308, 5e-324, 9e999, -9e999, 123456789012345680.0, -1.5, 0.30000000000000004, 'Bad', 'No', 1, 2, 3, 4, 8, 'nobody'),
    (6, 'Open', NULL, 'NotPrioritized', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
        NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 9223372036854775807, -9223372036854775808, 0, 0, 9, NULL);
-- A part before its task.
INSERT INTO tasks (id, parent_id, title, description, status, board_id, project_id, incident_id, responsible_user_id, start_date, due_date,
        row_category_id, column_category_id, tags, external_id, last_modified, last_modified_by_user_id) VALUES
    (1, 2147483647, '', '', 'Blocked', 7, 1, 10, 'u-2', -5, 9223372036854775807, 1, -1, '["5S","名前 🏭 \"quoted\""]', 'x', 8, 'ø'),
    (2147483647, NULL, 'Seal', NULL, 'NotStarted', NULL, NULL, 10, NULL, NULL, NULL, NULL, NULL, '[]', NULL, -9223372036854775808, NULL);
-- An answer before the comment that it answers.
INSERT INTO task_comments (id, task_id, parent_id, level, text, commented_by, commented_by_user_id, comment_date) VALUES
    (1, 1, 2147483647, 1, '', 'x', 'ø', -5), (2147483647, 1, NULL, 0, '名前 🏭', NULL, NULL, 9223372036854775807);
INSERT INTO attachments (id, incident_id, task_id, file_id, name, file_extension, content_type, file_size_in_bytes, sha256, created_date, created_by_user_id) VALUES
    (8, 10, NULL, 'f-8', 'åpen', 'PNG', 'image/png', 3, 'a', 17461440001234567, 'u-1'), (2147483647, NULL, 2147483647, 'f', 'b', 'txt', 'text/plain', 0, '', 0, NULL);
-- The second is alone longer than a batch.
INSERT INTO attachment_contents (id, content) VALUES (8, x'00ff80'), (2147483647, zeroblob(1500000));
INSERT INTO datasources (id, title, description, object_source, unit_of_time, primary_input_source, value_count, change_counter) VALUES
    (4, 'OEE', 'Per shift', 'Machine', 'Shift', 'Manual', 5003, 17), (5, NULL, NULL, NULL, NULL, NULL, 0, 0);
INSERT INTO datasource_elements (datasource_id, id, label, type, is_mandatory, source_column, data_list_id, sort_order, number) VALUES
    (4, 'd1', 'Line', 'text', 1, 'dimension', 9, 0, 2147483647), (4, 'D1', NULL, 'number', 0, NULL, NULL, -1, 2);
INSERT INTO datasource_values (datasource_id, value_date, id, value, registration_date, area_id, asset_id, project_id, description, dimension, dimension2,
        dimension3, dimension4, external_id) VALUES
    (4, 17461440000000000, 2147483647, 71.25, 17461440001234567, 1, 2, 3, 'cold start', 'Line 3', 'b', 'c', 'd', 'e'),
    (4, -9223372036854775808, -2147483648, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
    (5, 0, 0, -0.0, 0, NULL, NULL, NULL, '', '', '', '', '', '');
-- 0006 writes the row only where there are values.
INSERT INTO counters (name, last) VALUES ('datasource_values', 2147483647);
INSERT INTO answers (client_id, operation, key, fingerprint, body, answered_at) VALUES
    ('c-1', 'createIncident', 'k-1', 'abc', '{"id":1}', 17461440001234567), ('c-1', 'deleteIncident', 'k-1', 'å', NULL, 0);
-- More than one batch holds.
INSERT INTO datasource_values (datasource_id, value_date, id, value, registration_date, dimension)
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
    SELECT 4, i * 36000000000, i, i / 7.0, i, 'Line ' || (i % 5) FROM n;
-- A text alone longer than a batch.
UPDATE improvements SET text = replace(hex(zeroblob(700000)), '00', 'å ') WHERE id = 6;

-- The second entry has lost its text, as after the erasure of a person.
INSERT INTO audit_entries (number, at, client_id, address, operation, record, request_id, change, salt, digest, hash) VALUES
    (1, 17488512000000001, 'reader', '192.0.2.7', 'createIncident', 'incidents/1', 'request-1', '{"after":{"status":"new"}}', 'c2FsdC1vZi10aGUtMXN0',
        'b0c6d5acf9e399ea8513bb0de6591c696735b0d4c461007b52e9d3731577545d',
        '2b261e3c4aef64d37640898e2e0af2b6d80ab572a2220ccfb2680c3523d97b8f'),
    (2, 17488512000000002, NULL, NULL, 'addClient', 'clients/reader', NULL, NULL, NULL,
        '333dc136b484442b16f8d13cc3a17b2b252ed2db66bf4395c673e6dfeee62a1c',
        '9081d77323b3fc205f9b8669684b4e1583efad74b29457d4bf975b253fb2cdf1');
INSERT INTO refused_tokens (minute, address, requests, tokens) VALUES (29147520, '192.0.2.8', 3, 0);

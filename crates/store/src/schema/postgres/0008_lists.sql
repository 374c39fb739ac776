-- What the lists of v1 read: the parts of an incident as it shows them, and indexes that hold what is not in
-- the trash and nothing else.

CREATE VIEW incident_category_records AS
SELECT m.incident_id, p.id, p.title, p.sort_order
FROM incident_categories AS m
JOIN type_categories AS p ON p.id = m.category_id;

CREATE VIEW incident_consequence_records AS
SELECT m.incident_id, p.id, p.title, p.unit, m.amount
FROM incident_consequences AS m
JOIN type_consequences AS p ON p.id = m.consequence_id;

CREATE VIEW incident_cause_records AS
SELECT m.incident_id, p.id, p.title, p.sort_order
FROM incident_causes AS m
JOIN type_causes AS p ON p.id = m.cause_id;

CREATE VIEW incident_custom_field_records AS
SELECT m.incident_id, p.id, m.value, m.data_list_value, p.data_list_id, l.name AS data_list_name, m.registration_date, p.label, p.type, p.sort_order
FROM incident_custom_fields AS m
JOIN type_custom_fields AS p ON p.id = m.custom_field_id
LEFT JOIN data_lists AS l ON l.id = p.data_list_id;

-- A list counts the incidents that match, and steps over those of the pages before: an index that holds every
-- column needed does both without the table. `deleted_date` is a column of them although their condition says
-- that it is NULL: an engine does not conclude that.
DROP INDEX incidents_by_last_modified;
DROP INDEX incidents_by_type;
CREATE INDEX incidents_in_use ON incidents (id, deleted_date NULLS FIRST) WHERE deleted_date IS NULL;
CREATE INDEX incidents_by_last_modified ON incidents (last_modified, id, deleted_date NULLS FIRST) WHERE deleted_date IS NULL;
-- Those of a type, in the order of lists.
CREATE INDEX incidents_by_type ON incidents (incident_type_id, id);

-- The indexes of words have other terms now, and find terms by their beginnings: a tsvector does, an array
-- does not. The program fills them from the texts of all records (store::search::rebuild_all), as SQL cannot fold
-- texts.
--
-- `odata_terms` is a function of the query language, which is made before any migration runs.

TRUNCATE areas_search;
ALTER TABLE areas_search DROP COLUMN words;
ALTER TABLE areas_search ADD COLUMN words tsvector NOT NULL GENERATED ALWAYS AS (odata_terms(document)) STORED;
CREATE INDEX areas_search_by_word ON areas_search USING gin (words);

TRUNCATE boards_search;
ALTER TABLE boards_search DROP COLUMN words;
ALTER TABLE boards_search ADD COLUMN words tsvector NOT NULL GENERATED ALWAYS AS (odata_terms(document)) STORED;
CREATE INDEX boards_search_by_word ON boards_search USING gin (words);

TRUNCATE comments_search;
ALTER TABLE comments_search DROP COLUMN words;
ALTER TABLE comments_search ADD COLUMN words tsvector NOT NULL GENERATED ALWAYS AS (odata_terms(document)) STORED;
CREATE INDEX comments_search_by_word ON comments_search USING gin (words);

TRUNCATE groups_search;
ALTER TABLE groups_search DROP COLUMN words;
ALTER TABLE groups_search ADD COLUMN words tsvector NOT NULL GENERATED ALWAYS AS (odata_terms(document)) STORED;
CREATE INDEX groups_search_by_word ON groups_search USING gin (words);

TRUNCATE incident_types_search;
ALTER TABLE incident_types_search DROP COLUMN words;
ALTER TABLE incident_types_search ADD COLUMN words tsvector NOT NULL GENERATED ALWAYS AS (odata_terms(document)) STORED;
CREATE INDEX incident_types_search_by_word ON incident_types_search USING gin (words);

TRUNCATE incidents_search;
ALTER TABLE incidents_search DROP COLUMN words;
ALTER TABLE incidents_search ADD COLUMN words tsvector NOT NULL GENERATED ALWAYS AS (odata_terms(document)) STORED;
CREATE INDEX incidents_search_by_word ON incidents_search USING gin (words);

TRUNCATE task_comments_search;
ALTER TABLE task_comments_search DROP COLUMN words;
ALTER TABLE task_comments_search ADD COLUMN words tsvector NOT NULL GENERATED ALWAYS AS (odata_terms(document)) STORED;
CREATE INDEX task_comments_search_by_word ON task_comments_search USING gin (words);

TRUNCATE tasks_search;
ALTER TABLE tasks_search DROP COLUMN words;
ALTER TABLE tasks_search ADD COLUMN words tsvector NOT NULL GENERATED ALWAYS AS (odata_terms(document)) STORED;
CREATE INDEX tasks_search_by_word ON tasks_search USING gin (words);

TRUNCATE users_search;
ALTER TABLE users_search DROP COLUMN words;
ALTER TABLE users_search ADD COLUMN words tsvector NOT NULL GENERATED ALWAYS AS (odata_terms(document)) STORED;
CREATE INDEX users_search_by_word ON users_search USING gin (words);

DROP FUNCTION obeya_words(text);

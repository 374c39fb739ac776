-- The indexes of words have other terms now, and find terms by their beginnings. The program fills them from
-- the texts of all records (store::search::rebuild_all), as SQL cannot fold texts.

DROP TABLE areas_search;
DROP TABLE boards_search;
DROP TABLE comments_search;
DROP TABLE groups_search;
DROP TABLE incident_types_search;
DROP TABLE incidents_search;
DROP TABLE task_comments_search;
DROP TABLE tasks_search;
DROP TABLE users_search;

CREATE VIRTUAL TABLE areas_search USING fts5(document, content='', contentless_delete=1, prefix='3', tokenize='ascii');
CREATE VIRTUAL TABLE boards_search USING fts5(document, content='', contentless_delete=1, prefix='3', tokenize='ascii');
CREATE VIRTUAL TABLE comments_search USING fts5(document, content='', contentless_delete=1, prefix='3', tokenize='ascii');
CREATE VIRTUAL TABLE groups_search USING fts5(document, content='', contentless_delete=1, prefix='3', tokenize='ascii');
CREATE VIRTUAL TABLE incident_types_search USING fts5(document, content='', contentless_delete=1, prefix='3', tokenize='ascii');
CREATE VIRTUAL TABLE incidents_search USING fts5(document, content='', contentless_delete=1, prefix='3', tokenize='ascii');
CREATE VIRTUAL TABLE task_comments_search USING fts5(document, content='', contentless_delete=1, prefix='3', tokenize='ascii');
CREATE VIRTUAL TABLE tasks_search USING fts5(document, content='', contentless_delete=1, prefix='3', tokenize='ascii');
CREATE VIRTUAL TABLE users_search USING fts5(document, content='', contentless_delete=1, prefix='3', tokenize='ascii');

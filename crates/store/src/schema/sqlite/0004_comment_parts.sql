-- The parts of comments' texts: every run of three characters, so that `contains` and its like find a comment
-- without reading all of them.
--
-- The texts stay where they are. Triggers keep the two in step, and not the code that writes: an entry can
-- only be removed by the very text that added it. No positions are kept (detail=none): rows are checked again
-- anyway.
CREATE VIRTUAL TABLE comments_parts USING fts5(
    text, content='incident_comments', content_rowid='id', columnsize=0, detail=none, tokenize='trigram case_sensitive 1'
);
INSERT INTO comments_parts (comments_parts) VALUES ('rebuild');
-- Merges the segments of each index into one: every search looks into each of them. An import does that by
-- itself (store::search::settle_comments).
INSERT INTO comments_parts (comments_parts) VALUES ('optimize');
INSERT INTO comments_search (comments_search) VALUES ('optimize');

CREATE TRIGGER comments_parts_insert AFTER INSERT ON incident_comments BEGIN
    INSERT INTO comments_parts (rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER comments_parts_delete AFTER DELETE ON incident_comments BEGIN
    INSERT INTO comments_parts (comments_parts, rowid, text) VALUES ('delete', old.id, old.text);
END;
CREATE TRIGGER comments_parts_update AFTER UPDATE OF id, text ON incident_comments BEGIN
    INSERT INTO comments_parts (comments_parts, rowid, text) VALUES ('delete', old.id, old.text);
    INSERT INTO comments_parts (rowid, text) VALUES (new.id, new.text);
END;

-- The parts of comments' texts: every run of three characters, so that `contains` and its like find a comment without reading all of them.
--
-- The texts themselves stay where they are. Triggers and not the code that writes keep the two in step: nothing of ours has a say in what is indexed, and an
-- entry can only be taken out by the very text that put it in. No positions are kept (detail=none): rows are looked at again anyway.
-- only sqlite:
CREATE VIRTUAL TABLE comments_parts USING fts5(
    text, content='incident_comments', content_rowid='id', columnsize=0, detail=none, tokenize='trigram case_sensitive 1'
);
INSERT INTO comments_parts (comments_parts) VALUES ('rebuild');
-- One piece instead of those that came up on the way: every search looks into each of them. An import sees to that by itself (store::search::settle_comments).
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
-- only postgres: it has no such tokenizer, and its own trigrams neither tell capitals nor know punctuation. The runs are a list for each comment.
-- {odata_grams}
-- CREATE TABLE comments_parts (rowid bigint PRIMARY KEY, grams text[] COLLATE "C" NOT NULL);
-- INSERT INTO comments_parts (rowid, grams) SELECT id, odata_grams(text) FROM incident_comments;
-- CREATE INDEX comments_parts_by_gram ON comments_parts USING gin (grams);
--
-- -- The path is the one of the migration, so that whoever writes a comment by hand needs none. Rows are taken together: an import writes thousands at once.
-- CREATE FUNCTION comments_parts_inserted() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
-- BEGIN
--     INSERT INTO comments_parts (rowid, grams) SELECT id, odata_grams(text) FROM written;
--     RETURN NULL;
-- END $$;
-- CREATE TRIGGER comments_parts_insert AFTER INSERT ON incident_comments
--     REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION comments_parts_inserted();
--
-- CREATE FUNCTION comments_parts_deleted() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
-- BEGIN
--     DELETE FROM comments_parts WHERE rowid IN (SELECT id FROM gone);
--     RETURN NULL;
-- END $$;
-- CREATE TRIGGER comments_parts_delete AFTER DELETE ON incident_comments
--     REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION comments_parts_deleted();
--
-- CREATE FUNCTION comments_parts_updated() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
-- BEGIN
--     UPDATE comments_parts SET rowid = new.id, grams = odata_grams(new.text) WHERE rowid = old.id;
--     RETURN NULL;
-- END $$;
-- CREATE TRIGGER comments_parts_update AFTER UPDATE OF id, text ON incident_comments
--     FOR EACH ROW WHEN (old.id <> new.id OR old.text <> new.text) EXECUTE FUNCTION comments_parts_updated();
--
-- -- Runs as the tables' owner, who alone may do either.
-- DO $do$ BEGIN EXECUTE format($definition$
--     CREATE FUNCTION obeya_settle() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = %I, pg_temp AS $$
--     DECLARE
--         found record;
--     BEGIN
--         FOR found IN
--             SELECT c.oid::regclass AS name, m.amname AS method
--             FROM pg_class AS c LEFT JOIN pg_am AS m ON m.oid = c.relam AND m.amname = 'gin'
--             WHERE c.relnamespace = current_schema()::regnamespace AND pg_get_userbyid(c.relowner) = current_user
--                 AND (c.relkind IN ('r', 'p') OR m.amname = 'gin')
--         LOOP
--             IF found.method = 'gin' THEN
--                 PERFORM gin_clean_pending_list(found.name);
--             ELSE
--                 EXECUTE format('ANALYZE %%s', found.name);
--             END IF;
--         END LOOP;
--     END $$
-- $definition$, current_schema()); END $do$;

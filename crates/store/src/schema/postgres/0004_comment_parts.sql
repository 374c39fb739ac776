-- The parts of comments' texts: every run of three characters, so that `contains` and its like find a comment
-- without reading all of them.
--
-- The texts stay where they are. Triggers keep the two in step, and not the code that writes: a comment that
-- is written by hand is found as well. The trigrams of PostgreSQL itself ignore case and punctuation, so the
-- runs are an array for each comment.

-- `odata_grams` is a function of the query language, which is made before any migration runs.
CREATE TABLE comments_parts (rowid bigint PRIMARY KEY, grams text[] COLLATE "C" NOT NULL);
INSERT INTO comments_parts (rowid, grams) SELECT id, odata_grams(text) FROM incident_comments;
CREATE INDEX comments_parts_by_gram ON comments_parts USING gin (grams);

-- The search path is the one of the migration, so that a comment can be written by hand under any.
-- Rows are taken together: an import writes thousands at once.
CREATE FUNCTION comments_parts_inserted() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    INSERT INTO comments_parts (rowid, grams) SELECT id, odata_grams(text) FROM written;
    RETURN NULL;
END $$;
CREATE TRIGGER comments_parts_insert AFTER INSERT ON incident_comments
    REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION comments_parts_inserted();

CREATE FUNCTION comments_parts_deleted() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    DELETE FROM comments_parts WHERE rowid IN (SELECT id FROM gone);
    RETURN NULL;
END $$;
CREATE TRIGGER comments_parts_delete AFTER DELETE ON incident_comments
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION comments_parts_deleted();

CREATE FUNCTION comments_parts_updated() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    UPDATE comments_parts SET rowid = new.id, grams = odata_grams(new.text) WHERE rowid = old.id;
    RETURN NULL;
END $$;
CREATE TRIGGER comments_parts_update AFTER UPDATE OF id, text ON incident_comments
    FOR EACH ROW WHEN (old.id <> new.id OR old.text <> new.text) EXECUTE FUNCTION comments_parts_updated();

-- Runs as the owner of the tables, who alone may do either.
DO $do$ BEGIN EXECUTE format($definition$
    CREATE FUNCTION obeya_settle() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = %I, pg_temp AS $$
    DECLARE
        found record;
    BEGIN
        FOR found IN
            SELECT c.oid::regclass AS name, m.amname AS method
            FROM pg_class AS c LEFT JOIN pg_am AS m ON m.oid = c.relam AND m.amname = 'gin'
            WHERE c.relnamespace = current_schema()::regnamespace AND pg_get_userbyid(c.relowner) = current_user
                AND (c.relkind IN ('r', 'p') OR m.amname = 'gin')
        LOOP
            IF found.method = 'gin' THEN
                PERFORM gin_clean_pending_list(found.name);
            ELSE
                EXECUTE format('ANALYZE %%s', found.name);
            END IF;
        END LOOP;
    END $$
$definition$, current_schema()); END $do$;

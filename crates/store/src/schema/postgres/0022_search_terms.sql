-- The indexes of words have other terms now, and find terms by their beginnings: a tsvector does, an array
-- does not. The program fills them from the texts of all records (store::search::rebuild_all), as SQL cannot fold
-- texts.
--
-- `odata_terms` is a function of the query language, which is made before any migration runs.

DO $$
DECLARE
    index_table text;
BEGIN
    FOREACH index_table IN ARRAY ARRAY[
        'areas_search', 'boards_search', 'comments_search', 'groups_search', 'incident_types_search', 'incidents_search',
        'task_comments_search', 'tasks_search', 'users_search'
    ] LOOP
        EXECUTE format('TRUNCATE %I', index_table);
        EXECUTE format('ALTER TABLE %I DROP COLUMN words', index_table);
        EXECUTE format(
            'ALTER TABLE %I ADD COLUMN words tsvector NOT NULL GENERATED ALWAYS AS (odata_terms(document)) STORED',
            index_table
        );
        EXECUTE format('CREATE INDEX %I ON %I USING gin (words)', index_table || '_by_word', index_table);
    END LOOP;
END $$;

DROP FUNCTION obeya_words(text);

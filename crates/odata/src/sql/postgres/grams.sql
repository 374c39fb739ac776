-- The window goes over the characters once; substr would count them from the start for each run.
CREATE OR REPLACE FUNCTION odata_grams(document text) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT coalesce(array_agg(DISTINCT gram COLLATE "C"), '{}')
    FROM (
        SELECT part || lead(part) OVER places || lead(part, 2) OVER places AS gram
        FROM unnest(string_to_array(document, NULL)) WITH ORDINALITY AS parts (part, place)
        WINDOW places AS (ORDER BY place)
    ) AS runs
    WHERE gram IS NOT NULL
$$;

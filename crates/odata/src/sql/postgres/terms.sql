-- The terms of a document, which has single spaces before, between and after them. A tsvector has no more than
-- 1 MiB of terms, none longer than 2,046 bytes: longer terms are cut, and where some had to be left out, the
-- term '*' says so.
CREATE OR REPLACE FUNCTION odata_terms(document text) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    all_terms text[] := string_to_array(btrim(document, ' '), ' ');
    terms text[];
BEGIN
    IF octet_length(document) <= 500 THEN
        RETURN array_to_tsvector(all_terms);
    END IF;
    SELECT array_agg(cut.term) INTO terms
    FROM (
        SELECT one.term, sum(octet_length(one.term)) OVER (ORDER BY one.term COLLATE "C") AS bytes
        FROM (SELECT DISTINCT left(term, 500) COLLATE "C" AS term FROM unnest(all_terms) AS term) AS one
    ) AS cut
    WHERE cut.bytes <= 1000000;
    IF octet_length(document) > 1000000 THEN
        terms := terms || '*'::text;
    END IF;
    RETURN array_to_tsvector(terms);
END
$$;

-- Every run of three characters of a text; one that occurs again is there again, since an index keeps it once. Pieces are cut first because substr counts from
-- the start of what it is given, character by character.
CREATE OR REPLACE FUNCTION odata_grams(document text) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    grams text[] := '{}';
    piece text;
BEGIN
    FOR start IN 1 .. char_length(document) - 2 BY 64 LOOP
        piece := substr(document, start, 66);
        FOR place IN 1 .. char_length(piece) - 2 LOOP
            grams[start + place - 1] := substr(piece, place, 3);
        END LOOP;
    END LOOP;
    RETURN grams;
END
$$;

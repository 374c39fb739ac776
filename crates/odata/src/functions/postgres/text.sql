-- Texts. COLLATE "C" makes characters what they are and lets arguments of two collations stand beside each other.

-- No text has 2^30 characters: a place or length past that is one past the end, and fits the integer that substr() takes. A negative length, which
-- stays one, is refused by substr() with 22011.
CREATE OR REPLACE FUNCTION odata_substring(value text, start bigint) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN start > 1073741823 THEN left(value, 0)
    WHEN start >= 0 THEN substr(value, start::int + 1)
    WHEN start < -1073741823 THEN value
    ELSE right(value, -start::int)
  END
$$;

CREATE OR REPLACE FUNCTION odata_substring(value text, start bigint, length bigint) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT substr(
    odata_substring(value, start),
    1,
    (CASE WHEN length < 0 THEN -1 WHEN length > 1073741823 THEN 1073741823 ELSE length END)::int
  )
$$;

CREATE OR REPLACE FUNCTION odata_starts_with(value text, part text) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT (left(value, char_length(part)) COLLATE "C" = part)::int::bigint
$$;

CREATE OR REPLACE FUNCTION odata_ends_with(value text, part text) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT (right(value, char_length(part)) COLLATE "C" = part)::int::bigint
$$;

-- The pattern is one that was written anew for this engine, and says itself what its flags said.
CREATE OR REPLACE FUNCTION odata_matches(value text, pattern text, flags text) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN flags IS NOT NULL THEN (value COLLATE "C" ~ pattern)::int::bigint END
$$;

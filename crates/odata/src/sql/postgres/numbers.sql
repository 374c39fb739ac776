-- Sums and products of doubles as IEEE 754 has them: beyond the range an infinity, below it zero. PostgreSQL makes faults of both. What has no result is null,
-- as no database here keeps a NaN.
--
-- They are not STRICT so that PostgreSQL can put their text in place of the call. It works out what is constant before it knows which WHEN will be taken, so
-- whatever hangs on one argument alone may not fail for any.

-- A sum is rounded out of the range once it passes the greatest double by half a unit of the last place, 2^970. Both differences are exact where it may.
CREATE OR REPLACE FUNCTION odata_add(a double precision, b double precision) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN (a < 0) <> (b < 0)
            OR greatest(abs(a), abs(b)) = 'Infinity'
            OR least(abs(a), abs(b)) - 9.9792015476736e291 < 1.7976931348623157e308 - greatest(abs(a), abs(b))
            THEN nullif(a + b, 'NaN')
        WHEN a > 0 AND b > 0 THEN 'Infinity'
        WHEN a < 0 AND b < 0 THEN '-Infinity'
    END
$$;

CREATE OR REPLACE FUNCTION odata_sub(a double precision, b double precision) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT odata_add(a, -b)
$$;

-- Factors are scaled by powers of two, which changes no digit: 2^-512 each, and 2^537, to see on which side of the range the product lies.
CREATE OR REPLACE FUNCTION odata_mul(a double precision, b double precision) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN a IS NULL OR b IS NULL THEN NULL
        WHEN abs(a) BETWEEN 1e-150 AND 1e150 AND abs(b) BETWEEN 1e-150 AND 1e150 THEN a * b
        WHEN a = 0 OR b = 0 OR abs(a) = 'Infinity' OR abs(b) = 'Infinity' THEN nullif(a * b, 'NaN')
        WHEN abs(a) >= 1 AND abs(b) >= 1 THEN CASE
            WHEN (greatest(abs(a), 1) * 7.458340731200207e-155) * (greatest(abs(b), 1) * 7.458340731200207e-155) < 1 THEN a * b
            ELSE sign(a) * sign(b) * double precision 'Infinity'
        END
        WHEN abs(a) >= 1 OR abs(b) >= 1 THEN a * b
        WHEN abs(a) <= 2.778448436856347e-163 AND abs(b) <= 2.778448436856347e-163 THEN sign(a) * sign(b) * 0
        WHEN (least(abs(a), 1) * 4.4989137945431964e161) * (least(abs(b), 1) * 4.4989137945431964e161) > 0.5 THEN a * b
        ELSE sign(a) * sign(b) * 0
    END
$$;

-- Less than, equal to or greater than 0, as a whole number is to a double. Beyond 2^53 several whole numbers are one double; the second look is at these.
CREATE OR REPLACE FUNCTION odata_difference(a bigint, b double precision) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN a < b OR a IS NOT NULL AND b >= 9223372036854775808 THEN -1
        WHEN a > b THEN 1
        ELSE sign(a - (CASE
            WHEN b IS NULL OR b >= -9223372036854775808 AND b < 9223372036854775808 THEN b
            ELSE 0
        END)::bigint)::integer
    END
$$;

CREATE OR REPLACE FUNCTION odata_difference_or_null(a bigint, b double precision) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN a IS NULL AND b IS NULL THEN 0 ELSE odata_difference(a, b) END
$$;

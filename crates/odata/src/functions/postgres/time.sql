-- Instants are ticks of 100 ns since 1970, times of day ticks since midnight, dates days since 1970. 864000000000 ticks are a day; `/` and `%` cut
-- towards zero, so what is before 1970 is led back into the day. Each argument stands as seldom as can be: what stands twice is only laid into a
-- statement where it costs little.

CREATE OR REPLACE FUNCTION odata_date(ticks bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT ticks / 864000000000 - (ticks % 864000000000 < 0)::int
$$;

CREATE OR REPLACE FUNCTION odata_time(ticks bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT (ticks % 864000000000 + 864000000000) % 864000000000
$$;

CREATE OR REPLACE FUNCTION odata_hour(ticks bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT (ticks % 864000000000 + 864000000000) % 864000000000 / 36000000000
$$;

CREATE OR REPLACE FUNCTION odata_minute(ticks bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT (ticks % 36000000000 + 36000000000) % 36000000000 / 600000000
$$;

CREATE OR REPLACE FUNCTION odata_second(ticks bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT (ticks % 600000000 + 600000000) % 600000000 / 10000000
$$;

CREATE OR REPLACE FUNCTION odata_fraction(ticks bigint) RETURNS double precision
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT ((ticks % 10000000 + 10000000) % 10000000)::double precision / 10000000::double precision
$$;

CREATE OR REPLACE FUNCTION odata_total_seconds(ticks bigint) RETURNS double precision
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT ticks::double precision / 10000000::double precision
$$;

-- The calendar repeats after 400 years of 146097 days, counted from 0000-03-01, which is 719468 days before 1970: so leap days come last in a year.
-- 719468 and a period is 865565. Within a period the formulas are those of Neri and Schneider, Euclidean affine functions (2023), which name no
-- intermediate value twice.

-- 2939745 / 2^32 years go by in a quarter of a day; after the 306th day of a year from March comes January.
CREATE OR REPLACE FUNCTION odata_date_year(days bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT (days / 146097 + (days % 146097 + 719468) / 146097) * 400
    + (4 * ((days % 146097 + 865565) % 146097) + 3) / 146097 * 100
    + 2939745 * (4 * ((4 * ((days % 146097 + 865565) % 146097) + 3) % 146097 / 4) + 3) / 4294967296
    + (2939745 * (4 * ((4 * ((days % 146097 + 865565) % 146097) + 3) % 146097 / 4) + 3) % 4294967296 / 2939745 / 4 >= 306)::int
$$;

CREATE OR REPLACE FUNCTION odata_date_month(days bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT ((2141 * (2939745 * (4 * ((4 * ((days % 146097 + 865565) % 146097) + 3) % 146097 / 4) + 3) % 4294967296 / 2939745 / 4)
    + 197913) / 65536 - 1) % 12 + 1
$$;

CREATE OR REPLACE FUNCTION odata_date_day(days bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT (2141 * (2939745 * (4 * ((4 * ((days % 146097 + 865565) % 146097) + 3) % 146097 / 4) + 3) % 4294967296 / 2939745 / 4)
    + 197913) % 65536 / 2141 + 1
$$;

CREATE OR REPLACE FUNCTION odata_year(ticks bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT odata_date_year(odata_date(ticks)) $$;

CREATE OR REPLACE FUNCTION odata_month(ticks bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT odata_date_month(odata_date(ticks)) $$;

CREATE OR REPLACE FUNCTION odata_day(ticks bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT odata_date_day(odata_date(ticks)) $$;

-- The start of the period of a size that an instant falls into, in UTC: ticks that divide a day, or the name of a calendar period.
CREATE OR REPLACE FUNCTION odata_bin(ticks bigint, size bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT ticks - (ticks % size + size) % size
$$;

-- Nothing is before the first instant that has a text: the greater of a and b is half of a + b and their distance. `greatest` is not strict, so the
-- function would not be laid into the statement.
CREATE OR REPLACE FUNCTION odata_bin(ticks bigint, size text) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT (
    (date_trunc(size, (DATE '1970-01-01' + odata_date(ticks)::integer)::timestamp)::date - DATE '0001-01-01 BC')::bigint * 864000000000
    + abs((date_trunc(size, (DATE '1970-01-01' + odata_date(ticks)::integer)::timestamp)::date - DATE '0001-01-01 BC')::bigint * 864000000000)
    ) / 2 - 621672192000000000
$$;

CREATE OR REPLACE FUNCTION odata_bin(ticks bigint, size bigint, starts bigint[], offsets bigint[]) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  ahead bigint := offsets[width_bucket(ticks, starts)];
  start bigint := odata_bin(ticks + ahead, size);
BEGIN
  RETURN greatest(start - offsets[width_bucket(start - ahead, starts)], -621672192000000000);
END
$$;

CREATE OR REPLACE FUNCTION odata_bin(ticks bigint, size text, starts bigint[], offsets bigint[]) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  ahead bigint := offsets[width_bucket(ticks, starts)];
  start bigint := odata_bin(ticks + ahead, size);
BEGIN
  RETURN greatest(start - offsets[width_bucket(start - ahead, starts)], -621672192000000000);
END
$$;

CREATE OR REPLACE FUNCTION odata_date_add(days bigint, ticks bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT days + (ticks / 864000000000 - (ticks % 864000000000 < 0)::int)
$$;

CREATE OR REPLACE FUNCTION odata_duration_mul(ticks bigint, factor bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT ticks * factor $$;

-- A double to the nearest whole number, halves away from zero. What fits no bigint, NaN too, fails in the cast with 22003.
CREATE OR REPLACE FUNCTION odata_whole(number double precision) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (CASE WHEN abs(number - trunc(number)) >= 0.5 THEN trunc(number) + sign(number) ELSE trunc(number) END)::bigint
$$;

-- Neither operator can come to less than the smallest double, as there is no part of a tick; too much is 22003 here as well.
CREATE OR REPLACE FUNCTION odata_duration_mul(ticks bigint, factor double precision) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT odata_whole(ticks::double precision * factor) $$;

CREATE OR REPLACE FUNCTION odata_duration_div(ticks bigint, divisor double precision) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT odata_whole(ticks::double precision / divisor) $$;

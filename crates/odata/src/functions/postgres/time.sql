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

-- The calendar repeats after 400 years, which are 146097 days or 20871 weeks. The server's own calendar begins
-- in 4714 BC, so it is only given the remainder of the days.
CREATE OR REPLACE FUNCTION odata_date_year(days bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT days / 146097 * 400 + date_part('year', date '1970-01-01' + (days % 146097)::int)::bigint
$$;

CREATE OR REPLACE FUNCTION odata_date_month(days bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT date_part('month', date '1970-01-01' + (days % 146097)::int)::bigint
$$;

CREATE OR REPLACE FUNCTION odata_date_day(days bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT date_part('day', date '1970-01-01' + (days % 146097)::int)::bigint
$$;

CREATE OR REPLACE FUNCTION odata_year(ticks bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT odata_date_year(odata_date(ticks)) $$;

CREATE OR REPLACE FUNCTION odata_month(ticks bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT odata_date_month(odata_date(ticks)) $$;

CREATE OR REPLACE FUNCTION odata_day(ticks bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT odata_date_day(odata_date(ticks)) $$;

-- The start of the period that an instant falls into, in UTC: of ticks that divide a day and are less, or of a day or longer period by its name.
CREATE OR REPLACE FUNCTION odata_bin(ticks bigint, size bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT ticks - (ticks % size + size) % size
$$;

-- Not strict, as the server would not inline it then: CASE is not strict.
CREATE OR REPLACE FUNCTION odata_bin(ticks bigint, size text) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE size
    WHEN 'day' THEN odata_bin(ticks, 864000000000)
    ELSE (odata_date(ticks) / 146097 * 146097
      + (date_trunc(size, (date '1970-01-01' + (odata_date(ticks) % 146097)::int)::timestamp)::date - date '1970-01-01')) * 864000000000
  END
$$;

-- The same by the clock of a time zone, which is ahead of UTC by each offset from its start on. Where the clock has changed since the period began, it
-- began at the change if the clock skipped its start, otherwise with the last multiple that the clock showed before.
CREATE OR REPLACE FUNCTION odata_bin(ticks bigint, size bigint, starts bigint[], offsets bigint[]) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  entry int := width_bucket(ticks, starts);
  ahead bigint := offsets[entry];
  start bigint := odata_bin(ticks + ahead, size) - ahead;
BEGIN
  IF entry = 1 OR start >= starts[entry] THEN
    RETURN start;
  END IF;
  IF start + ahead - offsets[entry - 1] >= starts[entry] THEN
    RETURN starts[entry];
  END IF;
  RETURN odata_bin(starts[entry] + offsets[entry - 1] - 1, size) - offsets[entry - 1];
END
$$;

-- A midnight of the clock, less its offset, is the first instant of the period. The midnight stands here twice: as the argument of another function that
-- uses it twice, it would be too costly for the server to inline that. PL/pgSQL would copy the arrays for each call.
CREATE OR REPLACE FUNCTION odata_bin(
  ticks bigint, size text, starts bigint[], offsets bigint[], midnights bigint[], midnight_offsets bigint[]
) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT odata_bin(ticks + offsets[width_bucket(ticks, starts)], size)
    - midnight_offsets[width_bucket(odata_bin(ticks + offsets[width_bucket(ticks, starts)], size), midnights)]
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

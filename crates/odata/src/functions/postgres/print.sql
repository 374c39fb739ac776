-- `cast`: a function has one result type here, so there is one for each, by the type of the value. What has no value of the other type is null, where the
-- server's own casts fail.

CREATE OR REPLACE FUNCTION odata_cast_text(value text, source text, target text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN target = 'Edm.String' THEN value
    WHEN value COLLATE "C" ~ '^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$' THEN lower(value COLLATE "C")
  END
$$;

-- Digits without an exponent, as few as tell the number from its neighbours.
CREATE OR REPLACE FUNCTION odata_cast_text(value double precision, source text, target text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  digits numeric;
  places int;
  scaled double precision;
  below numeric;
  above numeric;
BEGIN
  IF value = 'NaN' THEN
    RETURN NULL;
  ELSIF abs(value) = 'Infinity' THEN
    RETURN CASE WHEN value > 0 THEN 'INF' ELSE '-INF' END;
  ELSIF value = 0 THEN
    -- `numeric` has no negative zero.
    RETURN value::text;
  END IF;
  digits := value::text::numeric;
  places := scale(digits);
  IF places BETWEEN 1 AND 25 THEN
    -- 1090377292581276.25 is as near to .2 as to .3. The server ends in the even digit, here it is the greater one: if with half a unit more the digits
    -- are the number itself, which is whole when it is moved by so many powers of two.
    scaled := value * (1::bigint << places + 1)::double precision;
    IF abs(scaled) < 9007199254740992 AND trunc(scaled) = scaled THEN
      IF (digits + sign(digits) * ('5e-' || places + 1)::numeric) * (1::bigint << places + 1) = scaled::bigint THEN
        digits := digits + sign(digits) * ('1e-' || places)::numeric;
      END IF;
    END IF;
  END IF;
  -- The server leaves out digits at the very ends of what a double stands for: 1e23, half-way to the next double, comes as 9.999999999999999e22. Only
  -- whole numbers from 2^53 up to 5^23 * 2^54 have ends with so few digits.
  IF abs(value) BETWEEN 9007199254740992 AND 1e40 THEN
    FOR zeros IN REVERSE 23..1 LOOP
      below := trunc(digits, -zeros);
      above := below + sign(digits) * ('1e' || zeros)::numeric;
      IF below::double precision = value THEN
        digits := below;
        EXIT;
      ELSIF above::double precision = value THEN
        digits := above;
        EXIT;
      END IF;
    END LOOP;
  END IF;
  RETURN digits::text;
END $$;

-- `hh:mm:ss` with only the fractional digits needed.
CREATE OR REPLACE FUNCTION odata_print_time(ticks bigint) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT lpad(odata_hour(ticks)::text, 2, '0') || ':' || lpad(odata_minute(ticks)::text, 2, '0') || ':' || lpad(odata_second(ticks)::text, 2, '0')
    || rtrim(rtrim('.' || lpad(((ticks % 10000000 + 10000000) % 10000000)::text, 7, '0'), '0'), '.')
$$;

-- `YYYY-MM-DD`; years past four digits, which no literal has, take more.
CREATE OR REPLACE FUNCTION odata_print_date(days bigint) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  year bigint := odata_date_year(days);
  digits text := abs(year)::text;
BEGIN
  RETURN CASE WHEN year < 0 THEN '-' || lpad(digits, greatest(3, length(digits)), '0') ELSE lpad(digits, greatest(4, length(digits)), '0') END
    || '-' || lpad(odata_date_month(days)::text, 2, '0') || '-' || lpad(odata_date_day(days)::text, 2, '0');
END $$;

-- `P1DT2H3M4.5S`. Parts are taken before the sign is: the smallest integer has no positive counterpart.
CREATE OR REPLACE FUNCTION odata_print_duration(ticks bigint) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  days bigint := abs(ticks / 864000000000);
  rest bigint := abs(ticks % 864000000000);
  hours bigint := rest / 36000000000;
  minutes bigint := rest / 600000000 % 60;
  seconds bigint := rest % 600000000;
BEGIN
  RETURN CASE WHEN ticks < 0 THEN '-P' ELSE 'P' END
    || CASE WHEN days > 0 THEN days || 'D' ELSE '' END
    || CASE WHEN rest > 0 OR days = 0 THEN 'T' ELSE '' END
    || CASE WHEN hours > 0 THEN hours || 'H' ELSE '' END
    || CASE WHEN minutes > 0 THEN minutes || 'M' ELSE '' END
    || CASE WHEN seconds > 0 OR rest = 0 AND days = 0
         THEN seconds / 10000000 || rtrim(rtrim('.' || lpad((seconds % 10000000)::text, 7, '0'), '0'), '.') || 'S' ELSE '' END;
END $$;

CREATE OR REPLACE FUNCTION odata_cast_text(value bigint, source text, target text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE source
    WHEN 'Edm.Boolean' THEN CASE WHEN value <> 0 THEN 'true' WHEN value = 0 THEN 'false' END
    WHEN 'Edm.Date' THEN odata_print_date(value)
    WHEN 'Edm.DateTimeOffset' THEN odata_print_date(odata_date(value)) || 'T' || odata_print_time(value) || 'Z'
    WHEN 'Edm.TimeOfDay' THEN odata_print_time(value)
    WHEN 'Edm.Duration' THEN odata_print_duration(value)
    ELSE value::text
  END
$$;

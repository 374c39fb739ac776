-- `cast` to numbers and to what is kept as one.

CREATE OR REPLACE FUNCTION odata_cast_whole(value bigint, source text, target text) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN target = 'Edm.Int64' OR target = 'Edm.Int32' AND value BETWEEN -2147483648 AND 2147483647 THEN value END
$$;

CREATE OR REPLACE FUNCTION odata_cast_whole(value double precision, source text, target text) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN value >= -9223372036854775808::double precision AND value < 9223372036854775808::double precision
    THEN odata_cast_whole(odata_whole(value), source, target) END
$$;

CREATE OR REPLACE FUNCTION odata_cast_real(value bigint, source text, target text) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT value::double precision $$;

CREATE OR REPLACE FUNCTION odata_cast_real(value double precision, source text, target text) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT nullif(value, 'NaN') $$;

CREATE OR REPLACE FUNCTION odata_cast_real(value text, source text, target text) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  -- sign, whole digits, fraction, exponent
  parts text[];
  digits text;
  point bigint;
BEGIN
  IF value COLLATE "C" IN ('INF', '-INF') THEN
    RETURN CASE value COLLATE "C" WHEN 'INF' THEN 'Infinity' ELSE '-Infinity' END;
  END IF;
  -- What is neither long nor far from 1 is in range. To take a text apart costs a hundred times as much as to look at it.
  IF length(value) <= 200 AND value COLLATE "C" ~ '^[+-]?(?:[0-9]+[.]?[0-9]*|[.][0-9]+)(?:[Ee][+-]?[0-9]{1,2})?$' THEN
    RETURN value::double precision;
  END IF;
  parts := regexp_match(value COLLATE "C", '^([+-]?)([0-9]*)(?:[.]([0-9]*))?(?:[Ee]([+-]?)0*([0-9]+))?$');
  digits := parts[2] || coalesce(parts[3], '');
  IF parts IS NULL OR digits = '' THEN
    RETURN NULL;
  END IF;
  -- As 0.digits * 10^point, without zeros at either end.
  point := length(parts[2]) + CASE WHEN length(parts[5]) > 10 THEN (parts[4] || '9999999999')::bigint ELSE coalesce(parts[4] || parts[5], '0')::bigint END
    - length(digits) + length(ltrim(digits, '0'));
  digits := trim('0' FROM digits);
  -- What is too large is infinite and what is too small zero, where the server fails.
  IF digits = '' OR point < -323 THEN
    RETURN (parts[1] || '0')::double precision;
  ELSIF point > 309 THEN
    RETURN (parts[1] || 'Infinity')::double precision;
  END IF;
  -- Half-way between two doubles there are at most 767 digits; of more it only matters that they are there.
  IF length(digits) > 800 THEN
    digits := left(digits, 800) || '1';
  END IF;
  IF point = -323 AND ('0.' || digits || 'e-323')::numeric * 404804506614621236704990693437834614099113299528284236713802716054860679135990693783920767402874248990374155728633623822779617474771586953734026799881477019843034848553132722728933815484186432682479535356945490137124014966849385397236206711298319112681620113024717539104666829230461005064372655017292012526615415482186989568 <= 1 THEN
    -- At most half of the smallest double: 2^1075 is the inverse of that.
    RETURN (parts[1] || '0')::double precision;
  ELSIF point = 309 AND ('0.' || digits || 'e309')::numeric >= 179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792 THEN
    -- At least half-way from the largest double to 2^1024.
    RETURN (parts[1] || 'Infinity')::double precision;
  END IF;
  RETURN (parts[1] || '0.' || digits || 'e' || point)::double precision;
END $$;

-- Days since 1970 of a date, null where the calendar has none.
CREATE OR REPLACE FUNCTION odata_days(year bigint, month bigint, day bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN month BETWEEN 1 AND 12 AND day BETWEEN 1 AND CASE
      WHEN month = 2 THEN 28 + (year % 4 = 0 AND (year % 100 <> 0 OR year % 400 = 0))::int
      ELSE 30 + (month + month / 8) % 2
    END
    -- Years begin in March, one period of the calendar later than they do, so that the first is not negative.
    THEN (year + 400 - (month <= 2)::int) * 365 + (year + 400 - (month <= 2)::int) / 4 - (year + 400 - (month <= 2)::int) / 100
      + (year + 400 - (month <= 2)::int) / 400 + (153 * ((month + 9) % 12) + 2) / 5 + day - 1 - 719468 - 146097
  END
$$;

-- Ticks since midnight of a text that begins as `hh:mm`, `hh:mm:ss` or `hh:mm:ss.fff`, cut to 100 ns; null where no clock shows that.
CREATE OR REPLACE FUNCTION odata_clock(value text, last_second bigint) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  hour bigint := left(value, 2);
  minute bigint := substr(value, 4, 2);
  second bigint := 0;
  fraction text := '';
BEGIN
  IF substr(value, 6, 1) = ':' THEN
    second := substr(value, 7, 2);
    IF substr(value, 9, 1) = '.' THEN
      fraction := substr(value, 10, 7);
      fraction := left(fraction, length(fraction) - length(ltrim(fraction, '0123456789')));
    END IF;
  END IF;
  IF hour < 24 AND minute < 60 AND second <= last_second THEN
    -- A leap second is the last of its minute.
    RETURN hour * 36000000000 + minute * 600000000 + least(second, 59) * 10000000 + rpad(fraction, 7, '0')::bigint;
  END IF;
  RETURN NULL;
END $$;

-- The texts are looked at as a whole and then cut where their signs are: regexp_match() would take a hundred times as long.
CREATE OR REPLACE FUNCTION odata_cast_whole(value text, source text, target text) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  days bigint;
  rest text;
  number numeric;
  letter text;
  part text;
BEGIN
  CASE target
  WHEN 'Edm.Boolean' THEN
    RETURN CASE value COLLATE "C" WHEN 'true' THEN 1 WHEN 'false' THEN 0 END;
  WHEN 'Edm.Int32', 'Edm.Int64' THEN
    IF value COLLATE "C" ~ '^[+-]?0*[0-9]{1,19}$' THEN
      number := value::numeric;
    END IF;
    IF number BETWEEN -9223372036854775808 AND 9223372036854775807 THEN
      RETURN odata_cast_whole(number::bigint, source, target);
    END IF;
  WHEN 'Edm.Date' THEN
    IF value COLLATE "C" ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' THEN
      RETURN odata_days(left(value, 4)::bigint, substr(value, 6, 2)::bigint, substr(value, 9, 2)::bigint);
    END IF;
  WHEN 'Edm.TimeOfDay' THEN
    IF value COLLATE "C" ~ '^[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.][0-9]+)?)?$' THEN
      RETURN odata_clock(value, 59);
    END IF;
  WHEN 'Edm.DateTimeOffset' THEN
    IF value COLLATE "C" ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.][0-9]+)?)?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})?$' THEN
      days := odata_days(left(value, 4)::bigint, substr(value, 6, 2)::bigint, substr(value, 9, 2)::bigint);
      number := days::numeric * 864000000000 + odata_clock(substr(value, 12), 60);
      rest := right(value, 6);
      -- Elsewhere there is no sign six characters from the end.
      IF left(rest, 1) IN ('+', '-') THEN
        number := number - odata_clock(substr(rest, 2), 59) * (left(rest, 1) || '1')::numeric;
      END IF;
      -- The years 0000 to 9999.
      IF number BETWEEN -621672192000000000 AND 2534023007999999999 THEN
        RETURN number;
      END IF;
    END IF;
  WHEN 'Edm.Duration' THEN
    rest := upper(value COLLATE "C");
    -- Numbers past 19 digits are too large in every unit.
    IF rest COLLATE "C" ~ '^[+-]?P(?:0*[0-9]{1,19}D)?(?:T(?:0*[0-9]{1,19}H)?(?:0*[0-9]{1,19}M)?(?:0*[0-9]{1,19}(?:[.][0-9]+)?S)?)?$'
      AND right(rest, 1) NOT IN ('P', 'T')
    THEN
      number := 0;
      rest := replace(ltrim(rest, '+-P'), 'T', '');
      FOREACH letter IN ARRAY '{D,H,M,S}'::text[] LOOP
        IF strpos(rest, letter) > 0 THEN
          part := split_part(rest, letter, 1);
          number := number + rpad(left(split_part(part, '.', 2), 7), 7, '0')::numeric
            + split_part(part, '.', 1)::numeric
            * CASE letter WHEN 'D' THEN 864000000000 WHEN 'H' THEN 36000000000 WHEN 'M' THEN 600000000 ELSE 10000000 END;
          rest := split_part(rest, letter, 2);
        END IF;
      END LOOP;
      IF number <= 9223372036854775807 THEN
        RETURN CASE WHEN left(value, 1) = '-' THEN -number ELSE number END;
      END IF;
    END IF;
  ELSE
    NULL;
  END CASE;
  RETURN NULL;
END $$;

-- Whole numbers: the operators cut towards zero and raise 22012 and 22003 themselves.
CREATE OR REPLACE FUNCTION odata_int_div(dividend bigint, divisor bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT dividend / divisor $$;

CREATE OR REPLACE FUNCTION odata_int_mod(dividend bigint, divisor bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT dividend % divisor $$;

-- Quotients that the operator refuses, since they are infinite, too large or too small, or a division by zero.
CREATE OR REPLACE FUNCTION odata_real_div_far(dividend double precision, divisor double precision) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  a double precision := abs(dividend);
  b double precision := abs(divisor);
  -- Zero has a sign as well, which only its bytes tell.
  negative boolean := (get_byte(float8send(dividend), 0) >= 128) <> (get_byte(float8send(divisor), 0) >= 128);
  infinity double precision := CASE WHEN negative THEN '-Infinity' ELSE 'Infinity' END;
BEGIN
  IF dividend = 'NaN' OR divisor = 'NaN' OR a = 0 AND b = 0 OR a = 'Infinity' AND b = 'Infinity' THEN
    RETURN NULL;
  ELSIF b = 0 OR a = 'Infinity' THEN
    RETURN infinity;
  ELSIF a = 0 OR b = 'Infinity' THEN
    RETURN CASE WHEN negative THEN '-0'::double precision ELSE 0 END;
  ELSIF b < 1 THEN
    -- Above 2^1000, both sides are moved by 2^537, without loss, so that the quotient is there and rounded as it would be: is it 2^1024?
    IF a > b * 1.0715086071862673e301 AND (a * 2.2227587494850775e-162) / (b * 4.4989137945431964e161) >= 8.881784197001252e-16 THEN
      RETURN infinity;
    END IF;
  ELSIF a < b * 9.332636185032189e-302 AND (a * 4.4989137945431964e161) / (b * 2.5026038689788762e-147) <= 4.440892098500626e-16 THEN
    -- Below 2^-1000, likewise, by 2^537 and 2^-487: at most half of the smallest double, 2^-1074, is zero.
    RETURN CASE WHEN negative THEN '-0'::double precision ELSE 0 END;
  END IF;
  RETURN dividend / divisor;
END $$;

-- Not STRICT, as are others whose body is a CASE: STRICT would keep it from being laid into the statement.
CREATE OR REPLACE FUNCTION odata_real_div(dividend double precision, divisor double precision) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN abs(divisor) BETWEEN 1e-140 AND 1e140 AND (dividend = 0 OR abs(dividend) BETWEEN 1e-140 AND 1e140) THEN dividend / divisor
    ELSE odata_real_div_far(dividend, divisor)
  END
$$;

-- There is no remainder of doubles, and `numeric` keeps 15 digits of one. Each step here is exact.
CREATE OR REPLACE FUNCTION odata_real_mod(dividend double precision, divisor double precision) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  rest double precision := abs(dividend);
  step double precision := abs(divisor);
  least double precision := step;
BEGIN
  IF divisor = 0 THEN
    RAISE division_by_zero;
  ELSIF dividend = 'NaN' OR divisor = 'NaN' OR rest = 'Infinity' THEN
    RETURN NULL;
  ELSIF rest < step THEN
    RETURN dividend;
  END IF;
  IF rest < 9e15 AND trunc(rest) = rest AND trunc(step) = step THEN
    rest := (rest::bigint % step::bigint)::double precision;
  ELSE
    -- The largest power of two times the divisor that is in the rest, and from there downwards.
    WHILE step <= rest - step LOOP
      step := step + step;
    END LOOP;
    LOOP
      IF rest >= step THEN
        rest := rest - step;
      END IF;
      EXIT WHEN step = least OR rest = 0;
      step := step / 2;
    END LOOP;
  END IF;
  -- The sign is the dividend's, of zero too.
  RETURN CASE WHEN dividend < 0 THEN -rest ELSE rest END;
END $$;

CREATE OR REPLACE FUNCTION odata_round(number bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT number $$;

-- round() takes halves to the even number, and adding a half would lift 0.49999999999999994 to 1.
CREATE OR REPLACE FUNCTION odata_round(number double precision) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN number = 'NaN' THEN NULL
    WHEN abs(number - trunc(number)) >= 0.5 THEN trunc(number) + sign(number)
    ELSE trunc(number)
  END
$$;

CREATE OR REPLACE FUNCTION odata_floor(number bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT number $$;

CREATE OR REPLACE FUNCTION odata_floor(number double precision) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT nullif(floor(number), 'NaN') $$;

CREATE OR REPLACE FUNCTION odata_ceiling(number bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT number $$;

CREATE OR REPLACE FUNCTION odata_ceiling(number double precision) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT nullif(ceil(number), 'NaN') $$;

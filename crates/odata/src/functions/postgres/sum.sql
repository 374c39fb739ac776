-- A result of whole numbers that may have passed 64 bits, as one of 64 bits: raises 22003 if it has.
CREATE OR REPLACE FUNCTION odata_narrow(value numeric) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT value::bigint $$;

-- The value of a double, exactly: `numeric` of a double keeps 15 digits of it. A double is a whole number of 53 bits and a power of two, which its bits tell;
-- 2^-n is 5^n / 10^n. An infinity, which no sum can have, raises 22003.
CREATE OR REPLACE FUNCTION odata_exact_of_bits(value double precision) RETURNS numeric
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  bits bigint;
  exponent integer;
  digits numeric;
BEGIN
  IF abs(value) = 'Infinity' OR value = 'NaN' THEN
    RAISE numeric_value_out_of_range;
  END IF;
  bits := ('x' || encode(float8send(value), 'hex'))::bit(64)::bigint;
  exponent := (bits >> 52) & 2047;
  digits := (bits & 4503599627370495) + CASE WHEN exponent > 0 THEN 4503599627370496 ELSE 0 END;
  IF bits < 0 THEN
    digits := -digits;
  END IF;
  exponent := greatest(exponent, 1) - 1075;
  IF exponent >= 0 THEN
    RETURN digits * power(2::numeric, exponent::numeric);
  END IF;
  RETURN digits * power(5::numeric, -exponent::numeric) * ('1e' || exponent)::numeric;
END $$;

-- The same, as an expression that the server inlines. From 2^-10 on (0.0009765625) the last bit of a double is at least 2^-62, so 2^62 times the fraction is a
-- whole number of 64 bits. None of these is STRICT, because the server does not inline a STRICT function with a CASE.
CREATE OR REPLACE FUNCTION odata_exact(value double precision) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN abs(value) < 9e15 AND trunc(value) = value THEN value::bigint::numeric
    WHEN abs(value) < 9e15 AND abs(value) >= 0.0009765625 THEN trunc(value)::bigint + ((value - trunc(value)) * 4611686018427387904)::bigint * 0.00000000000000000021684043449710088680149056017398834228515625
    ELSE odata_exact_of_bits(value)
  END
$$;

-- The same in three parts that are added up on their own: sums of 64-bit numbers are faster than those of numeric. The remainder is a value beyond 9e15 or below
-- 2^-10. The whole part is the nearest whole number, which the cast returns without a call of `trunc`.
CREATE OR REPLACE FUNCTION odata_whole_part(value double precision) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN value < 9e15 AND value > -9e15 THEN value::bigint END
$$;
-- 0 beyond 9e15, where doubles have no fraction.
CREATE OR REPLACE FUNCTION odata_fraction(value double precision) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN value >= 0.0009765625 OR value <= -0.0009765625 THEN ((value - round(value)) * 4611686018427387904)::bigint
  END
$$;
CREATE OR REPLACE FUNCTION odata_remainder(value double precision) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN value >= 0.0009765625 AND value < 9e15 OR value = 0 OR value <= -0.0009765625 AND value > -9e15 THEN NULL
    ELSE odata_exact_of_bits(value)
  END
$$;

-- The sum of the three sums; null without a value.
CREATE OR REPLACE FUNCTION odata_total(whole_part numeric, fraction numeric, remainder numeric) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN whole_part IS NULL AND remainder IS NULL THEN NULL
    ELSE coalesce(whole_part, 0) + coalesce(fraction, 0) * 0.00000000000000000021684043449710088680149056017398834228515625 + coalesce(remainder, 0)
  END
$$;

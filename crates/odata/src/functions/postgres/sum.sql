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

-- The same, as an expression that the server inlines: most values are whole numbers, or whole multiples of 2^-46, and need no call. It is not STRICT,
-- because the server does not inline a STRICT function with a CASE.
CREATE OR REPLACE FUNCTION odata_exact(value double precision) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN abs(value) < 9e15 AND trunc(value) = value THEN value::bigint::numeric
    WHEN CASE WHEN abs(value) < 65536 THEN trunc(value * 70368744177664) = value * 70368744177664 END THEN (value * 70368744177664)::bigint * 0.0000000000000142108547152020037174224853515625
    ELSE odata_exact_of_bits(value)
  END
$$;

-- Daily rollups of values, each made from the hourly ones of its day (store::values::rollups).

-- The watermark: the start of a day. Every hourly rollup before it is in one of its day, which may be stale.
ALTER TABLE datasources ADD COLUMN days_rolled_up_until bigint NOT NULL DEFAULT (-9223372036854775808);

CREATE TABLE value_day_rollups (
    datasource_id bigint NOT NULL REFERENCES datasources (id) ON DELETE CASCADE,
    -- The instant at which it begins, in UTC.
    day bigint NOT NULL,
    -- Its hourly rollups changed since it was made.
    is_stale bigint NOT NULL DEFAULT 0 CHECK (is_stale IN (0, 1)),
    row_count bigint NOT NULL DEFAULT 0,
    -- Rows with a number.
    value_count bigint NOT NULL DEFAULT 0,
    -- The exact sum.
    total numeric,
    least double precision,
    greatest double precision,
    PRIMARY KEY (datasource_id, day)
);
CREATE INDEX value_day_rollups_stale ON value_day_rollups (datasource_id, day) WHERE is_stale = 1;

-- Any change of an hourly rollup marks its day as stale. Triggers and not the program do it, since processes of
-- an earlier version, which know no days, may change hours during an upgrade.
CREATE FUNCTION value_day_rollups_hours_changed() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    INSERT INTO value_day_rollups (datasource_id, day, is_stale)
    SELECT DISTINCT d.id, h.hour - ((h.hour % 864000000000) + 864000000000) % 864000000000, 1
    FROM changed AS h JOIN datasources AS d ON d.id = h.datasource_id AND d.days_rolled_up_until > h.hour
    ON CONFLICT (datasource_id, day) DO UPDATE SET is_stale = 1 WHERE value_day_rollups.is_stale = 0;
    RETURN NULL;
END $$;
CREATE TRIGGER value_day_rollups_hours_inserted AFTER INSERT ON value_rollups
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION value_day_rollups_hours_changed();
CREATE TRIGGER value_day_rollups_hours_updated AFTER UPDATE ON value_rollups
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION value_day_rollups_hours_changed();
CREATE TRIGGER value_day_rollups_hours_deleted AFTER DELETE ON value_rollups
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION value_day_rollups_hours_changed();

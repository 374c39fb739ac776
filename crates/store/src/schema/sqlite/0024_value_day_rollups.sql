-- Daily rollups of values, each made from the hourly ones of its day (store::values::rollups).

-- The watermark: the start of a day. Every hourly rollup before it is in one of its day, which may be stale.
ALTER TABLE datasources ADD COLUMN days_rolled_up_until INTEGER NOT NULL DEFAULT -9223372036854775808;

CREATE TABLE value_day_rollups (
    datasource_id INTEGER NOT NULL REFERENCES datasources (id) ON DELETE CASCADE,
    -- The instant at which it begins, in UTC.
    day INTEGER NOT NULL,
    -- Its hourly rollups changed since it was made.
    is_stale INTEGER NOT NULL DEFAULT 0 CHECK (is_stale IN (0, 1)),
    row_count INTEGER NOT NULL DEFAULT 0,
    -- Rows with a number.
    value_count INTEGER NOT NULL DEFAULT 0,
    -- The exact sum.
    total TEXT,
    least REAL,
    greatest REAL,
    PRIMARY KEY (datasource_id, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX value_day_rollups_stale ON value_day_rollups (datasource_id, day) WHERE is_stale = 1;

-- Any change of an hourly rollup marks its day as stale. Triggers and not the program do it, since processes of
-- an earlier version, which know no days, may change hours during an upgrade.
CREATE TRIGGER value_day_rollups_hours_inserted AFTER INSERT ON value_rollups BEGIN
    INSERT INTO value_day_rollups (datasource_id, day, is_stale)
    SELECT d.id, NEW.hour - ((NEW.hour % 864000000000) + 864000000000) % 864000000000, 1
    FROM datasources AS d WHERE d.id = NEW.datasource_id AND d.days_rolled_up_until > NEW.hour
    ON CONFLICT (datasource_id, day) DO UPDATE SET is_stale = 1 WHERE is_stale = 0;
END;
CREATE TRIGGER value_day_rollups_hours_updated AFTER UPDATE ON value_rollups BEGIN
    INSERT INTO value_day_rollups (datasource_id, day, is_stale)
    SELECT d.id, NEW.hour - ((NEW.hour % 864000000000) + 864000000000) % 864000000000, 1
    FROM datasources AS d WHERE d.id = NEW.datasource_id AND d.days_rolled_up_until > NEW.hour
    ON CONFLICT (datasource_id, day) DO UPDATE SET is_stale = 1 WHERE is_stale = 0;
END;
CREATE TRIGGER value_day_rollups_hours_deleted AFTER DELETE ON value_rollups BEGIN
    INSERT INTO value_day_rollups (datasource_id, day, is_stale)
    SELECT d.id, OLD.hour - ((OLD.hour % 864000000000) + 864000000000) % 864000000000, 1
    FROM datasources AS d WHERE d.id = OLD.datasource_id AND d.days_rolled_up_until > OLD.hour
    ON CONFLICT (datasource_id, day) DO UPDATE SET is_stale = 1 WHERE is_stale = 0;
END;

-- Values summed up by hour of UTC, from which groups by longer periods are made. The program makes them later
-- (store::values::rollups); whoever writes values marks the hours that change.

-- The values before this instant (the start of an hour) are summed up, except those of stale hours.
ALTER TABLE datasources ADD COLUMN rolled_up_until INTEGER NOT NULL DEFAULT -9223372036854775808;

-- The change_counter of the last change that marked its hours. Another counter moves without this one where a program of an earlier
-- version writes values, or an operator: then no sum counts, until the program drops them all and begins again.
ALTER TABLE datasources ADD COLUMN marked_counter INTEGER NOT NULL DEFAULT -1;

CREATE TABLE value_rollups (
    datasource_id INTEGER NOT NULL REFERENCES datasources (id) ON DELETE CASCADE,
    -- The instant at which it begins.
    hour INTEGER NOT NULL,
    -- Its values changed since they were summed up.
    is_stale INTEGER NOT NULL DEFAULT 0 CHECK (is_stale IN (0, 1)),
    row_count INTEGER NOT NULL DEFAULT 0,
    -- Those with a number.
    value_count INTEGER NOT NULL DEFAULT 0,
    -- The exact sum.
    total TEXT,
    least REAL,
    greatest REAL,
    PRIMARY KEY (datasource_id, hour)
) STRICT, WITHOUT ROWID;
CREATE INDEX value_rollups_stale ON value_rollups (datasource_id, hour) WHERE is_stale = 1;

-- Hourly rollups of values. The program makes them in the background (store::values::rollups); whoever writes
-- values marks those of their hours as stale.

-- The watermark: the start of an hour. All values before it are in a rollup, which may be stale.
ALTER TABLE datasources ADD COLUMN rolled_up_until bigint NOT NULL DEFAULT (-9223372036854775808);

-- The change_counter of the last change that marked rollups. A program of an earlier version, or an operator,
-- moves change_counter alone: no rollup is read then, until the program drops them all and begins again.
ALTER TABLE datasources ADD COLUMN marked_counter bigint NOT NULL DEFAULT (-1);

CREATE TABLE value_rollups (
    datasource_id bigint NOT NULL REFERENCES datasources (id) ON DELETE CASCADE,
    -- The instant at which it begins, in UTC.
    hour bigint NOT NULL,
    -- Its values changed since it was made.
    is_stale bigint NOT NULL DEFAULT 0 CHECK (is_stale IN (0, 1)),
    row_count bigint NOT NULL DEFAULT 0,
    -- Rows with a number.
    value_count bigint NOT NULL DEFAULT 0,
    -- The exact sum.
    total numeric,
    least double precision,
    greatest double precision,
    PRIMARY KEY (datasource_id, hour)
);
CREATE INDEX value_rollups_stale ON value_rollups (datasource_id, hour) WHERE is_stale = 1;

-- Earlier imports brought stamps along without marking them as given out (store/stamp.rs): this does it.
UPDATE stamps SET last = (
    SELECT max(at) FROM (
        SELECT last AS at FROM stamps
        UNION ALL SELECT max(last_modified) FROM incidents
        UNION ALL SELECT max(last_modified) FROM improvements
        UNION ALL SELECT max(registration_date) FROM datasource_values
    ) AS given
);

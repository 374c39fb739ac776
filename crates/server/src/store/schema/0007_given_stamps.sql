-- Records that came in with stamps of their own before imports took them for given out (store/stamp.rs): now they are.
UPDATE stamps SET last = (
    SELECT max(at) FROM (
        SELECT last AS at FROM stamps
        UNION ALL SELECT max(last_modified) FROM incidents
        UNION ALL SELECT max(last_modified) FROM improvements
        UNION ALL SELECT max(registration_date) FROM datasource_values
    ) AS given
);

-- Counters of ids where the table itself cannot count: the values of datasources are clustered by their date,
-- and no engine gives such a table a sequence. The largest id ever given or brought in stands here, so that
-- none is given twice, not even that of a value that is gone. See store/values/ids.rs.
CREATE TABLE counters (
    name text COLLATE "C" PRIMARY KEY NOT NULL,
    last bigint NOT NULL
);
INSERT INTO counters (name, last) SELECT 'datasource_values', max(id) FROM datasource_values HAVING max(id) IS NOT NULL;

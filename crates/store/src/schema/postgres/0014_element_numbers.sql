-- An element of a datasource has a number, which is its id on the wire. The column id has its key there: the
-- text that was its id before.
ALTER TABLE datasource_elements ADD COLUMN number bigint NOT NULL DEFAULT 0;

-- A text that is a positive int32 keeps it.
UPDATE datasource_elements SET number = CAST(id AS bigint)
WHERE CASE WHEN id ~ '^[1-9][0-9]{0,9}$' THEN CAST(id AS bigint) <= 2147483647 ELSE false END;

-- The others take the smallest numbers that are free, in their order.
UPDATE datasource_elements SET number = f.number
FROM (SELECT datasource_id, id, row_number() OVER (PARTITION BY datasource_id ORDER BY sort_order, id) AS place
      FROM datasource_elements WHERE number = 0) AS o
JOIN (SELECT c.datasource_id, c.number, row_number() OVER (PARTITION BY c.datasource_id ORDER BY c.number) AS place
      FROM (SELECT datasource_id, row_number() OVER (PARTITION BY datasource_id ORDER BY id) AS number FROM datasource_elements) AS c
      WHERE NOT EXISTS (SELECT 1 FROM datasource_elements AS e WHERE e.datasource_id = c.datasource_id AND e.number = c.number)) AS f
    ON f.datasource_id = o.datasource_id AND f.place = o.place
WHERE datasource_elements.datasource_id = o.datasource_id AND datasource_elements.id = o.id;

CREATE UNIQUE INDEX datasource_elements_by_number ON datasource_elements (datasource_id, number);

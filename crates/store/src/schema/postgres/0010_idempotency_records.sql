-- A request under an Idempotency-Key is remembered without the record that it was answered with: a repeated
-- one is answered from the record as it is then. So a key takes the same room whatever was written, and what
-- is changed, or made anonymous, is not kept here as it was.

-- The id of the record that the answer showed. A body is kept only where an answer tells nothing of a record,
-- such as how many values were added. The keys of a client are numbered as they come: the last number less
-- the first tells how many there are. Those from before share a number.
ALTER TABLE answers ADD COLUMN record_id bigint, ADD COLUMN ordinal bigint NOT NULL DEFAULT 0;
UPDATE answers SET record_id = (body::json ->> 'id')::bigint, body = NULL WHERE body LIKE '{"id":%';
CREATE INDEX answers_by_client ON answers (client_id, ordinal, operation, key);

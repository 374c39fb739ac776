-- The answers to requests that carried an Idempotency-Key, so that the same request sent again gets the same
-- answer and changes nothing.
--
-- A row is written in the transaction of the change it answers: there is never one without the other.

CREATE TABLE answers (
    -- Whose key it is, and for which operation: other clients and operations have keys of their own.
    client_id   TEXT    NOT NULL,
    operation   TEXT    NOT NULL,
    key         TEXT    NOT NULL,
    -- SHA-256 of what was asked, in base64url: another request under the same key is a mistake of the
    -- caller's.
    fingerprint TEXT    NOT NULL,
    -- NULL where the answer has no body.
    body        TEXT,
    -- 100 ns ticks since 1970-01-01T00:00Z; one day later the row counts for nothing.
    answered_at INTEGER NOT NULL,
    PRIMARY KEY (client_id, operation, key)
) STRICT;

-- The purge takes the oldest.
CREATE INDEX answers_by_age ON answers (answered_at);

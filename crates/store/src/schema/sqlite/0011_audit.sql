-- The audit log: one entry for each accepted write, in the transaction of that write. store/src/audit says
-- what an entry has, and how its hash is computed.

CREATE TABLE audit_entries (
    -- Counts from 1, without gaps. Retention removes entries from the beginning only.
    number INTEGER PRIMARY KEY,
    -- 100 ns ticks since 1970-01-01T00:00Z.
    at INTEGER NOT NULL,
    -- NULL where the command line or the service itself made the change.
    client_id TEXT,
    address TEXT,
    operation TEXT NOT NULL,
    -- Its path, such as incidents/17; NULL where the change is not about one record or one set.
    record TEXT,
    request_id TEXT,
    -- The change as JSON, and the random text that is digested before it, so that nobody can guess an erased
    -- change from its digest. Both are NULL once the text was erased.
    change TEXT,
    salt TEXT,
    -- SHA-256 of salt and change, in hexadecimal. It stays when the text is erased, so the chain stays whole.
    digest TEXT,
    -- SHA-256 of the hash before it and of this entry, in hexadecimal.
    hash TEXT NOT NULL
) STRICT;

-- Nothing of an entry changes, except that its text can be erased.
CREATE TRIGGER audit_entries_unchanged BEFORE UPDATE ON audit_entries
WHEN new.change IS NOT NULL OR new.salt IS NOT NULL OR new.number <> old.number OR new.at <> old.at
    OR new.client_id IS NOT old.client_id OR new.address IS NOT old.address OR new.operation <> old.operation
    OR new.record IS NOT old.record OR new.request_id IS NOT old.request_id OR new.digest IS NOT old.digest
    OR new.hash <> old.hash
BEGIN
    SELECT RAISE(ABORT, 'an entry of the audit log cannot be changed');
END;

-- Refused token requests and refused access tokens, by address and minute. Not part of the log.
CREATE TABLE refused_tokens (
    -- Minutes since 1970-01-01T00:00Z.
    minute INTEGER NOT NULL,
    address TEXT NOT NULL,
    requests INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    PRIMARY KEY (minute, address)
) STRICT, WITHOUT ROWID;

-- The audit log: one entry for each accepted write, in the transaction of that write. store/src/audit says
-- what an entry has, and how its hash is computed.

CREATE TABLE audit_entries (
    -- Counts from 1, without gaps: the writer lock makes writers take turns. Retention removes entries from
    -- the beginning only.
    number bigint PRIMARY KEY,
    -- 100 ns ticks since 1970-01-01T00:00Z.
    at bigint NOT NULL,
    -- NULL where the command line or the service itself made the change.
    client_id text COLLATE "C",
    address text COLLATE "C",
    operation text COLLATE "C" NOT NULL,
    -- Its path, such as incidents/17; NULL where the change is not about one record or one set.
    record text COLLATE "C",
    request_id text COLLATE "C",
    -- The change as JSON, and the random text that is digested before it, so that nobody can guess an erased
    -- change from its digest. Both are NULL once the text was erased.
    change text COLLATE "C",
    salt text COLLATE "C",
    -- SHA-256 of salt and change, in hexadecimal. It stays when the text is erased, so the chain stays whole.
    digest text COLLATE "C",
    -- SHA-256 of the hash before it and of this entry, in hexadecimal.
    hash text COLLATE "C" NOT NULL
);

-- Links an entry to the one before it. One function, so that no client has to wait for the hash before its own.
CREATE FUNCTION obeya_audit_hash(previous text, entry text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT encode(sha256(convert_to(previous || entry, 'UTF8')), 'hex')
$$;

-- Nothing of an entry changes, except that its text can be erased.
CREATE FUNCTION obeya_audit_unchanged() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.change IS NOT NULL OR NEW.salt IS NOT NULL
        OR (NEW.number, NEW.at, NEW.client_id, NEW.address, NEW.operation, NEW.record, NEW.request_id, NEW.digest, NEW.hash)
            IS DISTINCT FROM
            (OLD.number, OLD.at, OLD.client_id, OLD.address, OLD.operation, OLD.record, OLD.request_id, OLD.digest, OLD.hash)
    THEN
        RAISE EXCEPTION 'an entry of the audit log cannot be changed';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER audit_entries_unchanged BEFORE UPDATE ON audit_entries
    FOR EACH ROW EXECUTE FUNCTION obeya_audit_unchanged();

-- Refused token requests and refused access tokens, by address and minute. Not part of the log.
CREATE TABLE refused_tokens (
    -- Minutes since 1970-01-01T00:00Z.
    minute bigint NOT NULL,
    address text COLLATE "C" NOT NULL,
    requests bigint NOT NULL,
    tokens bigint NOT NULL,
    PRIMARY KEY (minute, address)
);

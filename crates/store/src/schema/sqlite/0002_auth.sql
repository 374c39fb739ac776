-- Who may call, and the keys their tokens are signed with.

CREATE TABLE clients (
    id          TEXT    NOT NULL PRIMARY KEY,
    name        TEXT    NOT NULL,
    -- argon2id in PHC form; the secret itself is never stored.
    secret_hash TEXT    NOT NULL,
    -- Granted scopes, separated by single spaces.
    scopes      TEXT    NOT NULL,
    -- Instants are 100 ns ticks since 1970-01-01T00:00Z.
    created_at  INTEGER NOT NULL,
    revoked_at  INTEGER
);

-- A revoked client stays, so that its tokens can be refused until they expire; every process polls this short
-- list.
CREATE INDEX clients_revoked ON clients (revoked_at) WHERE revoked_at IS NOT NULL;

CREATE TABLE signing_keys (
    kid         TEXT    NOT NULL PRIMARY KEY,
    -- PKCS#8 DER of a P-384 private key, in standard base64.
    private_key TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    -- No token signed with the key is accepted from here on; NULL while it is in use.
    expires_at  INTEGER
);

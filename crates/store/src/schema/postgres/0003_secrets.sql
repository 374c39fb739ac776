-- Secrets of the service's own that every process over this store shares and that outlive it.

CREATE TABLE secrets (
    -- What it is for, such as 'next-links'.
    name  text COLLATE "C" NOT NULL PRIMARY KEY,
    -- Random bytes in base64url.
    value text COLLATE "C" NOT NULL
);

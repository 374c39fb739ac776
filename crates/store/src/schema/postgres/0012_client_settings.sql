-- What an operator can set for a client, and its previous secret while the new one is distributed.

-- As secret_hash; accepted until previous_secret_expires_at.
ALTER TABLE clients ADD COLUMN previous_secret_hash text COLLATE "C";
ALTER TABLE clients ADD COLUMN previous_secret_expires_at bigint;
-- From here on the client is refused; NULL: never.
ALTER TABLE clients ADD COLUMN expires_at bigint;
-- The networks from which it may call, in CIDR notation, separated by single spaces; NULL: all.
ALTER TABLE clients ADD COLUMN networks text COLLATE "C";
-- At most rate_requests requests in rate_seconds; both NULL: no limit of its own.
ALTER TABLE clients ADD COLUMN rate_requests bigint;
ALTER TABLE clients ADD COLUMN rate_seconds bigint;

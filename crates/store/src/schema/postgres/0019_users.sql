-- Users as the operations on them show and change them.

ALTER TABLE users ADD COLUMN first_name text COLLATE "C";
ALTER TABLE users ADD COLUMN last_name text COLLATE "C";
ALTER TABLE users ADD COLUMN screen_name text COLLATE "C";
ALTER TABLE users ADD COLUMN use_ad bigint NOT NULL DEFAULT 0 CHECK (use_ad IN (0, 1));
ALTER TABLE users ADD COLUMN type text COLLATE "C" NOT NULL DEFAULT 'NORMAL' CHECK (type IN ('NORMAL', 'MOBILE', 'SCREEN'));
ALTER TABLE users ADD COLUMN business_unit_id bigint;
ALTER TABLE users ADD COLUMN external_id text COLLATE "C";
-- A JSON array of texts.
ALTER TABLE users ADD COLUMN roles text COLLATE "C" NOT NULL DEFAULT '[]';
-- When the user was deleted. The row stays, because records go on showing who it was.
ALTER TABLE users ADD COLUMN deleted_date bigint;

-- The number of a user in the search index, which knows records by integers. It is made of the id (store/search.rs).
CREATE TABLE user_numbers (
    number bigint PRIMARY KEY,
    user_id text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX user_numbers_by_user ON user_numbers (user_id);
CREATE TABLE users_search (
    rowid bigint PRIMARY KEY,
    document text COLLATE "C" NOT NULL,
    words text[] COLLATE "C" NOT NULL GENERATED ALWAYS AS (obeya_words(document)) STORED
);
CREATE INDEX users_search_by_word ON users_search USING gin (words);

-- Every user, deleted or not.
CREATE VIEW user_records AS
SELECT u.id, u.user_name, u.display_name, u.email, u.azure_ad_object_id, u.first_name, u.last_name, u.screen_name, u.use_ad, u.type,
       CAST(CASE u.type WHEN 'SCREEN' THEN 1 ELSE 0 END AS bigint) AS is_info_screen_user,
       CAST(CASE u.type WHEN 'MOBILE' THEN 1 ELSE 0 END AS bigint) AS is_mobile_user,
       u.business_unit_id, u.external_id, u.roles, u.deleted_date
FROM users AS u;

CREATE VIEW live_users AS
SELECT u.id, u.user_name, u.email, u.first_name, u.last_name, u.display_name, u.external_id, u.type, u.business_unit_id, n.number
FROM users AS u
LEFT JOIN user_numbers AS n ON n.user_id = u.id
WHERE u.deleted_date IS NULL;

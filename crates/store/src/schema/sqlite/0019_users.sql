-- Users as the operations on them show and change them.

ALTER TABLE users ADD COLUMN first_name TEXT;
ALTER TABLE users ADD COLUMN last_name TEXT;
ALTER TABLE users ADD COLUMN screen_name TEXT;
ALTER TABLE users ADD COLUMN use_ad INTEGER NOT NULL DEFAULT 0 CHECK (use_ad IN (0, 1));
ALTER TABLE users ADD COLUMN type TEXT NOT NULL DEFAULT 'NORMAL' CHECK (type IN ('NORMAL', 'MOBILE', 'SCREEN'));
ALTER TABLE users ADD COLUMN business_unit_id INTEGER;
ALTER TABLE users ADD COLUMN external_id TEXT;
-- A JSON array of texts.
ALTER TABLE users ADD COLUMN roles TEXT NOT NULL DEFAULT '[]';
-- When the user was deleted. The row stays, because records go on showing who it was.
ALTER TABLE users ADD COLUMN deleted_date INTEGER;

-- The number of a user in the search index, which knows records by integers. It is made of the id (store/search.rs).
CREATE TABLE user_numbers (
    number INTEGER PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE
) STRICT;
CREATE UNIQUE INDEX user_numbers_by_user ON user_numbers (user_id);
CREATE VIRTUAL TABLE users_search USING fts5(document, content='', contentless_delete=1, tokenize='ascii');

-- Every user, deleted or not.
CREATE VIEW user_records AS
SELECT u.id, u.user_name, u.display_name, u.email, u.azure_ad_object_id, u.first_name, u.last_name, u.screen_name, u.use_ad, u.type,
       CASE u.type WHEN 'SCREEN' THEN 1 ELSE 0 END AS is_info_screen_user,
       CASE u.type WHEN 'MOBILE' THEN 1 ELSE 0 END AS is_mobile_user,
       u.business_unit_id, u.external_id, u.roles, u.deleted_date
FROM users AS u;

CREATE VIEW live_users AS
SELECT u.id, u.user_name, u.email, u.first_name, u.last_name, u.display_name, u.external_id, u.type, u.business_unit_id, n.number
FROM users AS u
LEFT JOIN user_numbers AS n ON n.user_id = u.id
WHERE u.deleted_date IS NULL;

-- What a member may do in a group, and the id of a user in the directory of a plant.
ALTER TABLE group_members ADD COLUMN role text COLLATE "C" NOT NULL DEFAULT 'Member' CHECK (role IN ('Member', 'Viewer', 'Owner'));
ALTER TABLE users ADD COLUMN azure_ad_object_id text COLLATE "C";

CREATE OR REPLACE VIEW group_users AS
SELECT m.group_id, u.id, u.user_name, u.display_name, u.email, m.role, u.azure_ad_object_id
FROM group_members AS m
JOIN users AS u ON u.id = m.user_id;

-- The records to which a client is restricted, such as area=3 or datasource=12, separated by single spaces;
-- NULL: all that its scopes allow.
ALTER TABLE clients ADD COLUMN grants TEXT;

-- The incidents of a group, which is all that a client sees that is restricted to the group.
CREATE INDEX incidents_by_reporting_group ON incidents (reported_by_group_id) WHERE reported_by_group_id IS NOT NULL;
CREATE INDEX incidents_by_follow_up_group ON incidents (follow_up_group_id) WHERE follow_up_group_id IS NOT NULL;

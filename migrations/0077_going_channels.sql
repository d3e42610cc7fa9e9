-- Connections whose deletion has begun: what is interrupted goes on by the schedule. Milliseconds since the epoch.
ALTER TABLE channels ADD COLUMN removed_at INTEGER;
CREATE INDEX channels_going ON channels (removed_at) WHERE removed_at IS NOT NULL;

-- When somebody has to look at a stream of a webhook; nothing where nothing is owed. Set in the very transaction in which something happens
-- that it may have to be told, or in which a try failed: the schedule finds what is due, whatever became of the queue's job.

ALTER TABLE webhook_streams ADD COLUMN due_at INTEGER;
CREATE INDEX webhook_streams_due ON webhook_streams (due_at) WHERE due_at IS NOT NULL;

-- What was under way.
UPDATE webhook_streams SET due_at = 0 WHERE again = 1 OR leased_until > 0 OR EXISTS (
  SELECT 1 FROM webhook_deliveries AS waiting WHERE waiting.tenant_id = webhook_streams.tenant_id
    AND waiting.name = webhook_streams.name AND waiting.root_id = webhook_streams.root_id AND waiting.status = 'pending');

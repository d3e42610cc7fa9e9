-- What happens in memories: ids alone, noted in the very write in which it happens.

CREATE TABLE memory_events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant_id TEXT NOT NULL,
  memory_id TEXT NOT NULL,
  type TEXT NOT NULL,
  data TEXT NOT NULL,
  -- Milliseconds since the epoch.
  at INTEGER NOT NULL
);
CREATE INDEX memory_events_of_memory ON memory_events (tenant_id, memory_id, seq);
CREATE INDEX memory_events_by_age ON memory_events (at);

CREATE TRIGGER memory_event_entry_added AFTER INSERT ON entries
WHEN new.deleted_at IS NULL BEGIN
  INSERT INTO memory_events (tenant_id, memory_id, type, data, at)
    SELECT new.tenant_id, memory_id, iif(new.supersedes IS NULL, 'memory.entry_added', 'memory.entry_corrected'),
      json_patch('{}', json_object('memoryId', memory_id, 'entryId', new.entry_id, 'threadId', nullif(new.thread_id, ''),
        'supersedes', new.supersedes)), CAST(unixepoch('subsec') * 1000 AS INTEGER)
    FROM memories WHERE key = new.memory_key;
END;
CREATE TRIGGER memory_event_entry_erased AFTER UPDATE OF deleted_at ON entries
WHEN old.deleted_at IS NULL AND new.deleted_at IS NOT NULL BEGIN
  INSERT INTO memory_events (tenant_id, memory_id, type, data, at)
    SELECT new.tenant_id, memory_id, 'memory.entry_erased', json_object('memoryId', memory_id, 'entryId', new.entry_id),
      CAST(unixepoch('subsec') * 1000 AS INTEGER)
    FROM memories WHERE key = new.memory_key;
END;
CREATE TRIGGER memory_event_context_written AFTER INSERT ON contexts BEGIN
  INSERT INTO memory_events (tenant_id, memory_id, type, data, at)
    SELECT new.tenant_id, memory_id, 'memory.context_written', json_object('memoryId', memory_id, 'version', new.version),
      CAST(unixepoch('subsec') * 1000 AS INTEGER)
    FROM memories WHERE key = new.memory_key;
END;
CREATE TRIGGER memory_event_flush_failed AFTER INSERT ON memory_dead_letters BEGIN
  INSERT INTO memory_events (tenant_id, memory_id, type, data, at)
    VALUES (new.tenant_id, new.memory_id, 'memory.flush_failed',
      json_object('memoryId', new.memory_id, 'threadId', new.thread_id, 'deadLetterId', new.dead_letter_id),
      CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;

-- All webhooks that name such events are owed a look at it: the schedule finds what is due.
CREATE TRIGGER memory_event_owed AFTER INSERT ON memory_events BEGIN
  INSERT INTO webhook_streams (tenant_id, name, root_id, leased_until, again, due_at)
    SELECT tenant_id, name, new.memory_id, 0, 1, new.at FROM webhooks
    WHERE tenant_id = new.tenant_id AND status = 'active' AND body LIKE '%"memory.%'
    ON CONFLICT DO UPDATE SET again = 1, due_at = MIN(COALESCE(due_at, excluded.due_at), excluded.due_at);
END;

CREATE TRIGGER memory_events_gone AFTER DELETE ON memories BEGIN
  DELETE FROM memory_events WHERE tenant_id = old.tenant_id AND memory_id = old.memory_id;
  DELETE FROM webhook_deliveries WHERE tenant_id = old.tenant_id AND root_id = old.memory_id;
  DELETE FROM webhook_streams WHERE tenant_id = old.tenant_id AND root_id = old.memory_id;
END;

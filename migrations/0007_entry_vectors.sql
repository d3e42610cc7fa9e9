-- Vectors of entries, where a tenant has an embedding provider; and the entries that still have to get one.

CREATE TABLE entry_vectors (
  entry_key INTEGER PRIMARY KEY REFERENCES entries (key) ON DELETE CASCADE,
  -- Vectors of different models can't be compared.
  model TEXT NOT NULL,
  -- A direction, as one signed byte for each dimension: a quarter of the room, and the order of likenesses hardly changes.
  vector BLOB NOT NULL
);

CREATE TABLE entry_vectors_due (
  entry_key INTEGER PRIMARY KEY REFERENCES entries (key) ON DELETE CASCADE,
  memory_key INTEGER NOT NULL REFERENCES memories (key) ON DELETE CASCADE
);
CREATE INDEX entry_vectors_due_by_memory ON entry_vectors_due (memory_key, entry_key);

-- Expired entries are erased by the housekeeping.
CREATE INDEX entries_by_expiry ON entries (expires_at) WHERE expires_at IS NOT NULL AND deleted_at IS NULL;

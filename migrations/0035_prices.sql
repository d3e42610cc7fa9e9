-- What calls of models cost: the deployment's tables of prices. A row is never changed: usage names the version that it was priced by.
CREATE TABLE prices (
  version INTEGER PRIMARY KEY AUTOINCREMENT,
  -- Milliseconds since the epoch: work that ends from then on is priced by it.
  valid_from INTEGER NOT NULL,
  currency TEXT NOT NULL,
  -- JSON, by the model's name.
  models TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- JSON: kind, id.
  author TEXT NOT NULL,
  -- The key that it came with, and what tells whether that came with the same request.
  request_key TEXT UNIQUE,
  request_hash TEXT
);

-- As they were when the row was written. Money in millionths of a unit of the currency; NULL where nobody had said what the model costs.
ALTER TABLE usage ADD COLUMN cached_input_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE usage ADD COLUMN cache_write_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE usage ADD COLUMN reasoning_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE usage ADD COLUMN money INTEGER;
ALTER TABLE usage ADD COLUMN price_version INTEGER;
-- How the work ended; NULL of work that older versions ended.
ALTER TABLE usage ADD COLUMN status TEXT;

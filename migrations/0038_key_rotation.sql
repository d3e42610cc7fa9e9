-- The exchange of SEALING_SECRET, for each key that everything was sealed under anew: how far it is.
CREATE TABLE reseals (
  key_id TEXT PRIMARY KEY,
  begun_at INTEGER NOT NULL,
  -- JSON [place, key of its last row]; the next slice begins behind it. NULL at the beginning of a pass.
  cursor TEXT,
  -- What the pass that runs has found under other keys: after one that found nothing it is finished.
  found INTEGER NOT NULL DEFAULT 0,
  resealed INTEGER NOT NULL DEFAULT 0,
  -- Of the last whole pass, or of the one that runs: sealed texts that no key opens.
  unopened INTEGER NOT NULL DEFAULT 0,
  finished_at INTEGER
) WITHOUT ROWID;

-- When a key stops to count, and the hour in which it last did; milliseconds since the epoch.
ALTER TABLE keys ADD COLUMN expires_at INTEGER;
ALTER TABLE keys ADD COLUMN last_used_at INTEGER;

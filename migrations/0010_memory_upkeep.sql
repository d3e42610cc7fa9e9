-- Which entry corrects another one: asked for when that is deleted.
CREATE INDEX entries_by_corrected ON entries (memory_key, supersedes) WHERE supersedes IS NOT NULL;

-- Vectorize, where it is bound. Whether it has a vector: 0 not yet, 1 it may have (it is being told), 2 it has.
ALTER TABLE entry_vectors ADD COLUMN told INTEGER NOT NULL DEFAULT 0;
CREATE INDEX entry_vectors_untold ON entry_vectors (entry_key) WHERE told < 2;
-- Vectors that it may still have of entries that are gone. Told a second time after an hour: what was under way then has arrived.
CREATE TABLE entry_vectors_gone (
  entry_key INTEGER PRIMARY KEY,
  told INTEGER NOT NULL DEFAULT 0,
  gone_at INTEGER NOT NULL
);
CREATE TRIGGER entry_vector_gone AFTER DELETE ON entry_vectors WHEN old.told > 0 BEGIN
  INSERT INTO entry_vectors_gone (entry_key, gone_at) VALUES (old.entry_key, unixepoch() * 1000)
    ON CONFLICT DO UPDATE SET told = 0, gone_at = excluded.gone_at;
END;

-- What each item of a context rests on, in the order of the document's items; a list of another length: nobody knows.
ALTER TABLE contexts ADD COLUMN origins TEXT NOT NULL DEFAULT '[]';
-- Entries that a version took in and holds no longer, since an item that rested on them went with a deleted one.
ALTER TABLE contexts ADD COLUMN forgotten TEXT NOT NULL DEFAULT '{"entries":[]}';
CREATE INDEX contexts_forgetful ON contexts (memory_key, version) WHERE forgotten <> '{"entries":[]}';
-- Who vouches for an entry: the actor that wrote it, as JSON. Entries of the version before have none.
ALTER TABLE entries ADD COLUMN vouched_by TEXT;

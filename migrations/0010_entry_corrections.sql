-- Which entry corrects another one: asked for when that is deleted.
CREATE INDEX entries_by_corrected ON entries (memory_key, supersedes) WHERE supersedes IS NOT NULL;

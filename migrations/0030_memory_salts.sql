-- What the digests in the record of a memory's supervision are salted with: made with its first pass, gone with the memory.

ALTER TABLE memories ADD COLUMN salt TEXT;

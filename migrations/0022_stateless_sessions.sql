-- Sessions that were made for one turn: no list shows them, and housekeeping forgets those that were left behind.
ALTER TABLE sessions ADD COLUMN stateless INTEGER NOT NULL DEFAULT 0;
CREATE INDEX stateless_sessions ON sessions (updated_at) WHERE stateless = 1;

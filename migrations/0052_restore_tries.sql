-- How often an interrupted restore was tried again, and why it failed last: after a number of tries it is given up, and shown.
ALTER TABLE restores ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;
ALTER TABLE restores ADD COLUMN failure TEXT;

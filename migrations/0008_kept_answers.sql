-- What an answer is about: the path of its request, and of what it made. Whatever is deleted takes the answers about it along.

ALTER TABLE idempotency ADD COLUMN about TEXT NOT NULL DEFAULT '';

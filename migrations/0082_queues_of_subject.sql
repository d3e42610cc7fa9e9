-- Queues of the inbox that go by an end user are counted by what is open alone.
CREATE INDEX asks_open_of_subject ON asks (tenant_id, subject, ask_id) WHERE status = 'open' AND subject IS NOT NULL;

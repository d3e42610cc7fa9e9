-- Jobs that fail again and again: /health warns of what was told of them within a day.
CREATE INDEX limit_events_of_failing ON limit_events (at) WHERE type = 'job.failing';

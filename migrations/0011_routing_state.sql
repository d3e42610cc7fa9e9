-- What teams remember is forgotten by age, at each decision and each release: found without reading what stays.

CREATE INDEX routing_turns_by_age ON routing_turns (tenant_id, team, created_at);
CREATE INDEX routing_turns_idle ON routing_turns (tenant_id, created_at);
CREATE INDEX worker_claims_by_age ON worker_claims (tenant_id, expires_at);

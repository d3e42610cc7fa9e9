-- The audit by type, decision, actor and end user. Passes in which all allowed, which nearly all rows are, stand in none of these.
CREATE INDEX audit_by_type ON audit (tenant_id, type, at) WHERE type <> 'supervision';
CREATE INDEX audit_by_decision ON audit (tenant_id, decision, at) WHERE decision <> 'allow';
CREATE INDEX audit_by_actor ON audit (tenant_id, json_extract(actor, '$.id'), at) WHERE actor IS NOT NULL;
CREATE INDEX audit_by_actors_subject ON audit (tenant_id, json_extract(actor, '$.subject'), at)
WHERE json_extract(actor, '$.subject') IS NOT NULL;

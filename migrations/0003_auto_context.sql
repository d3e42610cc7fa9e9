-- Rules and references that come into force by themselves when a message is like them.

ALTER TABLE resource_heads ADD COLUMN auto INTEGER NOT NULL DEFAULT 0;

UPDATE resource_heads SET auto = 1
WHERE deleted = 0 AND kind IN ('rules', 'references') AND EXISTS (
  SELECT 1 FROM resource_versions v
  WHERE v.tenant_id = resource_heads.tenant_id AND v.kind = resource_heads.kind
    AND v.name = resource_heads.name AND v.version = resource_heads.version
    AND json_extract(v.body, '$.include') = 'auto');

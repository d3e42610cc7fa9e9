-- Whether work ended with a supervisor's failure in it that let something through; NULL of work that older versions ended.
ALTER TABLE usage ADD COLUMN degraded INTEGER;
-- What webhooks gave up, to be counted without reading all that was ever sent.
CREATE INDEX webhook_deliveries_parked ON webhook_deliveries (tenant_id, name) WHERE status = 'parked';

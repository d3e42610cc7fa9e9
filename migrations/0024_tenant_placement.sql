-- Where a tenant's objects are made and stay. `placed` is set before the first of them is asked for: from then on the jurisdiction can't
-- change, because the same name in another one is another object.

ALTER TABLE tenants ADD COLUMN jurisdiction TEXT;
ALTER TABLE tenants ADD COLUMN placed INTEGER NOT NULL DEFAULT 0;

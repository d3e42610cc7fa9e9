-- Where several databases share an index of vectors, those of all but the first have ids of their own in it from now on: they are told anew.
UPDATE entry_vectors SET told = 0 WHERE told > 0 AND entry_key IN (SELECT key FROM entries WHERE substr(tenant_id, 1, 5) = 'ten_d');

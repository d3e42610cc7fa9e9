-- A text is overwritten where it stands before its row goes: SQLite frees the bytes of what is deleted and keeps what stood in them. As many
-- ones are written in place: a number, where what is in a body is indexed. Entries, which triggers of their own index, see to it in their statements.
CREATE TRIGGER tenants_overwritten BEFORE DELETE ON tenants BEGIN
  UPDATE tenants SET name = replace(hex(zeroblob(length(CAST(name AS BLOB)))), '00', '1'),
    settings = replace(hex(zeroblob(length(CAST(settings AS BLOB)))), '00', '1')
    WHERE tenant_id = old.tenant_id;
END;
CREATE TRIGGER keys_overwritten BEFORE DELETE ON keys BEGIN
  UPDATE keys SET label = replace(hex(zeroblob(length(CAST(label AS BLOB)))), '00', '1')
    WHERE key_id = old.key_id;
END;
CREATE TRIGGER resource_versions_overwritten BEFORE DELETE ON resource_versions BEGIN
  UPDATE resource_versions SET body = replace(hex(zeroblob(length(CAST(body AS BLOB)))), '00', '1')
    WHERE tenant_id = old.tenant_id AND kind = old.kind AND name = old.name AND version = old.version;
END;
CREATE TRIGGER sessions_overwritten BEFORE DELETE ON sessions BEGIN
  UPDATE sessions SET body = replace(hex(zeroblob(length(CAST(body AS BLOB)))), '00', '1')
    WHERE tenant_id = old.tenant_id AND session_id = old.session_id;
END;
CREATE TRIGGER runs_overwritten BEFORE DELETE ON runs BEGIN
  UPDATE runs SET body = replace(hex(zeroblob(length(CAST(body AS BLOB)))), '00', '1')
    WHERE tenant_id = old.tenant_id AND run_id = old.run_id;
END;
CREATE TRIGGER roundtables_overwritten BEFORE DELETE ON roundtables BEGIN
  UPDATE roundtables SET body = replace(hex(zeroblob(length(CAST(body AS BLOB)))), '00', '1')
    WHERE tenant_id = old.tenant_id AND roundtable_id = old.roundtable_id;
END;
CREATE TRIGGER asks_overwritten BEFORE DELETE ON asks BEGIN
  UPDATE asks SET body = replace(hex(zeroblob(length(CAST(body AS BLOB)))), '00', '1')
    WHERE tenant_id = old.tenant_id AND ask_id = old.ask_id;
END;
CREATE TRIGGER vaults_overwritten BEFORE DELETE ON vaults BEGIN
  UPDATE vaults SET title = replace(hex(zeroblob(length(CAST(title AS BLOB)))), '00', '1')
    WHERE tenant_id = old.tenant_id AND vault_id = old.vault_id;
END;
CREATE TRIGGER memories_overwritten BEFORE DELETE ON memories BEGIN
  UPDATE memories SET body = replace(hex(zeroblob(length(CAST(body AS BLOB)))), '00', '1')
    WHERE key = old.key;
END;
CREATE TRIGGER contexts_overwritten BEFORE DELETE ON contexts BEGIN
  UPDATE contexts SET document = replace(hex(zeroblob(length(CAST(document AS BLOB)))), '00', '1'),
    origins = replace(hex(zeroblob(length(CAST(origins AS BLOB)))), '00', '1'),
    forgotten = replace(hex(zeroblob(length(CAST(forgotten AS BLOB)))), '00', '1')
    WHERE memory_key = old.memory_key AND version = old.version;
END;
CREATE TRIGGER tool_results_overwritten BEFORE DELETE ON tool_results BEGIN
  UPDATE tool_results SET arguments = replace(hex(zeroblob(length(CAST(arguments AS BLOB)))), '00', '1'),
    content = replace(hex(zeroblob(length(CAST(content AS BLOB)))), '00', '1')
    WHERE tenant_id = old.tenant_id AND tool = old.tool AND arguments_hash = old.arguments_hash;
END;
CREATE TRIGGER channels_overwritten BEFORE DELETE ON channels BEGIN
  UPDATE channels SET body = replace(hex(zeroblob(length(CAST(body AS BLOB)))), '00', '1')
    WHERE channel_id = old.channel_id;
END;
CREATE TRIGGER webhooks_overwritten BEFORE DELETE ON webhooks BEGIN
  UPDATE webhooks SET body = replace(hex(zeroblob(length(CAST(body AS BLOB)))), '00', '1')
    WHERE tenant_id = old.tenant_id AND name = old.name;
END;

-- People who sign in to the console, the links that let them in, their sessions there, and their passkeys.

CREATE TABLE people (
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  person_id TEXT NOT NULL,
  name TEXT NOT NULL,
  -- In lower case.
  email TEXT NOT NULL,
  role TEXT NOT NULL,
  -- invited, active or suspended.
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_seen_at INTEGER,
  -- Who vouches for them elsewhere, and under which name; of Cloudflare Access the team's address.
  issuer TEXT,
  issuer_subject TEXT,
  PRIMARY KEY (tenant_id, person_id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX people_by_email ON people (tenant_id, email);
CREATE UNIQUE INDEX people_by_issuer ON people (tenant_id, issuer, issuer_subject) WHERE issuer IS NOT NULL;

-- Links that are used once: the SHA-256 of their code.
CREATE TABLE invitations (
  code_hash TEXT NOT NULL PRIMARY KEY,
  tenant_id TEXT NOT NULL,
  person_id TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER,
  FOREIGN KEY (tenant_id, person_id) REFERENCES people (tenant_id, person_id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX invitations_of_person ON invitations (tenant_id, person_id);
CREATE INDEX invitations_by_end ON invitations (expires_at);

-- The SHA-256 of what the cookie holds.
CREATE TABLE console_sessions (
  session_hash TEXT NOT NULL PRIMARY KEY,
  tenant_id TEXT NOT NULL,
  person_id TEXT NOT NULL,
  -- link, passkey or access.
  method TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  FOREIGN KEY (tenant_id, person_id) REFERENCES people (tenant_id, person_id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX console_sessions_of_person ON console_sessions (tenant_id, person_id);
CREATE INDEX console_sessions_by_end ON console_sessions (expires_at);

CREATE TABLE passkeys (
  credential_id TEXT NOT NULL PRIMARY KEY,
  tenant_id TEXT NOT NULL,
  person_id TEXT NOT NULL,
  -- SPKI, in base64url.
  public_key TEXT NOT NULL,
  -- As COSE numbers it: -7 or -257.
  algorithm INTEGER NOT NULL,
  sign_count INTEGER NOT NULL,
  label TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  FOREIGN KEY (tenant_id, person_id) REFERENCES people (tenant_id, person_id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX passkeys_of_person ON passkeys (tenant_id, person_id);

-- Challenges that were answered: none counts twice.
CREATE TABLE used_challenges (
  challenge_hash TEXT NOT NULL PRIMARY KEY,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX used_challenges_by_end ON used_challenges (expires_at);

-- Whose Cloudflare Access an audience is.
CREATE INDEX tenants_by_audience ON tenants (json_extract(settings, '$.access.audience'))
  WHERE json_extract(settings, '$.access.audience') IS NOT NULL;

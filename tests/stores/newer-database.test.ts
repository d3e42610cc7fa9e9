/** Back to the version before, of the database: this code meets one in which a later migration has added columns, a table and a trigger. */
import { env } from "cloudflare:workers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { newTenant, send } from "../support/conclave.js";
import { secondDatabase } from "../support/databases.js";
import { newMemory } from "../support/memory.js";

/** Tables that a tenant's work writes to. */
const tables = [
  "tenants",
  "keys",
  "resource_versions",
  "resource_heads",
  "sessions",
  "asks",
  "audit",
  "memories",
  "entries",
];
const added = "of_a_later_version";

const databases = [env.DB, secondDatabase()];

beforeAll(async () => {
  for (const db of databases) await bringFurther(db);
});

afterAll(async () => {
  for (const db of databases) await bringBack(db);
});

async function bringFurther(db: D1Database): Promise<void> {
  await db.batch([
    db.prepare(`CREATE TABLE ${added} (tenant_id TEXT NOT NULL)`),
    db.prepare(`INSERT INTO d1_migrations (name) VALUES ('9999_${added}.sql')`),
    ...tables.map((table) => db.prepare(`ALTER TABLE ${table} ADD COLUMN ${added} TEXT NOT NULL DEFAULT 'later'`)),
    db.prepare(`CREATE TRIGGER ${added}_noted AFTER INSERT ON sessions BEGIN
      INSERT INTO ${added} (tenant_id) VALUES (new.tenant_id); END`),
  ]);
}

async function bringBack(db: D1Database): Promise<void> {
  await db.batch([
    db.prepare(`DROP TRIGGER ${added}_noted`),
    db.prepare(`DROP TABLE ${added}`),
    db.prepare(`DELETE FROM d1_migrations WHERE name = '9999_${added}.sql'`),
    ...tables.map((table) => db.prepare(`ALTER TABLE ${table} DROP COLUMN ${added}`)),
  ]);
}

it("it reads and writes as before, and /health says that the database has more than it knows", async () => {
  const health = await send("GET", "/health");
  expect(health.status).toBe(200);
  const { schema } = await health.json<{ schema: { have: number; want: number } }>();
  expect(schema.have).toBe(schema.want + 1);

  const tenant = await newTenant({ strict: true });
  const model = await tenant.agent("clerk");
  await model.reply({ text: "Hello.", repeat: true });
  const session = await tenant.session({ agent: "clerk" });
  expect((await tenant.say(session, "Hello?")).status).toBe("completed");
  await expect.poll(async () => (await tenant.call("GET", "/v1/sessions")).body.items).toHaveLength(1);
  await tenant.put("rules", "calm", { text: "Be calm." });
  await tenant.put("rules", "calm", { text: "Be calmer." });
  expect((await tenant.call("GET", "/v1/rules/calm")).body).toMatchObject({ version: 2, text: "Be calmer." });
  const memory = await newMemory("offline", tenant);
  expect((await tenant.call("POST", `${memory.path}/entries`, { rawEntry: "A dog." })).status).toBe(201);
  expect((await tenant.call("GET", `${memory.path}/entries`)).body.items).toHaveLength(1);
  const { items } = (await tenant.call("GET", "/v1/keys")).body;
  expect(Object.keys(items[0])).not.toContain(added);
  expect((await tenant.call("DELETE", `/v1/sessions/${session}`)).status).toBe(204);
});

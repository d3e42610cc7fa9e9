/** What a turn leaves in D1, in bytes of values: `npm run simulate` and docs/deployment.md reckon with it, and say that it was counted here. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { AuditArchive } from "../../src/stores/archive/audit-archive.js";
import { addUpUsage } from "../../src/stores/usage-hours.js";
import figures from "../../tools/turn-figures.json" with { type: "json" };
import { atRest } from "../support/at-rest.js";
import { newTenant } from "../support/conclave.js";

const turns = 10;
/** Of the rows of so many turns a segment is made. */
const archivedTurns = 500;

async function bytesOf(table: string, tenantId: string): Promise<number> {
  const { results } = await env.DB.prepare("SELECT name FROM pragma_table_info(?)").bind(table).all<{ name: string }>();
  const sum = results.map(({ name }) => `COALESCE(LENGTH(CAST(${name} AS BLOB)), 0)`).join(" + ");
  const all = `SELECT COALESCE(SUM(${sum}), 0) AS n FROM ${table} WHERE tenant_id = ?`;
  return Number(await env.DB.prepare(all).bind(tenantId).first("n"));
}

/** As long, and as random as what stands there: what is the same there is the same here. Ids begin with their time. */
function another(text: string, known: Map<string, string>): string {
  return text.replace(/[0-9a-f]{64}|(?<=_)[0-9a-z]{26}/g, (found) => {
    const [radix, same] = found.length === 64 ? [16, 0] : [32, 10];
    const random = Array.from({ length: found.length - same }, () => Math.floor(Math.random() * radix).toString(radix));
    const made = known.get(found) ?? found.slice(0, same) + random.join("");
    known.set(found, made);
    return made;
  });
}

it("a session of ten turns leaves as many bytes for each as the figures say, before its audit is archived and after", async () => {
  const tenant = await newTenant();
  const { tenantId } = tenant;
  await tenant.rules("privacy", [{ match: { type: "personalData" }, action: "redact", reason: "personal" }]);
  const model = await tenant.agent("assistant", { supervisors: ["privacy"] });
  await model.reply({ text: "It is on its way.", repeat: true });
  const before = await bytesOf("audit", tenantId);
  const session = await tenant.session();
  for (let turn = 0; turn < turns; turn++) await tenant.say(session, "Where is my parcel?");
  await atRest(tenant.object(session));
  const fresh = ((await bytesOf("audit", tenantId)) - before) / turns;
  const week = (await bytesOf("usage", tenantId)) / turns;
  // Within one hour, wherever the test began.
  await env.DB.prepare("UPDATE usage SET at = at - at % 3600000 WHERE tenant_id = ?").bind(tenantId).run();
  await addUpUsage(env.DB, Date.now() + 9 * 86_400_000, Date.now);
  const kept = ((await bytesOf("usage", tenantId)) + (await bytesOf("sessions", tenantId))) / turns;

  const passes =
    "SELECT at, turn_id, hook, body FROM audit WHERE tenant_id = ? AND type = 'supervision' ORDER BY at LIMIT 2";
  const { results } = await env.DB.prepare(passes)
    .bind(tenantId)
    .all<{ at: number; turn_id: string; hook: string; body: string }>();
  const begun = Date.now() - 86_400_000;
  let [inSession, inTurn] = [new Map<string, string>(), new Map<string, string>()];
  const rows = Array.from({ length: archivedTurns * 2 }, (_, at) => {
    if (at % (2 * turns) === 0) inSession = new Map();
    if (at % 2 === 0) inTurn = new Map();
    const { turn_id = "", hook = "", body = "" } = results[at % 2] ?? {};
    const ids = [another(session, inSession), at, begun + at * 1_000, another(turn_id, inTurn)];
    return [...ids, hook, another(body, inTurn)];
  });
  await env.DB.prepare(
    `INSERT INTO audit (tenant_id, owner_id, revision, at, turn_id, hook, decision, body)
      SELECT ?, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, 'allow', value ->> 5 FROM json_each(?)`,
  )
    .bind(tenantId, JSON.stringify(rows))
    .run();
  await new AuditArchive(env.DB).pack(tenantId, Date.now());
  const archived = (await bytesOf("audit_segments", tenantId)) / archivedTurns;

  expect(kept + archived, "what a turn of long ago takes in D1").toBeLessThanOrEqual(300);
  const counted = { freshBytes: fresh, weekBytes: week, keptBytes: kept, archivedBytes: archived };
  for (const [name, bytes] of Object.entries(counted)) {
    const most = { ...figures }[name as keyof typeof counted];
    expect(bytes, JSON.stringify(counted)).toBeLessThanOrEqual(most);
    // A figure that is far too large isn't true either.
    expect(bytes, JSON.stringify(counted)).toBeGreaterThan(most * 0.8);
  }
});

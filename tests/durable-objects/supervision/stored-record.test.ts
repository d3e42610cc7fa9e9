/** What a session and the audit store of a pass is short, says all that is shown, and is shown like what versions before stored. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { z } from "zod";
import { storedStateSchema } from "../../../src/supervision/stored-state.js";
import { atRest } from "../../support/at-rest.js";
import { auditAbout } from "../../support/audit.js";
import { newTenant, type TestTenant } from "../../support/conclave.js";
import { rowsOf } from "../../support/objects.js";
import { passes } from "./support.js";

afterEach(() => void vi.useRealTimers());

const names = Array.from({ length: 10 }, (_, at) => `rules-${at}`);

/** A turn of which nine of ten supervisors allow both texts, and the fourth redacts the message. */
async function supervisedTurn(tenant: TestTenant): Promise<string> {
  const rule = (phrase: string) => [{ match: { type: "phrases", phrases: [phrase] }, action: "redact", reason: "no" }];
  await Promise.all(names.map((name) => tenant.rules(name, rule(name === "rules-3" ? "rosebud" : "4711"))));
  const model = await tenant.agent("assistant", { supervisors: names });
  await model.reply({ text: "It is a sledge." });
  const session = await tenant.session();
  // On Cloudflare the clock stands still while nothing comes in; here it doesn't by itself.
  vi.setSystemTime(Date.now());
  await tenant.say(session, "What is rosebud?");
  vi.useRealTimers();
  await atRest(tenant.object(session));
  return session;
}

async function storedIn(tenant: TestTenant, session: string): Promise<string[]> {
  const rows = await rowsOf(tenant.object(session), "SELECT state FROM passes ORDER BY seq");
  return rows.map(({ state }) => z.string().parse(state));
}

async function auditBodies(tenant: TestTenant): Promise<string[]> {
  const { results } = await env.DB.prepare("SELECT body FROM audit WHERE tenant_id = ? AND type = 'supervision'")
    .bind(tenant.tenantId)
    .all();
  return results.map(({ body }) => z.string().parse(body));
}

/** The same records with a step for each supervisor, as every version before stored them. */
async function storeAsBefore(tenant: TestTenant, session: string): Promise<void> {
  const asBefore = (text: string): string => JSON.stringify(storedStateSchema.parse(JSON.parse(text)));
  await runInDurableObject(tenant.object(session), (_instance, { storage: { sql } }) => {
    for (const { seq, state } of sql.exec<{ seq: number; state: string }>("SELECT seq, state FROM passes").toArray())
      sql.exec("UPDATE passes SET state = ? WHERE seq = ?", asBefore(state), seq);
  });
  for (const body of await auditBodies(tenant)) {
    const partial = storedStateSchema.partial().parse(JSON.parse(body));
    await env.DB.prepare("UPDATE audit SET body = ? WHERE tenant_id = ? AND body = ?")
      .bind(JSON.stringify(partial), tenant.tenantId, body)
      .run();
  }
}

it("a pass of ten supervisors is stored in less than 900 bytes, and shown with a step for each in the session and in the audit", async () => {
  const tenant = await newTenant();
  const session = await supervisedTurn(tenant);
  const [request, response, ...more] = await storedIn(tenant, session);
  expect(more).toEqual([]);
  expect(JSON.parse(request ?? "")).toMatchObject({
    steps: [
      { supervisor: "rules-0", action: "allow", repeatedBy: ["rules-1", "rules-2"] },
      { supervisor: "rules-3", action: "modify" },
      // The first three look again at what the fourth made of it.
      { supervisor: "rules-4", action: "allow", repeatedBy: [...names.slice(5), ...names.slice(0, 3)] },
    ],
  });
  expect(response?.length).toBeLessThan(900);
  const bodies = await auditBodies(tenant);
  expect(Math.min(...bodies.map((body) => body.length))).toBeLessThan(600);

  const shown = await passes(tenant, session);
  const audited = await auditAbout(tenant, "supervision");
  const digest = expect.stringMatching(/^[0-9a-f]{64}$/);
  const step = { beforeHash: digest, afterHash: digest, latencyMs: 0, mode: "enforce" };
  expect(shown).toMatchObject([
    {
      decision: "modify",
      steps: [...names, ...names.slice(0, 3)].map((supervisor) =>
        supervisor === "rules-3"
          ? { supervisor, action: "modify", reasons: ["no"], ...step }
          : { supervisor, action: "allow", reasons: [], ...step },
      ),
    },
    { decision: "allow", steps: names.map((supervisor) => ({ supervisor, action: "allow", reasons: [], ...step })) },
  ]);
  expect(JSON.stringify([shown, audited])).not.toContain("repeatedBy");
  const stepsOf = (rows: readonly { readonly steps?: unknown }[]) => rows.map(({ steps }) => steps);
  expect(stepsOf(audited)).toEqual(stepsOf(shown));

  await storeAsBefore(tenant, session);
  expect((await storedIn(tenant, session)).join("")).not.toContain("repeatedBy");
  expect((await auditBodies(tenant)).join("")).not.toContain("repeatedBy");
  expect(await passes(tenant, session)).toEqual(shown);
  expect(await auditAbout(tenant, "supervision")).toEqual(audited);
});

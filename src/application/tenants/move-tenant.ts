/** Move a tenant to another database of the deployment: a part with each call, until it lives there. Killed anywhere it goes on. */
import { z } from "zod";
import { type ActorRecord, recordOf } from "../../conversation/actor-record.js";
import { problem } from "../../conversation/problem.js";
import { act } from "../act.js";
import { everywhere, servicesAt } from "../home.js";
import type { Services } from "../services.js";
import { findTenant } from "./tenant-view.js";

const statuses = ["copying", "copied", "settling", "removing", "moved"] as const;

/** How long a call works, in milliseconds. */
const workMs = 10_000;
/** How long what an older version still runs may take to go, before it is missed. */
const settleMs = 60_000;

export const moveTenant = act("moveTenant", {
  role: "deployment",
  route: {
    method: "post",
    path: "/v1/admin/tenants/{tenantId}/move",
    tag: "Tenants and keys",
    summary: "Move a tenant to another database, a part with each call",
    description:
      "`npm run databases -- move` does all of it. Each call copies for some seconds: while `status` is `copying`, call again. From the first call on the tenant's callers hear 503 with `Retry-After`. Once it is `copied`, a deployment tells the Worker where it lives, and it is open again. What is called then takes the old rows away: `settling` for a minute, `removing`, `moved`.",
    body: "move",
    answer: "How far it is",
    answerName: "TenantMove",
  },
  input: () => z.object({ tenantId: z.string().max(100), move: z.strictObject({ to: z.int().min(0) }) }),
  output: () =>
    z.object({
      ...{ tenantId: z.string(), from: z.int(), to: z.int(), status: z.enum(statuses) },
      rows: z.int().optional().describe("Copied so far."),
      retryAfterSeconds: z.int().optional().describe("When to call again."),
    }),
  run: async (actor, { tenantId, move: { to } }, services) => {
    const tenant = await findTenant(tenantId, services);
    if (!services.databases.includes(to)) throw wrong(`there are ${services.databases.join(", ")}`);
    if (services.database === to) return takeAway(tenantId, recordOf(actor), services);
    const law = services.databaseJurisdictions.get(to);
    if (law !== undefined && law !== tenant.jurisdiction) throw wrong(`lies under another law, ${law}`);
    const moves = await services.moves();
    const begun = await moves.of(tenantId);
    if (begun !== undefined && begun.status !== "moved" && begun.to !== to)
      throw problem("conflict", `This tenant is on its way to database ${begun.to}. Let it arrive there first.`);
    const other = await moves.begin(tenantId, to);
    if (other !== undefined)
      throw problem(
        "conflict",
        `${other} is on its way from the same database. Let it arrive first: one goes at a time.`,
      );
    const of = { tenantId, from: services.database, to };
    const target = servicesAt(to, services).db;
    const until = services.now() + workMs;
    for (;;) {
      const { rows, isWhole } = await moves.copy(tenantId, target);
      if (isWhole) await moves.become(tenantId, "copied");
      if (isWhole || services.now() >= until) return { ...of, rows, status: isWhole ? "copied" : "copying" };
    }
  },
});

/** It lives where it is to: what is left elsewhere goes, once nobody looks for it there any more. */
async function takeAway(tenantId: string, by: ActorRecord, services: Services) {
  for (const old of everywhere(services)) {
    if (old.database === services.database) continue;
    const moves = await old.moves();
    const move = await moves.of(tenantId);
    if (move === undefined || move.to !== services.database || move.status === "moved") continue;
    const of = { tenantId, from: old.database, to: services.database };
    if (move.status === "leaving")
      throw problem("conflict", "It isn't copied yet, and this version looks for it there.");
    if (move.status === "copied") await moves.become(tenantId, "settling");
    await (await services.moves()).settle(tenantId, by);
    const since = move.status === "copied" ? services.now() : move.at;
    const left = since + settleMs - services.now();
    if (move.status !== "removing" && left > 0)
      return { ...of, status: "settling" as const, retryAfterSeconds: Math.ceil(left / 1_000) };
    await moves.become(tenantId, "removing");
    const until = services.now() + workMs;
    while (await moves.remove(tenantId)) if (services.now() >= until) return { ...of, status: "removing" as const };
    await moves.open(tenantId);
    return { ...of, status: "moved" as const };
  }
  return { tenantId, from: services.database, to: services.database, status: "moved" as const };
}

function wrong(message: string) {
  return problem("invalid", "The tenant can't be moved there.", { errors: [{ path: "move.to", message }] });
}

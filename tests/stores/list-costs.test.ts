/** What a list costs a tenant with many things, where a filter leaves few of them. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { AskIndex } from "../../src/stores/ask-index.js";
import { RoundtableIndex } from "../../src/stores/roundtable-index.js";
import { RunIndex } from "../../src/stores/run-index.js";
import { SessionIndex } from "../../src/stores/session-index.js";
import { newTenant } from "../support/conclave.js";
import { numberedRows } from "../support/numbered-rows.js";
import { recordedDb } from "../support/recorded-db.js";

const many = 300;

/** A row for each thing. */
const fill = numberedRows(many);

it("of another end user, agent, team or state no row is read", async () => {
  const { tenantId } = await newTenant();
  const of = "'{}', 1, 'subject-' || n, 'external-' || n, 'kind-' || n, 'status-' || n";
  const columns = "body, revision, subject, external_id";
  await env.DB.batch([
    fill(
      "sessions",
      `session_id, created_at, updated_at, ${columns}, agent, status`,
      `'ses_' || n, 1, 1, ${of}`,
      tenantId,
    ),
    fill("runs", `run_id, ${columns}, team, status`, `'run_' || n, ${of}`, tenantId),
    fill("roundtables", `roundtable_id, panel, ${columns}, mode, status`, `'rt_' || n, '', ${of}`, tenantId),
    fill(
      "asks",
      "ask_id, owner_id, kind, body, revision, subject, status",
      `'ask_' || n, 'ses_' || n, 'question', '{}', 1, 'subject-' || n, 'status-' || n`,
      tenantId,
    ),
  ]);
  const { db, rowsRead } = recordedDb(env.DB);
  const [sessions, runs] = [new SessionIndex(db), new RunIndex(db, Date.now)];
  const [roundtables, asks] = [new RoundtableIndex(db), new AskIndex(db, Date.now)];
  // Whatever a list makes of what it finds: the rows that it read are counted.
  const counted = async (list: Promise<unknown>): Promise<number> => {
    await list.catch(() => undefined);
    return rowsRead();
  };
  const owners = { subject: "subject-7" };
  const costs = {
    sessionsOfUser: await counted(sessions.sessions(tenantId, {}, undefined, 50, owners)),
    sessionsOfSubject: await counted(sessions.sessions(tenantId, { subject: "subject-7" }, "ses_9", 50)),
    sessionById: await counted(sessions.sessions(tenantId, { externalId: "external-7" }, undefined, 50)),
    sessionsOfAgent: await counted(sessions.sessions(tenantId, { agent: "kind-7" }, undefined, 50)),
    runsOfSubject: await counted(runs.runs(tenantId, { subject: "subject-7" }, undefined, 50)),
    runById: await counted(runs.runs(tenantId, { externalId: "external-7" }, undefined, 50)),
    runsOfTeam: await counted(runs.runs(tenantId, { team: "kind-7" }, undefined, 50)),
    roundtablesOfSubject: await counted(roundtables.roundtables(tenantId, { subject: "subject-7" }, undefined, 50)),
    roundtableById: await counted(roundtables.roundtables(tenantId, { externalId: "external-7" }, undefined, 50)),
    asksOfUser: await counted(asks.list(tenantId, { owners }, "openedAt", undefined, 50)),
    asksOfOwner: await counted(asks.list(tenantId, { ownerId: "ses_7" }, "openedAt", undefined, 50)),
    asksOfSubject: await counted(asks.list(tenantId, { subject: "subject-7" }, "openedAt", undefined, 50)),
  };
  expect(Object.entries(costs).filter(([, rows]) => rows < 1 || rows > 10)).toEqual([]);
});

/** Which events each role hears of one and the same work, in streams and over sockets. */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { eventDefinitions } from "../../src/catalogues/events.js";
import type { EventAudience } from "../../src/conversation/event.js";
import { newTenant, send, splitEvents, TestTenant } from "../support/conclave.js";
import { modelOf, newTeam, routesTo, startRun, type TestTeam } from "../support/teams.js";
import { upstreamFor } from "../support/upstream-client.js";

let tenant: TestTenant;
let team: TestTeam;
let readers: Record<EventAudience, TestTenant>;

beforeAll(async () => {
  tenant = await newTenant();
  const stock = upstreamFor(env.TEST_UPSTREAM);
  await stock.reply({ body: "three are left", repeat: true });
  await tenant.put("tools", "look", { server: "shop", description: "Looks", http: { url: stock.hookURL } });
  await tenant.rules("privacy", [{ match: { type: "personalData" }, action: "redact", reason: "personal" }]);
  team = newTeam({ billing: { tools: ["shop/look"] } }, { verbose: true });
  await team.supervisor.reply({ ...routesTo("billing"), repeat: true });
  await tenant.put("teams", "desk", team.definition);
  await tenant.put("agents", "desk", { kind: "team", team: "desk", supervisors: ["privacy"] });
  const token = (await tenant.call("POST", "/v1/tokens", { subject: "ada" })).body.token;
  readers = {
    user: new TestTenant(tenant.tenantId, token),
    client: await tenant.withRole("client"),
    operator: await tenant.withRole("operator"),
  };
});

const looksAndAnswers = () =>
  modelOf(team, "billing").reply(
    { toolCalls: [{ name: "look", arguments: { invoice: 17 } }] },
    { text: "It is paid; write to ada@example.org." },
  );

/** A session of Ada's in which the team has answered. */
async function answeredSession(): Promise<string> {
  await looksAndAnswers();
  const session = await tenant.session({ agent: "desk", subject: "ada" });
  expect((await tenant.say(session, "Is it paid?")).status).toBe("completed");
  return session;
}

interface Heard {
  readonly id?: number | undefined;
  readonly event: string;
}

const ids = (events: readonly Heard[]): string[] => events.map(({ id, event }) => `${id} ${event}`);

async function streamOf({ key }: TestTenant, root: string, query = "lingerMs=0"): Promise<Heard[]> {
  const response = await send("GET", `/v1/${root}/events?${query}`, { key });
  expect(response.status).toBe(200);
  return splitEvents(await response.text()).map(({ id, event }) => ({ id: Number(id), event }));
}

/** What a socket is given when it is opened. */
async function backlogOf({ key }: TestTenant, root: string): Promise<Heard[]> {
  const { webSocket } = await send("GET", `/v1/${root}/events`, { key, headers: { upgrade: "websocket" } });
  const heard: Heard[] = [];
  const over = Promise.withResolvers<void>();
  webSocket?.addEventListener("message", ({ data }) => {
    if (data === "pong") over.resolve();
    else heard.push(JSON.parse(String(data)));
  });
  webSocket?.accept();
  // It is answered behind all that is there.
  webSocket?.send("ping");
  await over.promise;
  webSocket?.close();
  return heard;
}

const typesFor = (...audiences: EventAudience[]): ReadonlySet<string> =>
  new Set(eventDefinitions.flatMap(({ type, audience }) => (audiences.includes(audience) ? [type] : [])));

describe("of a session whose agent is a team", () => {
  let root: string;
  let all: Heard[];

  beforeAll(async () => {
    root = `sessions/${await answeredSession()}`;
    all = await streamOf(readers.operator, root);
  });

  it("an operator hears all that happened, numbered without a gap", () => {
    expect(all.map(({ id }) => id)).toEqual(all.map((_one, at) => at + 1));
    const types = all.map(({ event }) => event);
    expect(types).toEqual(
      expect.arrayContaining(["turn.started", "supervision.decided", "routing.decided", "tool.used", "turn.completed"]),
    );
  });

  it("a client's key hears nothing of the team's inner work, and an end user's token no decision either", async () => {
    const forClients = typesFor("user", "client");
    const forUsers = typesFor("user");
    const heardBy = {
      client: ids(all.filter(({ event }) => forClients.has(event))),
      user: ids(all.filter(({ event }) => forUsers.has(event))),
    };
    expect(heardBy.client.length).toBeLessThan(all.length);
    expect(heardBy.user.length).toBeLessThan(heardBy.client.length);
    for (const role of ["client", "user"] as const) {
      expect(ids(await streamOf(readers[role], root)), role).toEqual(heardBy[role]);
      expect(ids(await backlogOf(readers[role], root)), role).toEqual(heardBy[role]);
    }
    expect(ids(await backlogOf(readers.operator, root))).toEqual(ids(all));
  });

  it("who resumes behind an event hears what is for them behind it", async () => {
    const heard = await streamOf(readers.user, root);
    const [first, ...rest] = heard;
    expect(ids(await streamOf(readers.user, root, `lingerMs=0&after=${first?.id}`))).toEqual(ids(rest));
  });
});

it("a message that is answered with its events brings its sender those that are for them", async () => {
  await looksAndAnswers();
  const session = await tenant.session({ agent: "desk", subject: "ada" });
  const response = await send("POST", `/v1/sessions/${session}/messages`, {
    key: readers.user.key,
    body: { content: "Is it paid?" },
    headers: { accept: "text/event-stream" },
  });
  const types = splitEvents(await response.text()).map(({ event }) => event);
  expect(types).toEqual(expect.arrayContaining(["turn.started", "tool.called", "turn.completed"]));
  expect(types.filter((type) => !typesFor("user").has(type))).toEqual([]);
});

it("of a run a client hears its steps where the tenant lets clients read traces", async () => {
  await looksAndAnswers();
  const { runId } = await startRun(tenant, "desk", "Is it paid?");
  const root = `runs/${runId}`;
  const types = async () => (await streamOf(readers.client, root)).map(({ event }) => event);
  const before = await types();
  expect(before).toEqual(expect.arrayContaining(["run.started", "tool.called", "run.completed"]));
  expect(before.filter((type) => typesFor("operator").has(type))).toEqual([]);
  const admin = await tenant.withRole("admin");
  expect((await admin.call("PATCH", "/v1/tenant", { settings: { clientMay: ["readTrace"] } })).status).toBe(200);
  expect(await types()).toEqual((await streamOf(readers.operator, root)).map(({ event }) => event));
});

it("a socket is given what is for its reader, however much that isn't lies before it", async () => {
  const session = await answeredSession();
  await runInDurableObject(tenant.object(session), (_instance, { storage: { sql } }) => {
    const { turn } = sql.exec<{ turn: string }>("SELECT turn_id AS turn FROM turns").one();
    const decided = JSON.stringify({ turnId: turn, path: [], agent: "billing" });
    sql.exec(
      `WITH RECURSIVE times (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM times WHERE n < 1200)
       INSERT INTO events (work, type, at, data) SELECT ?, 'tools.refused', ?, ? FROM times`,
      ...[turn, Date.now(), decided],
    );
  });
  // What an object has read it knows: nobody else writes what is its own.
  await evictDurableObject(tenant.object(session));
  const { body } = await tenant.call("GET", `/v1/sessions/${session}/messages`);
  const reply = body.items.at(-1).messageId;
  expect((await tenant.call("POST", `/v1/sessions/${session}/messages/${reply}/erase`)).status).toBeLessThan(300);
  const heard = await backlogOf(readers.user, `sessions/${session}`);
  expect(heard.at(-1)?.event).toBe("message.erased");
  expect(heard.map(({ event }) => event)).toContain("turn.completed");
});

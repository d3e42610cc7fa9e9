/** Which events each role hears of one and the same work, in streams and over sockets. */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import type { EventAudience } from "../../src/conversation/event.js";
import { newTenant, parseEvents, send, splitEvents, TestTenant } from "../support/conclave.js";
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
  webSocket?.addEventListener("close", () => over.resolve());
  webSocket?.accept();
  // It is answered behind all that is there.
  webSocket?.send("ping");
  await over.promise;
  webSocket?.close();
  return heard;
}

const ofEndUsers = ["turn.started", "turn.waiting", "ask.opened", "ask.closed", "reply.delta", "turn.completed"];
const ofTheTeam = ["routing.decided", "worker.started", "tool.used", "worker.returned", "results.aggregated"];

/** Of a socket, all that it is told as long as it is open. */
async function listen({ key }: TestTenant, root: string): Promise<{ readonly heard: Heard[]; close(): void }> {
  const { webSocket } = await send("GET", `/v1/${root}/events`, { key, headers: { upgrade: "websocket" } });
  const heard: Heard[] = [];
  webSocket?.addEventListener("message", ({ data }) => void heard.push(JSON.parse(String(data))));
  webSocket?.accept();
  return { heard, close: () => webSocket?.close() };
}

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
      expect.arrayContaining(["turn.started", "supervision.decided", ...ofTheTeam, "tool.called", "turn.completed"]),
    );
  });

  it("an end user's token hears neither verdicts nor workers, streamed or over a socket", async () => {
    const heard = all.filter(({ event }) => ofEndUsers.includes(event));
    expect(ids(await streamOf(readers.user, root))).toEqual(ids(heard));
    expect(ids(await backlogOf(readers.user, root))).toEqual(ids(heard));
  });

  it("a client's key hears who is at work, and so does an operator", async () => {
    for (const reader of [readers.client, readers.operator]) {
      expect(ids(await streamOf(reader, root))).toEqual(ids(all));
      expect(ids(await backlogOf(reader, root))).toEqual(ids(all));
    }
  });

  it("who resumes behind an event hears what is for them behind it", async () => {
    const heard = await streamOf(readers.user, root);
    const [first, ...rest] = heard;
    expect(ids(await streamOf(readers.user, root, `lingerMs=0&after=${first?.id}`))).toEqual(ids(rest));
  });
});

it("sockets that were open before are told the same as it happens", async () => {
  await looksAndAnswers();
  const session = await tenant.session({ agent: "desk", subject: "ada" });
  const [user, operator] = await Promise.all([
    listen(readers.user, `sessions/${session}`),
    listen(readers.operator, `sessions/${session}`),
  ]);
  await tenant.say(session, "Is it paid?");
  await expect.poll(() => [user, operator].map(({ heard }) => heard.at(-1)?.event)).toEqual(ended);
  expect(operator.heard.map(({ event }) => event)).toEqual(expect.arrayContaining(ofTheTeam));
  expect(user.heard.filter(({ event }) => !ofEndUsers.includes(event))).toEqual([]);
  expect(JSON.stringify(user.heard.map(({ event }) => event))).toContain("turn.started");
  for (const socket of [user, operator]) socket.close();
});
const ended = ["turn.completed", "turn.completed"];

it("of a question to staff an end user hears that there is one, in events and in the turn", async () => {
  await tenant.rules("debts", [
    { match: { type: "phrases", phrases: ["pay later"] }, action: "review", reason: "She owes us two invoices." },
  ]);
  await tenant.agent("lender", { supervisors: ["debts"] });
  const session = await tenant.session({ agent: "lender", subject: "ada" });
  const { turnId, asks } = await tenant.say(session, "May I pay later?");
  const askId = asks[0]?.askId;
  const asked = (reader: TestTenant) => async () => [
    ...parseEvents(await (await send("GET", `/v1/sessions/${session}/events?lingerMs=0`, { key: reader.key })).text())
      .filter(({ event }) => event.startsWith("ask.") || event === "turn.completed")
      .map(({ event, data }) => (event === "turn.completed" ? data.asks[0] : data)),
    (await reader.turn(session, turnId)).asks[0],
  ];
  const [seen, asStaff] = [asked(readers.user), asked(readers.operator)];
  const bare = {
    askId,
    kind: "review",
    question: "Staff is asked.",
    priority: asks[0]?.priority,
    audience: "staff",
    openedAt: asks[0]?.openedAt,
    from: { sessionId: session, turnId, about: {} },
  };
  expect(await seen()).toEqual([bare, bare].map((ask) => ({ ...ask, status: "open" })));
  expect(JSON.stringify(await asStaff())).toContain("debts");
  await tenant.call("POST", `/v1/asks/${askId}/answer`, { decision: "reject" });
  expect((await readers.user.turn(session, turnId)).status).toBe("blocked");
  const answered = { ...bare, status: "answered", closedAt: expect.any(String) };
  expect(await seen()).toEqual([answered, answered, answered, answered]);
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
  expect(types).toEqual(expect.arrayContaining(["turn.started", "turn.completed"]));
  expect(types.filter((type) => !ofEndUsers.includes(type))).toEqual([]);
});

it("of a run a client hears who is at work, and the texts where the tenant lets clients read traces", async () => {
  await looksAndAnswers();
  const { runId } = await startRun(tenant, "desk", "Is it paid?");
  const text = async ({ key }: TestTenant) =>
    (await send("GET", `/v1/runs/${runId}/events?lingerMs=0`, { key })).text();
  const before = await text(readers.client);
  const types = parseEvents(before).map(({ event }) => event);
  expect(types).toEqual(expect.arrayContaining(["run.started", ...ofTheTeam, "tool.called", "run.completed"]));
  const used = (events: string) => parseEvents(events).find(({ event }) => event === "tool.used")?.data;
  expect(used(before)).toEqual({ path: [], agent: "billing", server: "shop", tool: "look" });
  const admin = await tenant.withRole("admin");
  expect((await admin.call("PATCH", "/v1/tenant", { settings: { clientMay: ["readTrace"] } })).status).toBe(200);
  expect(used(await text(readers.client))).toMatchObject({ arguments: expect.stringContaining("17") });
  expect(await text(readers.client)).toBe(await text(readers.operator));
});

it("a socket is given what is for its reader, however much that isn't lies before it", async () => {
  const session = await answeredSession();
  await runInDurableObject(tenant.object(session), (_instance, { storage: { sql } }) => {
    const { turn } = sql.exec<{ turn: string }>("SELECT turn_id AS turn FROM turns").one();
    // Workers' calls of tools: not told to users, though calls of an agent are.
    const called = JSON.stringify({ turnId: turn, toolCallId: "c", server: "shop", tool: "look", agent: "billing" });
    sql.exec(
      `WITH RECURSIVE times (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM times WHERE n < 1200)
       INSERT INTO events (work, type, at, data) SELECT ?, 'tool.called', ?, ? FROM times`,
      ...[turn, Date.now(), called],
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

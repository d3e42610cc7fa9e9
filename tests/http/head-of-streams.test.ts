/** HEAD on what is a stream with GET: the same headers and refusals, and nothing is opened. */
import { env, exports } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { RootGateway } from "../../src/gateways/root-gateway.js";
import { newTenant, origin, send, type TestTenant } from "../support/conclave.js";
import { D1Calls } from "../support/d1-calls.js";
import { everybodySpeaks, newPanel, startTable } from "../support/roundtables.js";
import { modelOf, newTeam, startRun } from "../support/teams.js";

const asked = "/v1/ui-chat/page-1/stream";

/** A tenant with a session whose turn waits for a person, a run and a roundtable; and the paths of all their streams. */
async function withStreams(): Promise<{ tenant: TestTenant; paths: string[] }> {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant", { tools: [{ server: "conclave", tool: "ask_human" }] });
  await model.reply({ toolCalls: [{ name: "ask_human", arguments: { question: "Which?" } }] });
  const session = await tenant.session({ externalId: "page-1" });
  expect((await tenant.say(session, "Where is it?")).status).toBe("waiting");

  const team = newTeam({ billing: {} }, { strategy: "round-robin" });
  await modelOf(team, "billing").reply({ text: "Invoice 7 is paid." });
  const run = await startRun(tenant, team.definition, "Is it paid?");

  const panel = newPanel(["a", "b"]);
  await everybodySpeaks(panel);
  const table = await startTable(tenant, panel);
  const events = [`/v1/sessions/${session}`, `/v1/runs/${run.runId}`, `/v1/roundtables/${table.sessionId}`];
  return { tenant, paths: [...events.map((path) => `${path}/events`), asked] };
}

/** The streams and sockets of a tenant that are opened from now on: other tests may have calls under way. */
function watchOpenings({ tenantId }: TestTenant) {
  const [streams, sockets] = [
    vi.spyOn(RootGateway.prototype, "streamEvents"),
    vi.spyOn(RootGateway.prototype, "socket"),
  ];
  return {
    streams: () => streams.mock.calls.filter(([of]) => of === tenantId).length,
    sockets: () => sockets.mock.calls.filter(([of]) => of === tenantId).length,
  };
}

const connectionsOf = (tenantId: string) =>
  env.DB.prepare("SELECT COUNT(*) AS n FROM connections WHERE tenant_id = ?").bind(tenantId).first<number>("n");

const head = (path: string, key: string) =>
  exports.default.fetch(origin + path, {
    method: "HEAD",
    headers: { authorization: `Bearer ${key}`, accept: "text/event-stream" },
  });

afterEach(() => vi.restoreAllMocks());

it("every stream of the document answers a HEAD with the headers of a GET, and opens nothing", async () => {
  const { tenant, paths } = await withStreams();
  const openings = watchOpenings(tenant);
  const shown = ({ status, headers }: Response) => [
    status,
    ...["content-type", "cache-control", "x-accel-buffering", "x-vercel-ai-ui-message-stream"].map((n) =>
      headers.get(n),
    ),
  ];
  const heads: unknown[] = [];
  for (const path of paths) {
    const answer = await head(path, tenant.key);
    expect(await answer.text(), path).toBe("");
    heads.push(shown(answer));
  }
  expect([openings.streams(), openings.sockets()]).toEqual([0, 0]);
  expect(await connectionsOf(tenant.tenantId)).toBe(0);

  const got: unknown[] = [];
  for (const path of paths) {
    const answer = await send("GET", path, { key: tenant.key });
    await answer.body?.cancel();
    expect(answer.headers.get("x-request-id"), path).toMatch(/^req_/);
    got.push(shown(answer));
  }
  expect(heads).toEqual(got);
  expect(await connectionsOf(tenant.tenantId)).toBe(paths.length - 1);

  const document: { paths: Record<string, { get?: { responses: Record<string, { content?: object }> } }> } = await (
    await send("GET", "/openapi.json")
  ).json();
  const streamed = Object.entries(document.paths).filter(
    // A stored response is a stream only where that is asked for: openai/responses.test.ts reads it so.
    ([path, { get }]) =>
      "text/event-stream" in (get?.responses[200]?.content ?? {}) && path !== "/v1/responses/{responseId}",
  );
  expect(streamed.map(([path]) => path.replace(/\{[^}]+\}/, "…")).toSorted()).toEqual(
    paths.map((path) => path.replace(/[^/]+(?=\/(events|stream)$)/, "…")).toSorted(),
  );
});

it("who may not read a stream learns from a HEAD what a GET says: its status, and no more", async () => {
  const { tenant, paths } = await withStreams();
  const stranger = await newTenant();
  const token = (await tenant.call("POST", "/v1/tokens", { subject: "somebody-else" })).body.token;
  const openings = watchOpenings(tenant);
  for (const path of [...paths, "/v1/sessions/ses_absent/events", "/v1/runs/run_absent/events"]) {
    for (const key of [stranger.key, token, "cnk_wrong"]) {
      const [got, answer] = [await send("GET", path, { key }), await head(path, key)];
      expect([path, answer.status]).toEqual([path, got.status]);
      expect(got.status).not.toBe(200);
      await got.body?.cancel();
    }
  }
  expect(openings.sockets()).toBe(0);
  expect(await connectionsOf(tenant.tenantId)).toBe(0);
});

it("a chat in which nothing runs is a 204 for a HEAD too", async () => {
  const { key } = await newTenant();
  expect((await head("/v1/ui-chat/never/stream", key)).status).toBe(204);
});

it("a HEAD of the audit's export says what it would be, and reads none of it", async () => {
  const tenant = await newTenant();
  await tenant.put("rules", "calm", { text: "Stay calm." });
  const calls = new D1Calls(tenant);
  const answer = await head("/v1/audit?format=csv", tenant.key);
  expect([answer.status, answer.headers.get("content-disposition")]).toEqual([200, 'attachment; filename="audit.csv"']);
  expect(calls.taken()).not.toContain("audit");
  await (await send("GET", "/v1/audit?format=csv", { key: tenant.key })).text();
  expect(calls.taken()).toContain("audit");
  const { key } = (await tenant.call("POST", "/v1/keys", { role: "client" })).body;
  expect((await head("/v1/audit", key)).status).toBe(403);
});

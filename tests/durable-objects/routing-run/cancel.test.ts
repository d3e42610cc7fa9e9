/** A run that is cancelled, wherever it is: what is under way is given up, nothing comes after, nobody stays busy. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { D1TeamState } from "../../../src/stores/team-state.js";
import { newTenant } from "../../support/conclave.js";
import { asksHuman, getRun, modelOf, newTeam, routesTo } from "../../support/teams.js";
import { upstreamFor } from "../../support/upstream-client.js";

const held = { text: "Never heard.", hold: "for ever" };

/** A team that does everything once: a tool, a question's place, two workers at once (one at an address), a model that aggregates. */
async function everything() {
  const tenant = await newTenant();
  const [tool, hook, maker] = [0, 1, 2].map(() => upstreamFor(env.TEST_UPSTREAM));
  if (tool === undefined || hook === undefined || maker === undefined) throw new Error("no upstream");
  await tenant.put("tools", "look", { server: "shop", description: "Looks", http: { url: tool.hookURL } });
  const team = newTeam(
    { a: {}, b: { http: { url: hook.hookURL } } },
    { tools: ["shop/look", "ask_human", "list_workers"] },
    { aggregator: { mode: "model", model: `openai/${maker.model}` } },
  );
  await tenant.put("teams", "desk", team.definition);
  return { tenant, team, tool, hook, maker, worker: modelOf(team, "a"), supervisor: team.supervisor };
}
type Parts = Awaited<ReturnType<typeof everything>>;

const look = { toolCalls: [{ name: "look", arguments: {} }] };
const both = routesTo(["a", "b"]);

const places: readonly (readonly [string, (parts: Parts) => Promise<Parts["tool"]>])[] = [
  [
    "its supervisor's model is asked",
    async ({ supervisor }) => {
      await supervisor.reply(held);
      return supervisor;
    },
  ],
  [
    "a tool works",
    async ({ supervisor, tool }) => {
      await supervisor.reply(look);
      await tool.reply({ body: "late", hold: "for ever" });
      return tool;
    },
  ],
  [
    "a worker's model is asked",
    async ({ supervisor, worker, hook }) => {
      await supervisor.reply(both);
      await hook.reply({ body: "B." });
      await worker.reply(held);
      return worker;
    },
  ],
  [
    "a worker at an address works",
    async ({ supervisor, worker, hook }) => {
      await supervisor.reply(both);
      await worker.reply({ text: "A." });
      await hook.reply({ body: "late", hold: "for ever" });
      return hook;
    },
  ],
  [
    "its results are made one",
    async ({ supervisor, worker, hook, maker }) => {
      await supervisor.reply(both);
      await worker.reply({ text: "A." });
      await hook.reply({ body: "B." });
      await maker.reply(held);
      return maker;
    },
  ],
];

describe("a run that is cancelled while", () => {
  it.each(places)("%s gives that up and does nothing more", async (_where, script) => {
    const parts = await everything();
    const { tenant } = parts;
    const hanging = await script(parts);
    const { body } = await tenant.call("POST", "/v1/runs", { team: "desk", input: "Help.", waitMs: 0 });
    await hanging.until({ open: 1 });
    const cancelled = await tenant.call("POST", `/v1/runs/${body.runId}/cancel`);
    expect(cancelled.body).toMatchObject({ status: "cancelled" });
    await hanging.until({ aborted: 1 });
    // Again is harmless.
    expect((await tenant.call("POST", `/v1/runs/${body.runId}/cancel`)).body.status).toBe("cancelled");
    const run = await getRun(tenant, body.runId);
    expect(run.status).toBe("cancelled");
    expect(run.response).toBeUndefined();
    expect(await hanging.requests()).toHaveLength(1);
    const state = new D1TeamState(env.DB, tenant.tenantId, Date.now);
    await expect.poll(() => state.loads("desk")).toEqual({});
  });

  it("it waits for a person closes the question", async () => {
    const { tenant, supervisor } = await everything();
    await supervisor.reply(asksHuman("Which?"));
    const { body } = await tenant.call("POST", "/v1/runs", { team: "desk", input: "Help." });
    expect(body.status).toBe("waiting");
    await tenant.call("POST", `/v1/runs/${body.runId}/cancel`);
    expect(await getRun(tenant, body.runId)).toMatchObject({ status: "cancelled", asks: [{ status: "cancelled" }] });
    await expect.poll(async () => (await tenant.call("GET", "/v1/asks?status=open")).body.items).toEqual([]);
    const story = await tenant.call("GET", `/v1/runs/${body.runId}/trace?format=markdown`);
    expect(story.body).toMatch(/“Which\?” was cancelled by key key_\w+ \(admin\) after/);
  });
});

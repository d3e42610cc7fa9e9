/** Writes of datasets and evals under an `Idempotency-Key`. */
import type { TestTenant } from "./conclave.js";
import { eventually } from "./eventually.js";
import type { KeyedWrite } from "./keyed-write.js";

const headers = { "content-type": "application/jsonl" };
const rules = [{ match: { type: "phrases", phrases: ["poison"] }, action: "block", reason: "No." }];
const candidates = [{ name: "now", supervisors: [{ kind: "rules", hooks: ["request"], config: { rules } }] }];

/** A dataset with an item. */
async function measured(tenant: TestTenant) {
  const path = "/v1/datasets/texts";
  await tenant.call("PUT", path, {});
  const add = (text: string) => tenant.call("POST", `${path}/items`, JSON.stringify({ input: text }), headers);
  await add("Hello.");
  const items = async () => (await tenant.call("GET", `${path}/items`)).body.items;
  const [{ itemId }] = await items();
  const label = (action: string) => tenant.call("PUT", `${path}/items/${itemId}/label`, { expected: { action } });
  const erase = () => tenant.call("DELETE", `${path}/items/${itemId}`);
  const evals = async () => (await tenant.call("GET", "/v1/evals")).body.items.length;
  return { path, add, items, item: `${path}/items/${itemId}`, label, erase, evals };
}

async function evaluated(tenant: TestTenant) {
  const made = await measured(tenant);
  const { evalId } = (await tenant.call("POST", "/v1/evals", { dataset: "texts", candidates })).body;
  const path = `/v1/evals/${evalId}`;
  const read = async () => (await tenant.call("GET", path)).body;
  await eventually(async () => {
    if ((await read()).status !== "completed") throw new Error("it runs");
  });
  return { ...made, path, read };
}

/** A session with a turn. */
async function said(tenant: TestTenant) {
  await tenant.put("agents", "assistant", { kind: "model", model: "offline", instructions: "Help." });
  const sessionId = await tenant.session();
  await tenant.say(sessionId, "Hello.");
  const evals = async () => (await tenant.call("GET", "/v1/evals")).body.items.length;
  return { sessionId, evals };
}

const trial = (share: number) => ({ agent: "a", variants: [{ name: "b", agent: "a", share }] });

/** An experiment, moved on so far. */
async function tried(tenant: TestTenant, ...steps: readonly string[]) {
  const path = "/v1/experiments/e";
  await tenant.put("agents", "a", { kind: "model", model: "offline", instructions: "Help." });
  const put = (share: number) => tenant.call("PUT", path, trial(share));
  await put(0.1);
  for (const step of steps) await tenant.call("POST", `${path}/${step}`);
  const read = async () => (await tenant.call("GET", path)).body.version;
  return { path, put, read };
}

export const keyedEvidence: Readonly<Record<string, (tenant: TestTenant) => Promise<KeyedWrite>>> = {
  "PUT /v1/datasets/{name}": async (tenant) => {
    const path = "/v1/datasets/texts";
    return {
      call: ["PUT", path, { description: "One." }],
      other: { description: "Three." },
      between: () => tenant.call("PUT", path, { description: "Two." }),
      effects: async () => (await tenant.call("GET", path)).body,
    };
  },
  "DELETE /v1/datasets/{name}": async (tenant) => {
    const { path } = await measured(tenant);
    return {
      call: ["DELETE", path],
      between: () => tenant.call("PUT", path, {}),
      effects: async () => (await tenant.call("GET", path)).status,
    };
  },
  "POST /v1/datasets/{name}/items": async (tenant) => {
    const { path, erase, items } = await measured(tenant);
    const line = JSON.stringify({ input: "Hello." });
    return {
      call: ["POST", `${path}/items`, `${line}\n${JSON.stringify({ input: "Goodbye." })}`],
      other: line,
      headers,
      between: erase,
      effects: items,
      same: ({ added, same }) => [added, same],
    };
  },
  "POST /v1/datasets/{name}/items/from-sessions": async (tenant) => {
    const { path, items } = await measured(tenant);
    await tenant.put("agents", "assistant", { kind: "model", model: "offline", instructions: "Help." });
    await tenant.say(await tenant.session(), "Hello again.");
    return {
      call: ["POST", `${path}/items/from-sessions`, { labels: "none" }],
      other: { labels: "labels" },
      between: async () => {
        for (const { itemId } of await items()) await tenant.call("DELETE", `${path}/items/${itemId}`);
      },
      effects: items,
      same: ({ added }) => added,
    };
  },
  "PUT /v1/datasets/{name}/items/{itemId}/label": async (tenant) => {
    const { item, items, label } = await measured(tenant);
    return {
      call: ["PUT", `${item}/label`, { expected: { action: "block" } }],
      other: { expected: { action: "modify" } },
      between: () => label("allow"),
      effects: items,
    };
  },
  "DELETE /v1/datasets/{name}/items/{itemId}": async (tenant) => {
    const { item, add, items } = await measured(tenant);
    return { call: ["DELETE", item], between: () => add("Hello."), effects: items };
  },
  "PUT /v1/experiments/{name}": async (tenant) => {
    const { path, put, read } = await tried(tenant);
    return { call: ["PUT", path, trial(0.2)], other: trial(0.4), between: () => put(0.3), effects: read };
  },
  "DELETE /v1/experiments/{name}": async (tenant) => {
    const { path, put, read } = await tried(tenant);
    return { call: ["DELETE", path], between: () => put(0.1), effects: read };
  },
  "POST /v1/experiments/{name}/start": async (tenant) => {
    const { path, read } = await tried(tenant);
    return { call: ["POST", `${path}/start`], effects: read };
  },
  "POST /v1/experiments/{name}/stop": async (tenant) => {
    const { path, read } = await tried(tenant, "start");
    return { call: ["POST", `${path}/stop`], effects: read };
  },
  "POST /v1/experiments/{name}/promote": async (tenant) => {
    const { path, read } = await tried(tenant, "start");
    const promoted = { variant: "b" };
    return {
      call: ["POST", `${path}/promote`, promoted],
      other: { variant: "c" },
      effects: async () => [await read(), (await tenant.call("GET", "/v1/agents/a")).body.version],
    };
  },
  "POST /v1/evals": async (tenant) => {
    const { evals } = await measured(tenant);
    return {
      call: ["POST", "/v1/evals", { dataset: "texts", candidates }],
      other: { dataset: "texts", candidates, repeats: 2 },
      effects: () => eventually(evals),
      same: ({ evalId }) => evalId,
    };
  },
  "POST /v1/replays": async (tenant) => {
    const { sessionId, evals } = await said(tenant);
    return {
      call: ["POST", "/v1/replays", { sessions: [sessionId], candidates }],
      other: { sessions: [sessionId], candidates, repeats: 2 },
      effects: () => eventually(evals),
      same: ({ evalId }) => evalId,
    };
  },
  "POST /v1/sessions/{sessionId}/replay": async (tenant) => {
    const { sessionId, evals } = await said(tenant);
    return {
      call: ["POST", `/v1/sessions/${sessionId}/replay`, { candidates }],
      other: { candidates, repeats: 2 },
      effects: () => eventually(evals),
      same: ({ evalId }) => evalId,
    };
  },
  "POST /v1/evals/{evalId}/retry": async (tenant) => {
    const { path, read } = await evaluated(tenant);
    return { call: ["POST", `${path}/retry`], effects: read };
  },
};

/** The door: floods are turned away by address and by key before the database is asked. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { composeServices } from "../../src/composition/services.js";
import { faces } from "../../src/faces.js";
import { openOnDemand } from "../../src/http/app.js";
import { newTenant } from "../support/conclave.js";

const fetchWorker = openOnDemand(composeServices, faces);
const counts = new Map<string, number>();
/** As the platform counts, up to 3, but for all time: a window that ends in the middle of a test would let more in. */
const counters: RateLimit = {
  limit: async ({ key = "" }) => {
    counts.set(key, (counts.get(key) ?? 0) + 1);
    return { success: (counts.get(key) ?? 0) <= 3 };
  },
};
const guarded: Env = { ...env, DOOR: counters };

interface Sent {
  readonly path?: string;
  readonly key?: string;
  readonly address?: string;
  readonly method?: string;
}

async function send({ path = "/v1/sessions", key, address, method = "GET" }: Sent, to = guarded): Promise<Response> {
  const headers = {
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    ...(address !== undefined && { "cf-connecting-ip": address }),
    ...(method === "POST" && { "content-type": "application/json" }),
  };
  const body = method === "POST" ? "{}" : null;
  const context = createExecutionContext();
  const answer = await fetchWorker(new Request(`https://conclave.test${path}`, { method, headers, body }), to, context);
  await waitOnExecutionContext(context);
  return answer;
}

/** How often it was let in, of five times: the fourth and the fifth aren't. */
async function passes(sent: (time: number) => Sent): Promise<boolean[]> {
  const answers: boolean[] = [];
  for (let time = 0; time < 5; time++) answers.push((await send(sent(time))).status !== 429);
  return answers;
}

const flooded = [true, true, true, false, false];
let count = 0;
/** An address of documentation that nobody else has here. */
const newAddress = (): string => `198.51.100.${++count}`;
const newNetwork = (): string => `2001:db8:${(++count).toString(16)}`;

describe("the door", () => {
  it("turns a flood of one address away, whatever keys it tries, and asks no database for it", async () => {
    const address = newAddress();
    expect(await passes((time) => ({ address, key: `cnk_guess${time}_guess` }))).toEqual(flooded);
    const prepare = vi.spyOn(Object.getPrototypeOf(env.DB), "prepare");
    const withSession = vi.spyOn(Object.getPrototypeOf(env.DB), "withSession");
    const { key } = await newTenant();
    prepare.mockClear();
    withSession.mockClear();
    expect((await send({ address, key })).status).toBe(429);
    expect(prepare.mock.calls.length + withSession.mock.calls.length).toBe(0);
    expect((await send({ address: newAddress(), key })).status).toBe(200);
    expect(prepare.mock.calls.length + withSession.mock.calls.length).toBeGreaterThan(0);
    vi.restoreAllMocks();
  });

  it("turns a flood of one key away, from wherever it comes; others come in", async () => {
    const [one, other] = [await newTenant(), await newTenant()];
    expect(await passes(() => ({ address: newAddress(), key: one.key }))).toEqual(flooded);
    expect((await send({ address: newAddress(), key: other.key })).status).toBe(200);
  });

  it("takes a network of IPv6 for one address, and one beside it for another", async () => {
    const network = newNetwork();
    expect(await passes((time) => ({ path: "/health", address: `${network}:1:${time}::${time}` }))).toEqual(flooded);
    expect((await send({ path: "/health", address: `${network}:2::1` })).status).toBe(200);
    const short = newNetwork();
    expect(await passes((time) => ({ path: "/health", address: `${short}::${time}` }))).toEqual(flooded);
  });

  it("says so in the form of each face, and when to come again", async () => {
    const refused = async (path: string, method = "GET") => {
      const address = newAddress();
      const sent = { path, method, address };
      await passes(() => sent);
      const answer = await send(sent);
      expect(answer.status).toBe(429);
      expect(answer.headers.get("retry-after")).toBe("10");
      return JSON.parse(await answer.text());
    };
    expect(await refused("/v1/sessions")).toMatchObject({
      code: "too_many_requests",
      detail: expect.stringContaining("10 seconds"),
    });
    expect(await refused("/v1/chat/completions", "POST")).toMatchObject({ error: { code: "rate_limit_exceeded" } });
    expect(await refused("/mcp", "POST")).toBeDefined();
    expect(await refused("/v1/admin/tenants")).toMatchObject({ code: "too_many_requests" });
  });

  it("goes by the platform's own counters", async () => {
    const address = newAddress();
    const platforms: Env = { ...env, DOOR: env.NARROW_DOOR };
    const statuses: number[] = [];
    for (let time = 0; time < 5; time++) statuses.push((await send({ path: "/health", address }, platforms)).status);
    // One a minute: where one ends meanwhile, two came in.
    expect(statuses[0]).toBe(200);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(3);
  });

  it("stands open where the deployment has none, and where it fails", async () => {
    const address = newAddress();
    const failing: Env = { ...env, DOOR: { limit: () => Promise.reject(new Error("no counters")) } };
    for (const open of [env, failing]) {
      for (let time = 0; time < 5; time++) expect((await send({ path: "/health", address }, open)).status).toBe(200);
    }
  });
});

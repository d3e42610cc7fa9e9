/** The same write under the same `Idempotency-Key`, after a process died that had done it and could not say so any more. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { resourceKinds } from "../../src/tenancy/resources.js";
import { newTenant, send, TestTenant } from "../support/conclave.js";
import { keyedWrites, naturallyOnce, triedElsewhere } from "../support/keyed-writes.js";
import { expectProblem } from "./support.js";

const writes = new Set(["post", "put", "patch", "delete"]);
const kind = new RegExp(`^/v1/(${resourceKinds.join("|")})/\\{name\\}(/versions/\\{version\\}/restore)?$`);

it("is tried for every write there is, or needs no claim for a reason that stands beside it", async () => {
  const document = await (await send("GET", "/openapi.json")).json<{ paths: Record<string, object> }>();
  const there = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).flatMap((method) =>
      writes.has(method) ? [`${method.toUpperCase()} ${path.replace(kind, "/v1/{kind}/{name}$2")}`] : [],
    ),
  );
  const known = [...Object.keys(keyedWrites), ...triedElsewhere, ...Object.keys(naturallyOnce)];
  expect(known.sort()).toEqual([...new Set(there)].sort());
});

/** As after a crash between the work and its answer: nothing was kept of that. */
async function loseAnswers(tenant: TestTenant): Promise<void> {
  await env.DB.prepare("DELETE FROM idempotency WHERE scope IN (?, 'admin')").bind(tenant.tenantId).run();
}

describe("does its work once:", () => {
  it.each(Object.entries(keyedWrites))("%s", async (_name, prepare) => {
    const tenant = await newTenant();
    const { call, other, between, effects, same = () => undefined, headers, key } = await prepare(tenant);
    const { tenantId } = tenant;
    const caller = key === undefined ? tenant : new TestTenant(tenantId, key);
    const once = { ...headers, "idempotency-key": `once-${tenantId}` };
    const [method, path, body] = call;
    const first = await caller.call(method, path, body, once);
    expect(first.status, JSON.stringify(first.body)).toBeLessThan(300);
    await loseAnswers(tenant);
    await between?.();
    const before = await effects();

    const again = await caller.call(method, path, body, once);

    expect(again.status, JSON.stringify(again.body)).toBeLessThan(300);
    expect(await effects()).toEqual(before);
    expect(same(again.body)).toEqual(same(first.body));
    if (other === undefined) return;
    await loseAnswers(tenant);
    const conflicting = await caller.call(method, path, other, once);
    expect(conflicting.status).toBe(409);
    if (path === "/v1/responses") expect(conflicting.body.error.code).toBe("idempotency_conflict");
    else expectProblem(conflicting, "idempotency_conflict");
    expect(await effects()).toEqual(before);
  });
});

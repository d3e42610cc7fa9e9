/** Secrets of resources: sealed in D1 in every version, shown to nobody, and the same when they are used. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { now } from "../../src/platform/clock.js";
import { hmacSha256Hex } from "../../src/platform/digest.js";
import { createSealer } from "../../src/platform/secrets.js";
import { ResourceStore } from "../../src/stores/resource-store.js";
import { parseBody } from "../../src/stores/sealed-bodies.js";
import { SecretStore } from "../../src/stores/secret-store.js";
import { httpTool, toolCalls } from "../durable-objects/supervision/support.js";
import { newTenant, type TestTenant } from "../support/conclave.js";
import { newTeam } from "../support/teams.js";
import { upstreamFor } from "../support/upstream-client.js";

/** All that D1 holds of a tenant's resources, as it lies there. */
async function rawRows({
  tenantId,
}: TestTenant): Promise<{ kind: string; name: string; version: number; body: string }[]> {
  const { results } = await env.DB.prepare(
    "SELECT kind, name, version, body FROM resource_versions WHERE tenant_id = ?",
  )
    .bind(tenantId)
    .all();
  const row = z.object({ kind: z.string(), name: z.string(), version: z.number(), body: z.string() });
  return z.array(row).parse(results);
}

async function storeRaw({ tenantId }: TestTenant, kind: string, name: string, body: unknown): Promise<void> {
  await env.DB.prepare("UPDATE resource_versions SET body = ? WHERE tenant_id = ? AND kind = ? AND name = ?")
    .bind(JSON.stringify(body), tenantId, kind, name)
    .run();
}

const headers = (value: string) => ({ authorization: `Bearer ${value}` });

describe("secrets of resources", () => {
  it("are sealed in every version of supervisors, tools, remote servers and teams' workers", async () => {
    const tenant = await newTenant();
    const put = async (secret: string) => {
      const http = { url: "https://example.com/x", headers: headers(secret) };
      await tenant.put("supervisors", "judge", { kind: "http", hooks: ["request"], config: { url: http.url, secret } });
      await tenant.put("tools", "pay", { server: "shop", description: "Pays.", http });
      await tenant.put("tools", "docs", { server: "docs", mcp: { url: http.url, headers: headers(secret) } });
      const inner = newTeam({ deep: { http } }).definition;
      await tenant.put("teams", "desk", newTeam({ far: { http }, nested: { team: inner } }).definition);
    };
    await put("s3cret-number-one");
    await put("s3cret-number-two");
    const rows = await rawRows(tenant);
    expect(rows.map(({ kind, name, version }) => `${kind}/${name}@${version}`).sort()).toEqual([
      "supervisors/judge@1",
      "supervisors/judge@2",
      "teams/desk@1",
      "teams/desk@2",
      "tools/docs@1",
      "tools/docs@2",
      "tools/pay@1",
      "tools/pay@2",
    ]);
    for (const { body } of rows) {
      expect(body).toContain('"sealed:');
      expect(body).not.toContain("s3cret");
      // What isn't secret can be looked for.
      expect(body).toContain("https://example.com/x");
    }
    const shown = await Promise.all(
      ["supervisors/judge", "tools/pay", "tools/docs", "teams/desk", "supervisors", "tools", "teams"].map((path) =>
        tenant.call("GET", `/v1/${path}`),
      ),
    );
    expect(JSON.stringify(shown.map(({ body }) => body))).not.toMatch(/s3cret|sealed:/);
    expect(JSON.stringify(shown.map(({ body }) => body))).toContain("[hidden]");
  });

  it("are the same when they are used, and storing the same again makes no version", async () => {
    const tenant = await newTenant();
    const [endpoint, far] = [upstreamFor(env.TEST_UPSTREAM), upstreamFor(env.TEST_UPSTREAM)];
    const config = { url: endpoint.hookURL, secret: "s3cret-of-ours" };
    const judge = { kind: "http", hooks: ["request"], config };
    await tenant.put("supervisors", "judge", judge);
    expect((await tenant.put("supervisors", "judge", judge)).headers.get("etag")).toBe('"1"');
    const tool = await httpTool(tenant, "pay", { http: { url: far.hookURL, headers: headers("s3cret-of-the-shop") } });
    expect(tool.model).not.toBe(far.model);
    await endpoint.reply({ body: { action: "allow" } });
    await far.reply({ body: "paid" });
    const model = await tenant.agent("assistant", { tools: [{ server: "shop", tool: "pay" }], supervisors: ["judge"] });
    await model.reply(toolCalls(["pay", {}]), { text: "Done." });
    const turn = await tenant.say(await tenant.session(), "Pay.");
    expect(turn).toMatchObject({ status: "completed", supervision: { status: "ok" } });
    expect((await far.requests())[0]?.headers.authorization).toBe("Bearer s3cret-of-the-shop");
    const [seen] = await endpoint.requests();
    const { "conclave-timestamp": at, "conclave-signature": signature } = seen?.headers ?? {};
    expect(signature).toBe(`v1=${await hmacSha256Hex("s3cret-of-ours", `${at}.${JSON.stringify(seen?.body)}`)}`);
  });

  it("that were stored before there was a seal still work, and are sealed when they are stored again", async () => {
    const tenant = await newTenant();
    const endpoint = upstreamFor(env.TEST_UPSTREAM);
    const http = { url: endpoint.hookURL, headers: headers("s3cret-of-old") };
    const body = { server: "shop", description: "Pays.", http };
    await tenant.put("tools", "pay", { ...body, description: "Another." });
    await storeRaw(tenant, "tools", "pay", body);
    await endpoint.reply({ body: "paid" });
    const model = await tenant.agent("assistant", { tools: [{ server: "shop", tool: "pay" }] });
    await model.reply(toolCalls(["pay", {}]), { text: "Done." });
    expect((await tenant.say(await tenant.session(), "Pay.")).status).toBe("completed");
    expect((await endpoint.requests())[0]?.headers.authorization).toBe("Bearer s3cret-of-old");

    expect((await tenant.put("tools", "pay", body)).headers.get("etag")).toBe('"2"');
    const newest = (await rawRows(tenant)).find(({ kind, version }) => kind === "tools" && version === 2);
    expect(newest?.body).toContain("sealed:");
    expect(newest?.body).not.toContain("s3cret");
  });

  it("stay when what is shown in their place is put back, and go to no other address", async () => {
    const tenant = await newTenant();
    const http = { url: "https://example.com/x", headers: headers("s3cret-of-the-shop") };
    await tenant.put("tools", "pay", { server: "shop", description: "Pays.", http });
    const { body: shown } = await tenant.call("GET", "/v1/tools/pay");
    expect(await tenant.call("PUT", "/v1/tools/pay", shown)).toMatchObject({ status: 200, body: { version: 1 } });
    const elsewhere = { ...shown, http: { ...shown.http, url: "https://evil.example/" } };
    expect(await tenant.call("PUT", "/v1/tools/pay", elsewhere)).toMatchObject({
      status: 422,
      body: { errors: [{ path: "http.headers.authorization" }] },
    });
  });

  it("that were sealed under another secret are shown as hidden, can be stored again, and are used by nobody", async () => {
    const tenant = await newTenant();
    const http = { url: "https://example.com/x", headers: headers("s3cret-of-the-shop") };
    const body = { server: "shop", description: "Pays.", http };
    await tenant.put("tools", "pay", body);
    const sealer = createSealer(["another deployment's"]);
    const other = new ResourceStore(env.DB, sealer, now, new SecretStore(env.DB, sealer, now));
    const pin = { kind: "tools", name: "pay", version: 1 } as const;
    expect(JSON.stringify(await other.list(tenant.tenantId, "tools", "", 10))).not.toContain("s3cret");
    await expect(other.versions(tenant.tenantId, [pin])).rejects.toThrow("tools/pay can't be opened");
    const again = await other.put(tenant.tenantId, "tools", "pay", parseBody("tools", body));
    expect(again).toMatchObject({ kind: "stored", version: 2 });
    expect(await other.versions(tenant.tenantId, [{ ...pin, version: 2 }])).toMatchObject([{ body: { http } }]);
  });
});

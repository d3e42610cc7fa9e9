/** Programs that people let in at /mcp, by the MCP client's own OAuth, and everything that is none of it. */
import { exports } from "cloudflare:workers";
import {
  Client,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { describe, expect, it, vi } from "vitest";
import { policyWith } from "../../src/console/guard.js";
import { isRedirectAddress, isResource, matchesRedirect } from "../../src/platform/oauth-addresses.js";
import { auditOf } from "../support/audit.js";
import { newTenant, type TestTenant } from "../support/conclave.js";
import { expectProblem } from "./support.js";

const origin = "http://localhost";
const callback = "http://127.0.0.1:7777/callback";
const fetchHere = (url: string | URL | Request, init?: RequestInit): Promise<Response> =>
  exports.default.fetch(new Request(url, { redirect: "manual", ...init }));
const post = (path: string, fields: Record<string, string>) =>
  fetchHere(`${origin}${path}`, { method: "POST", body: new URLSearchParams(fields) });

/** Somebody who has signed in to the console. @returns their cookie */
async function signedIn(tenant: TestTenant, role = "operator") {
  const email = `${crypto.randomUUID()}@example.com`;
  const { personId, link } = (await tenant.call("POST", "/v1/people", { name: "Ada", email, role })).body;
  const code = String(link).split("#")[1] ?? "";
  const answer = await fetchHere(`${origin}/console/join`, {
    method: "POST",
    body: new URLSearchParams({ code }),
    headers: { origin },
  });
  return { personId: String(personId), cookie: (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "" };
}

/** A host of MCP that remembers what it was given, and a person at a browser. */
function hostOf(cookie: string, press: Record<string, string>) {
  const kept: {
    client?: OAuthClientInformationMixed;
    tokens?: OAuthTokens;
    verifier?: string;
    answer?: URL;
    page?: string;
  } = {};
  const provider: OAuthClientProvider = {
    redirectUrl: callback,
    clientMetadata: { client_name: "A test host", redirect_uris: ["http://127.0.0.1/callback"] },
    state: () => "a state",
    clientInformation: () => kept.client,
    saveClientInformation: (client) => {
      kept.client = client;
    },
    tokens: () => kept.tokens,
    saveTokens: (tokens) => {
      kept.tokens = tokens;
    },
    saveCodeVerifier: (verifier) => {
      kept.verifier = verifier;
    },
    codeVerifier: () => kept.verifier ?? "",
    redirectToAuthorization: async (url) => {
      const shown = await fetchHere(url, { headers: { cookie } });
      kept.page = await shown.text();
      expect(shown.headers.get("content-security-policy")).toContain("form-action 'self' http://127.0.0.1:7777;");
      const answer = await fetchHere(url, {
        method: "POST",
        body: new URLSearchParams(press),
        headers: { cookie, origin },
      });
      expect(answer.status).toBe(303);
      kept.answer = new URL(answer.headers.get("location") ?? "");
    },
  };
  const transport = () =>
    new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), { authProvider: provider, fetch: fetchHere });
  return { kept, transport };
}

async function letIn(tenant: TestTenant, press: Record<string, string> = { do: "grant", reach: "own" }, role?: string) {
  const person = await signedIn(tenant, role);
  const { kept, transport } = hostOf(person.cookie, press);
  const first = transport();
  await expect(new Client({ name: "host", version: "1" }).connect(first)).rejects.toThrow(UnauthorizedError);
  const code = kept.answer?.searchParams.get("code") ?? "";
  if (code !== "") await first.finishAuth(kept.answer?.searchParams ?? new URLSearchParams());
  const connect = async () => {
    const client = new Client({ name: "host", version: "1" });
    await client.connect(transport());
    return client;
  };
  const exchange = (changes: Record<string, string> = {}) =>
    post("/oauth/token", {
      grant_type: "authorization_code",
      code,
      redirect_uri: callback,
      client_id: kept.client?.client_id ?? "",
      code_verifier: kept.verifier ?? "",
      ...changes,
    });
  const refresh = (token = kept.tokens?.refresh_token ?? "", client = kept.client?.client_id ?? "") =>
    post("/oauth/token", { grant_type: "refresh_token", refresh_token: token, client_id: client });
  return { ...person, kept, code, connect, exchange, refresh };
}

const mcpStatus = async (token = "") =>
  (await fetchHere(`${origin}/mcp`, { method: "POST", body: "{}", headers: { authorization: `Bearer ${token}` } }))
    .status;

describe("a host that knows only OAuth", () => {
  it("registers itself, is let in by a person, and acts as that person's own subject, at /mcp and nowhere else", async () => {
    const tenant = await newTenant();
    await tenant.put("agents", "assistant", { kind: "model", model: "offline", instructions: "Answer." });
    const { personId, kept, connect } = await letIn(tenant);
    expect(kept.page).toContain("A test host");
    expect(kept.answer?.searchParams.get("state")).toBe("a state");
    const client = await connect();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("create_session");
    await client.callTool({ name: "create_session", arguments: { agent: "assistant" } });
    const { items } = (await tenant.call("GET", `/v1/sessions?subject=${personId}`)).body;
    expect(items).toHaveLength(1);
    const elsewhere = await fetchHere(`${origin}/v1/sessions`, {
      headers: { authorization: `Bearer ${kept.tokens?.access_token}` },
    });
    expect(elsewhere.status).toBe(401);
    const otherHost = await fetchHere("https://other.test/mcp", {
      method: "POST",
      body: "{}",
      headers: { authorization: `Bearer ${kept.tokens?.access_token}` },
    });
    expect(otherHost.status).toBe(401);
  });

  it("acts by the person's role where they let it, and no further than that role is now", async () => {
    const tenant = await newTenant();
    const { personId, connect } = await letIn(tenant, { do: "grant", reach: "role" });
    const names = async () => (await (await connect()).listTools()).tools.map(({ name }) => name);
    expect(await names()).toContain("create_vault");
    await tenant.call("PATCH", `/v1/people/${personId}`, { role: "reviewer" });
    expect(await names()).not.toContain("create_vault");
    await tenant.call("PATCH", `/v1/people/${personId}`, { status: "suspended" });
    await expect(connect()).rejects.toThrow();
  });

  it("is refused by the person, on record", async () => {
    const tenant = await newTenant();
    const { kept, code } = await letIn(tenant, { do: "refuse" });
    expect([code, kept.answer?.searchParams.get("error")]).toEqual(["", "access_denied"]);
    const rows = (await auditOf(tenant)).filter(({ type }) => String(type).startsWith("access."));
    expect(rows).toMatchObject([{ type: "access.refused", actor: { kind: "person" } }]);
  });
});

describe("what counts once", () => {
  it("a code: with the wrong verifier, address or program it does nothing; a second time it takes the access back", async () => {
    const tenant = await newTenant();
    const { kept, exchange } = await letIn(tenant);
    const other = await (
      await fetchHere(`${origin}/oauth/register`, {
        method: "POST",
        body: JSON.stringify({ redirect_uris: [callback] }),
      })
    ).json<{ client_id: string }>();
    for (const changes of [
      { code_verifier: "x".repeat(43) },
      { redirect_uri: "http://127.0.0.1:7778/callback" },
      { client_id: other.client_id },
      { code: "code_garbage" },
    ]) {
      const answer = await exchange(changes);
      expect([answer.status, (await answer.json<{ error: string }>()).error]).toEqual([400, "invalid_grant"]);
    }
    expect(await mcpStatus(kept.tokens?.access_token)).not.toBe(401);
    expect((await exchange()).status).toBe(400);
    expect(await mcpStatus(kept.tokens?.access_token)).toBe(401);
  });

  it("a refresh token: it is exchanged for another, and used again it ends all that came of it", async () => {
    const tenant = await newTenant();
    const { kept, refresh } = await letIn(tenant);
    const stolen = kept.tokens?.refresh_token;
    expect((await refresh(stolen, "https://other.example/client")).status).toBe(400);
    const next = await (await refresh()).json<OAuthTokens>();
    expect(next).toMatchObject({ token_type: "Bearer", expires_in: 900, scope: "own" });
    expect(await mcpStatus(next.access_token)).not.toBe(401);
    expect((await refresh(stolen)).status).toBe(400);
    expect(await mcpStatus(next.access_token)).toBe(401);
    expect((await refresh(next.refresh_token)).status).toBe(400);
    const rows = (await auditOf(tenant)).filter(({ type }) => String(type).startsWith("access."));
    expect(rows.map(({ type }) => type)).toEqual(["access.granted", "access.revoked"]);
  });
});

describe("access is taken back", () => {
  it("by an admin, by the program itself, and never by another tenant", async () => {
    const tenant = await newTenant();
    const one = await letIn(tenant);
    const { items } = (await tenant.call("GET", "/v1/grants")).body;
    expect(items).toMatchObject([
      { personId: one.personId, client: "A test host", clientHost: "127.0.0.1", reach: "own" },
    ]);
    expect(JSON.stringify(items)).not.toContain("cno_");
    const other = await newTenant();
    expectProblem(await other.call("DELETE", `/v1/grants/${items[0].grantId}`), "not_found");
    expect((await other.call("GET", "/v1/grants")).body.items).toEqual([]);
    expect((await tenant.call("DELETE", `/v1/grants/${items[0].grantId}`)).status).toBe(204);
    expect(await mcpStatus(one.kept.tokens?.access_token)).toBe(401);

    const two = await letIn(tenant);
    const give = (client: string) =>
      post("/oauth/revoke", { token: two.kept.tokens?.refresh_token ?? "", client_id: client });
    expect((await give("another")).status).toBe(200);
    expect(await mcpStatus(two.kept.tokens?.access_token)).not.toBe(401);
    await give(two.kept.client?.client_id ?? "");
    expect(await mcpStatus(two.kept.tokens?.access_token)).toBe(401);
  });
});

describe("requests that are wrong", () => {
  it("lead nobody to an address that isn't registered, and need PKCE", async () => {
    const tenant = await newTenant();
    const { cookie, kept } = await letIn(tenant);
    const ask = (changes: Record<string, string>) => {
      const good = {
        response_type: "code",
        client_id: kept.client?.client_id ?? "",
        redirect_uri: callback,
        code_challenge: "x".repeat(43),
        code_challenge_method: "S256",
      };
      return fetchHere(`${origin}/console/authorize?${new URLSearchParams({ ...good, ...changes })}`, {
        headers: { cookie },
      });
    };
    // A host that shows its user some families of tools sends its whole address.
    for (const changes of [{}, { resource: `${origin}/mcp?tools=asks` }]) expect((await ask(changes)).status).toBe(200);
    for (const [changes, why] of [
      [{ redirect_uri: "https://evil.example/callback" }, "asks to be answered where it hasn&#39;t registered"],
      [{ client_id: "cnc_garbage" }, "This program isn&#39;t registered here, or its registration is over"],
      [{ client_id: "https://127.0.0.1/" }, "not an address of one"],
    ] as const) {
      const answer = await ask(changes);
      expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining(why)]);
    }
    for (const [changes, error] of [
      [{ code_challenge_method: "plain" }, "invalid_request"],
      [{ response_type: "token" }, "unsupported_response_type"],
      [{ resource: "https://other.test/mcp" }, "invalid_target"],
    ] as const) {
      const to = new URL((await ask(changes)).headers.get("location") ?? "");
      expect([to.host, to.searchParams.get("error")]).toEqual(["127.0.0.1:7777", error]);
    }
  });

  it("of registration are answered as OAuth says", async () => {
    const register = async (body: string) =>
      (await fetchHere(`${origin}/oauth/register`, { method: "POST", body })).json<{ error: string }>();
    expect(await register('{"redirect_uris":["http://evil.example/"]}')).toMatchObject({
      error: "invalid_redirect_uri",
    });
    expect(await register("no JSON")).toMatchObject({ error: "invalid_client_metadata" });
    expect(await register("x".repeat(30_000))).toMatchObject({ error: "invalid_request" });
  });
});

it("addresses of answers are exact, but for the port of the own machine", () => {
  expect(matchesRedirect("http://127.0.0.1/cb", "http://127.0.0.1:5123/cb")).toBe(true);
  for (const asked of [
    "http://127.0.0.1:1/cc",
    "http://localhost:1/cb",
    "https://127.0.0.1/cb",
    "http://u@127.0.0.1/cb",
  ])
    expect(matchesRedirect("http://127.0.0.1/cb", asked)).toBe(false);
  expect(matchesRedirect("https://a.example/cb", "https://a.example:8443/cb")).toBe(false);
  expect(["https://a.example/", "cursor://x/cb", "http://[::1]/"].every(isRedirectAddress)).toBe(true);
  expect(["javascript:alert(1)", "http://a.example/", "https://a/#b", "data:x", "no"].some(isRedirectAddress)).toBe(
    false,
  );
  expect(isResource("http://127.0.0.1:8787/mcp", "http://localhost:8787")).toBe(true);
  expect(isResource("https://other.test/mcp", origin)).toBe(false);
});

it("a page's form may lead to what its program registered, and nowhere else", () => {
  const led = (address: string) => /form-action ([^;]*);/.exec(policyWith(address))?.[1];
  expect(led("https://a.example:8443/cb?x=1")).toBe("'self' https://a.example:8443");
  expect(led("http://127.0.0.1:7777/cb")).toBe("'self' http://127.0.0.1:7777");
  // A policy has no words for these but their scheme.
  expect(led("cursor://anysphere.cursor-retrieval/cb")).toBe("'self' cursor:");
  expect(led("com.example.app:/cb")).toBe("'self' com.example.app:");
  expect(led("http://[::1]:7777/cb")).toBe("'self' http:");
  for (const address of ["https://a.example/;script-src *", "https://a.example/ cb", "cursor://x/;default-src *"])
    expect(policyWith(address).match(/;/g)).toHaveLength(policyWith("https://a.example/").match(/;/g)?.length ?? 0);
});

describe("a program whose id is an address", () => {
  const id = "https://127.0.0.1/client.json";
  const answering = (status: number, body: unknown) =>
    vi.spyOn(globalThis, "fetch").mockImplementation(async () => Response.json(body, { status }));
  const ask = (cookie: string, changes: Record<string, string> = {}) => {
    const pkce = { code_challenge: "x".repeat(43), code_challenge_method: "S256" };
    const good = { response_type: "code", client_id: id, redirect_uri: "cursor://x/cb", ...pkce };
    return fetchHere(`${origin}/console/authorize?${new URLSearchParams({ ...good, ...changes })}`, {
      headers: { cookie },
    });
  };

  it("is what its document says, and is answered where that says so, at a scheme of its own too", async () => {
    const { cookie } = await signedIn(await newTenant());
    const document = { client_id: id, client_name: "An editor", redirect_uris: ["cursor://x/cb"] };
    const asked = answering(200, document);
    const page = await ask(cookie);
    expect(asked).toHaveBeenCalledWith(id, expect.objectContaining({ redirect: "manual" }));
    const text = await page.text();
    for (const shown of ["An editor", "It says so at", "127.0.0.1", "cursor:"]) expect(text).toContain(shown);
    expect(page.headers.get("content-security-policy")).toContain("form-action 'self' cursor:;");
    expect((await ask(cookie, { redirect_uri: "cursor://y/cb" })).status).toBe(422);
    asked.mockRestore();
  });

  it("isn't let in where the document isn't there, is another's, or leads where nobody may be sent", async () => {
    const { cookie } = await signedIn(await newTenant());
    const good = { client_id: id, redirect_uris: ["cursor://x/cb"] };
    for (const [status, body] of [
      [404, good],
      [302, good],
      [200, { ...good, client_id: "https://evil.example/client.json" }],
      [200, { ...good, redirect_uris: ["javascript:alert(1)"] }],
      [200, { ...good, redirect_uris: [] }],
      [200, "no document"],
    ] as const) {
      const asked = answering(status, body);
      const page = await ask(cookie);
      expect([status, page.status, await page.text()]).toEqual([
        status,
        422,
        expect.stringContaining("The document at the program&#39;s id can&#39;t be used"),
      ]);
      asked.mockRestore();
    }
  });
});

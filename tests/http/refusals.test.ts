/** What is misspelt, empty or names nothing is said at once, and not by way of a wrong answer later. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newTenant, send } from "../support/conclave.js";

interface Operation {
  readonly tags?: readonly string[];
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly required?: boolean };
}

/** Every operation of the document, with a path that fits it. */
async function operations(): Promise<{ method: string; path: string; operation: Operation }[]> {
  const document: { paths: Record<string, Record<string, Operation>> } = await (
    await send("GET", "/openapi.json")
  ).json();
  // What platforms send is theirs: an address that isn't known is all that is said of it.
  const paths = Object.entries(document.paths).filter(([path]) => !path.startsWith("/webhooks/"));
  return paths.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path: path.replaceAll(/\{[^}]+\}/g, "1"),
      operation,
    })),
  );
}

const keyFor = (path: string, key: string): string => (path.startsWith("/v1/admin") ? env.ADMIN_SECRET : key);

describe("every operation", () => {
  it("refuses a query parameter that it doesn't know, and says which it knows", async () => {
    const { key } = await newTenant();
    for (const { method, path, operation } of await operations()) {
      const body = operation.requestBody === undefined ? undefined : {};
      const response = await send(method, `${path}?sesionId=ses_1`, { key: keyFor(path, key), body });
      const text = await response.text();
      // OpenAI's API knows no 422.
      const refused = operation.tags?.includes("OpenAI") ? 400 : 422;
      expect(response.status, `${method} ${path} ${text}`).toBe(refused);
      expect(text).toContain("sesionId");
      for (const { name, in: place } of operation.parameters ?? []) {
        if (place === "query") expect(text, `${method} ${path}`).toContain(name);
      }
    }
  });

  it("refuses an empty body without a Content-Type clearly where it takes one", async () => {
    const { key } = await newTenant();
    const withBody = (await operations()).filter(({ operation }) => operation.requestBody?.required === true);
    expect(withBody.length).toBeGreaterThan(20);
    for (const { method, path } of withBody) {
      const response = await send(method, path, { key: keyFor(path, key) });
      const text = await response.text();
      expect(response.status, `${method} ${path} ${text}`).toBe(400);
      expect(text, `${method} ${path}`).toContain("JSON body");
    }
  });
});

describe("a resource that is stored", () => {
  it("is refused when it would include itself and is longer than all that may be included", async () => {
    const tenant = await newTenant();
    const put = (length: number, include: string) =>
      tenant.call("PUT", "/v1/references/manual", { text: "x".repeat(length), include });
    const refused = await put(20_001, "auto");
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ path: "text" }] } });
    expect(refused.body.errors[0].message).toContain("20000");
    expect((await put(20_000, "auto")).status).toBe(201);
    expect((await put(20_001, "manual")).status).toBe(200);
  });

  it("lists what it names and isn't there under warnings, when it is stored and when it is read, until it is there", async () => {
    const tenant = await newTenant();
    const agent = {
      kind: "model",
      model: ["acme/large", "openai/x"],
      instructions: "",
      tools: ["bank/pay"],
      supervisors: ["guard"],
      references: ["prices"],
      rules: ["polite"],
    };
    const stored = await tenant.call("PUT", "/v1/agents/assistant", agent);
    expect(stored.status).toBe(201);
    expect(stored.body.warnings.map(({ path }: { path: string }) => path).sort()).toEqual([
      "model",
      "references.0",
      "rules.0",
      "supervisors.0",
      "tools.0",
    ]);
    await tenant.rules("guard", [{ match: { type: "length", max: 9 }, action: "block", reason: "too long" }]);
    await tenant.put("references", "prices", { text: "All is free." });
    await tenant.put("rules", "polite", { text: "Be polite." });
    await tenant.put("tools", "pay", {
      server: "bank",
      description: "Pays.",
      http: { url: "https://bank.example/pay" },
    });
    const read = await tenant.call("GET", "/v1/agents/assistant");
    expect(read.body.warnings).toMatchObject([{ path: "model", message: expect.stringContaining("acme") }]);
    const complete = await tenant.call("PUT", "/v1/agents/assistant", { ...agent, model: "offline" });
    expect(complete.body).not.toHaveProperty("warnings");
  });

  it("warns of a team's missing tools, supervisors, teams and providers, and of a supervisor's provider", async () => {
    const tenant = await newTenant();
    const team = await tenant.call("PUT", "/v1/teams/desk", {
      supervisor: { strategy: "llm-based", model: "acme/large", tools: ["crm/find"] },
      workers: [{ id: "inner", description: "A team.", capabilities: { skills: [] }, team: "absent" }],
      supervisors: ["guard"],
    });
    expect(team.status, JSON.stringify(team.body)).toBe(201);
    expect(team.body.warnings.map(({ path }: { path: string }) => path).sort()).toEqual([
      "supervisor.model",
      "supervisor.tools.0",
      "supervisors.0",
      "workers.0.team",
    ]);
    const supervisor = await tenant.call("PUT", "/v1/supervisors/judge", {
      kind: "agent",
      hooks: ["request"],
      config: { model: "acme/large", instructions: "Judge." },
    });
    expect(supervisor.body.warnings).toMatchObject([{ path: "config.model" }]);
  });

  it("warns of a model whose provider the deployment hasn't got, and says what it would take", async () => {
    const tenant = await newTenant();
    const models = ["openai/x", "workers-ai/x", "offline", "default"];
    const stored = await tenant.call("PUT", "/v1/agents/assistant", { kind: "model", model: models, instructions: "" });
    expect(stored.body.warnings).toEqual([{ path: "model", message: expect.stringContaining("the binding AI") }]);
  });

  it("fails at the first message with a text for end users, which names nothing of what operators store", async () => {
    const tenant = await newTenant();
    await tenant.agent("assistant", { supervisors: ["guard-of-acme"] });
    const session = await tenant.session();
    const client = await tenant.withRole("client");
    const turn = await client.say(session, "Hello?");
    expect(turn).toMatchObject({ status: "failed", error: { code: "misconfigured" } });
    const seen = await tenant.call("GET", `/v1/sessions/${session}/messages`);
    for (const text of [JSON.stringify(turn), JSON.stringify(seen.body)]) {
      expect(text).not.toContain("guard-of-acme");
      expect(text).not.toContain("PUT /v1");
    }
  });
});

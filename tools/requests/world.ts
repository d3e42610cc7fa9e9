/** Tenants with something in them, and whoever may call: each request is made by one of them. */
import { z } from "zod";
import { kindOf, Pool } from "./values.js";

/** Everybody who sends requests. `other` is the admin of another tenant; `nonsense` has a credential that was never given. */
export const callers = ["deployment", "admin", "operator", "client", "user", "nobody", "other", "nonsense"] as const;
export type Caller = (typeof callers)[number];

export interface World {
  readonly pool: Pool;
  readonly credentials: Readonly<Record<Caller, string | undefined>>;
}

const tenantAnswer = z.looseObject({ tenantId: z.string(), key: z.string() });
const keyAnswer = z.looseObject({ key: z.string() });
const tokenAnswer = z.looseObject({ token: z.string() });

/** Of a resource that was stored. */
export function learnName(pool: Pool, method: string, path: string): void {
  const [, , , name, more] = path.split("?")[0]?.split("/") ?? [];
  if (method === "PUT" && name !== undefined && more === undefined) pool.add(kindOf(path), decodeURIComponent(name));
}

/** @param origin where the Worker runs */
export async function makeWorld(origin: string, adminSecret: string): Promise<World> {
  const pool = new Pool();
  const call = async (method: string, path: string, key: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(origin + path, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    const answer: unknown = text === "" ? {} : JSON.parse(text);
    pool.learn(answer);
    learnName(pool, method, path);
    return answer;
  };
  const tenant = async () =>
    tenantAnswer.parse(await call("POST", "/v1/admin/tenants", adminSecret, { name: "requests" }));
  const { key: admin } = await tenant();
  const other = await tenant();
  const role = async (name: string) => keyAnswer.parse(await call("POST", "/v1/keys", admin, { role: name })).key;
  const operator = await role("operator");
  const client = await role("client");
  const rules = [{ match: { type: "personalData" }, action: "redact", reason: "Personal data." }];
  await call("PUT", "/v1/supervisors/privacy", admin, {
    kind: "rules",
    hooks: ["request", "response"],
    config: { rules },
  });
  await call("PUT", "/v1/references/prices", admin, { text: "A parcel costs 5 euros." });
  await call("PUT", "/v1/agents/assistant", admin, {
    kind: "model",
    model: "offline",
    instructions: "",
    supervisors: ["privacy"],
  });
  const worker = { id: "helper", description: "helps", model: "offline" };
  await call("PUT", "/v1/teams/desk", admin, { supervisor: { strategy: "round-robin" }, workers: [worker] });
  await call("POST", "/v1/runs", admin, { team: "desk", input: "hello", waitMs: 0 });
  const vault = z
    .looseObject({ vaultId: z.string() })
    .parse(await call("POST", "/v1/vaults", admin, { title: "notes" }));
  const memory = await call("POST", `/v1/vaults/${vault.vaultId}/memories`, admin, {
    title: "ada",
    model: "offline",
  });
  const { memoryId } = z.looseObject({ memoryId: z.string() }).parse(memory);
  await call("POST", `/v1/memories/${memoryId}/threads/main/messages`, admin, {
    role: "user",
    content: "I live in Lyon.",
  });
  await call("POST", `/v1/memories/${memoryId}/entries`, admin, { rawEntry: "Ada likes tea." });
  const session = await call("POST", "/v1/sessions", client, { agent: "assistant", subject: "ada" });
  const { sessionId } = z.looseObject({ sessionId: z.string() }).parse(session);
  await call("POST", `/v1/sessions/${sessionId}/messages`, client, { content: "hello", waitMs: 0 });
  const { token } = tokenAnswer.parse(await call("POST", "/v1/tokens", client, { subject: "ada" }));
  for (const [field, value] of [
    ["threadId", "main"],
    ["subject", "ada"],
    ["version", "1"],
    ["from", "1"],
    ["to", "1"],
    ["page", "tools"],
  ] as const) {
    pool.add(field, value);
  }
  const nonsense = `cnk_${"x".repeat(40)}`;
  const credentials = {
    deployment: adminSecret,
    admin,
    operator,
    client,
    user: token,
    nobody: undefined,
    other: other.key,
    nonsense,
  };
  return { pool, credentials };
}

/** What is done with the deployed Worker itself: it has to answer, gets its first tenant, and one message goes through supervision. */
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { Refusal } from "./options.js";
import type { Ports } from "./ports.js";
import { writePrivately } from "./private-file.js";

/** How long a new Worker may take until it answers everywhere, in milliseconds: a new name needs its certificate. */
const healthLimitMs = 300_000;
const healthIntervalMs = 3_000;

const healthSchema = z.object({ version: z.string(), checks: z.record(z.string(), z.string()) });

/** @throws {Refusal} when it doesn't, with what is wrong */
export async function waitForHealth(
  address: string,
  version: string,
  ports: Ports,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  let last: string | undefined;
  for (let waited = 0; waited <= healthLimitMs; waited += healthIntervalMs) {
    last = await whatIsWrong(address, version, headers, ports);
    if (last === undefined) return;
    await ports.wait(healthIntervalMs);
  }
  throw new Refusal(
    `${address}/health did not get well within ${healthLimitMs / 60_000} minutes (${last}). Run the command again; npx wrangler tail shows its log.`,
  );
}

/** @returns nothing when it is well */
async function whatIsWrong(
  address: string,
  version: string,
  headers: Readonly<Record<string, string>>,
  ports: Ports,
): Promise<string | undefined> {
  try {
    const response = await ports.fetch(`${address}/health`, { headers, signal: AbortSignal.timeout(10_000) });
    const health = healthSchema.safeParse(await response.json().catch(() => undefined)).data;
    if (response.ok && health?.version === version) return undefined;
    const failed = Object.entries(health?.checks ?? {}).flatMap(([name, check]) => (check === "ok" ? [] : name));
    const says = health === undefined ? "no health" : `version ${health.version}`;
    return `${response.status}, ${says}${failed.length > 0 ? `, failed: ${failed.join(", ")}` : ""}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * What this folder knows of the first tenant. The command is an id that was noted before anything was sent: whoever was stopped in
 * between sends it once more and gets the same tenant, not a second one.
 */
const recordSchema = z.object({
  tenantCommand: z.string(),
  at: z.number(),
  tenantId: z.string().optional(),
  key: z.string().optional(),
  /** Whether it has got what a tenant begins with. */
  isReady: z.boolean().optional(),
  /** Whether its key, or a link, was printed. */
  isShown: z.boolean().optional(),
});
type FirstTenantRecord = z.infer<typeof recordSchema>;

/** The Worker knows an Idempotency-Key for a day; the record counts for less. In milliseconds. */
const commandLifeMs = 23 * 3_600_000;

export interface FirstTenant {
  readonly tenantId: string;
  /** An admin's. */
  readonly key: string;
  /** Where the key is kept. */
  readonly file: string;
  /** Whether the way in was printed before. */
  readonly isShown: boolean;
}

/** @returns nothing where there are tenants that this folder knows nothing of: they are left alone */
export async function ensureFirstTenant(
  deployed: Deployed,
  now: number,
  ports: Ports,
): Promise<FirstTenant | undefined> {
  const { address, adminSecret, name, environment } = deployed;
  const file = join(ports.folder, `.wrangler/first-tenant-${environment}.json`);
  const send = caller(address, adminSecret, ports);
  const { items } = z
    .object({ items: z.array(z.object({ tenantId: z.string() })) })
    .parse(await send("GET", "/v1/admin/tenants"));
  const record = knownOf(readRecord(file), new Set(items.map(({ tenantId }) => tenantId)), now);
  if (record === undefined && items.length > 0) return undefined;
  const begun = record ?? { tenantCommand: randomUUID(), at: now };
  writePrivately(file, JSON.stringify(begun));
  const { tenantId, key } = z
    .object({ tenantId: z.string(), key: z.string() })
    .parse(begun.key ? begun : await send("POST", "/v1/admin/tenants", { name }, begun.tenantCommand));
  if (begun.isReady) return { tenantId, key, file, isShown: begun.isShown ?? false };
  writePrivately(file, JSON.stringify({ ...begun, tenantId, key }));
  await storeStarter(address, key, ports);
  writePrivately(file, JSON.stringify({ ...begun, tenantId, key, isReady: true }));
  return { tenantId, key, file, isShown: false };
}

/** @returns the record, if it still says something of a deployment that has these tenants */
function knownOf(record: FirstTenantRecord | undefined, tenants: ReadonlySet<string>, now: number) {
  if (record?.tenantId !== undefined) return tenants.has(record.tenantId) ? record : undefined;
  return record !== undefined && now - record.at < commandLifeMs ? record : undefined;
}

/** It was printed how to get in: logs of later deployments needn't hold a key. */
export function noteShown(file: string): void {
  writePrivately(file, JSON.stringify({ ...readRecord(file), isShown: true }));
}

interface Deployed {
  readonly address: string;
  readonly adminSecret: string;
  readonly environment: string;
  /** Of the tenant. */
  readonly name: string;
}

function readRecord(file: string): FirstTenantRecord | undefined {
  if (!existsSync(file)) return undefined;
  return recordSchema.safeParse(JSON.parse(readFileSync(file, "utf8"))).data;
}

const starterSchema = z.object({
  supervisors: z.record(z.string(), z.unknown()),
  agents: z.object({ assistant: z.unknown() }),
});

/** Guardrails and one agent, those of a local start. */
async function storeStarter(address: string, key: string, ports: Ports): Promise<void> {
  const starter = starterSchema.parse(
    JSON.parse(readFileSync(fileURLToPath(new URL("../starter.json", import.meta.url).href), "utf8")),
  );
  const send = caller(address, key, ports);
  for (const [name, body] of Object.entries(starter.supervisors)) await send("PUT", `/v1/supervisors/${name}`, body);
  await send("PUT", "/v1/agents/assistant", starter.agents.assistant);
}

const turnSchema = z.object({
  status: z.string(),
  message: z.object({ content: z.string() }),
  supervision: z.object({ request: z.object({ action: z.string() }) }),
  reply: z.object({ modelReply: z.object({ turns: z.array(z.object({ message: z.string() })) }) }).optional(),
  error: z.object({ content: z.string() }).optional(),
});

/**
 * Says something with a card's number, which the model must not see.
 * @returns what the model was shown and what it answered
 * @throws {Refusal} when supervision or the model failed
 */
export async function sendFirstMessage(
  address: string,
  key: string,
  ports: Ports,
): Promise<{ readonly shown: string; readonly answer: string }> {
  const send = caller(address, key, ports);
  const { sessionId } = z
    .object({ sessionId: z.string() })
    .parse(await send("POST", "/v1/sessions", { agent: "assistant" }));
  const content = "My card is 4111 1111 1111 1111. Say hello.";
  const turn = turnSchema.parse(await send("POST", `/v1/sessions/${sessionId}/messages`, { content }));
  if (turn.supervision.request.action !== "modify" || turn.message.content.includes("4111")) {
    throw new Refusal(`the first message was not supervised as it should be: ${JSON.stringify(turn).slice(0, 300)}`);
  }
  if (turn.status !== "completed") {
    throw new Refusal(
      `the Worker is deployed and supervises, but its model did not answer: ${turn.error?.content ?? turn.status}. See docs/models.md, then run the command again.`,
    );
  }
  return {
    shown: turn.message.content,
    answer: turn.reply?.modelReply.turns.map(({ message }) => message).join(" ") ?? "",
  };
}

/**
 * @param email of the first person, who becomes an admin of the tenant
 * @returns a link that signs in whoever opens it first; nothing where this version knows no people or has no console
 */
export async function inviteFirstPerson(
  { address, adminSecret, tenantId, email }: { address: string; adminSecret: string; tenantId: string; email: string },
  ports: Ports,
): Promise<string | undefined> {
  const body = { name: email.split("@")[0], email, role: "admin" };
  const path = `/v1/admin/tenants/${tenantId}/people`;
  const answer = await caller(address, adminSecret, ports)("POST", path, body).catch((error: unknown) => {
    if (error instanceof Refusal) return undefined;
    throw error;
  });
  const link = z.object({ link: z.string() }).safeParse(answer).data?.link;
  if (link === undefined) return undefined;
  const [page = ""] = link.split("#");
  const opened = await ports.fetch(page, { signal: AbortSignal.timeout(10_000) }).catch(() => undefined);
  return opened?.ok ? link : undefined;
}

function caller(address: string, token: string, ports: Ports) {
  return async (method: string, path: string, body?: unknown, command?: string): Promise<unknown> => {
    const { fetch: ask } = ports;
    const response = await ask(address + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        ...(command !== undefined && { "idempotency-key": command }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    }).catch((error: unknown) => {
      throw new Refusal(
        `${address} can't be reached: ${error instanceof Error ? error.message : error}. Run the command again.`,
      );
    });
    if (response.ok) return response.json();
    throw new Refusal(
      `${address} refused ${method} ${path}: ${response.status} ${(await response.text()).slice(0, 300)}. Run the command again when that is mended.`,
    );
  };
}

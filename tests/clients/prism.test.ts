/**
 * The API's document, read by somebody else: every documented example goes through a validating proxy to a running Worker, and so does every
 * other operation. The proxy answers in its own name where a request or an answer isn't as the document says.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { freePort, WorkerProcess } from "../process/worker.js";

/** In the order in which they are called: what is stored first is there for what reads it. */
const methods = ["put", "post", "patch", "get", "delete"] as const;

const operationSchema = z.looseObject({
  operationId: z.string(),
  parameters: z
    .array(z.looseObject({ name: z.string(), in: z.string(), required: z.boolean().default(false) }))
    .default([]),
  requestBody: z
    .object({ content: z.record(z.string(), z.looseObject({ example: z.unknown().optional() })) })
    .optional(),
});
const documentSchema = z.object({
  paths: z.record(z.string(), z.partialRecord(z.enum(methods), operationSchema)),
});
const refusalSchema = z.object({ type: z.string(), title: z.string(), validation: z.unknown().optional() });

/** What the address says, where an operation needs that. */
const query: Readonly<Record<string, string>> = { since: "2026-11-24T08:00:00Z" };

/** Streams: the document says what one event or line of them is, and the proxy holds the whole text against that. */
const streams = new Set(["sendUiChatMessage", "listSessionEvents", "getAudit", "listAuditRows"]);

const folder = mkdtempSync(join(tmpdir(), "conclave-prism-"));
let worker: WorkerProcess;
let prism: ChildProcess | undefined;
let proxy: string;
let key: string;
let ids: Record<string, string>;

beforeAll(async () => {
  worker = new WorkerProcess();
  await worker.start();
  const { URL: origin } = worker.variables;
  key = await worker.tenantKey();
  ids = await makeThings();
  const document = await (await fetch(`${origin}/openapi.json`)).text();
  const file = join(folder, "openapi.json");
  writeFileSync(file, document);
  const port = await freePort();
  proxy = `http://127.0.0.1:${port}`;
  prism = await startPrism(file, origin, port);
});

afterAll(async () => {
  prism?.kill();
  rmSync(folder, { recursive: true, force: true });
  await worker?.end();
});

/** Reading the document takes it some seconds. */
async function startPrism(file: string, origin: string, port: number): Promise<ChildProcess> {
  const program = join(import.meta.dirname, "node_modules/@stoplight/prism-cli/dist/index.js");
  const args = ["proxy", file, origin, "--errors", "--host", "127.0.0.1", "--port", `${port}`];
  const started = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  await new Promise<void>((resolve, reject) => {
    started.once("exit", (code) => reject(new Error(`prism ended with ${code}`)));
    started.stdout.on("data", (said: Buffer) => {
      if (said.includes("is listening")) resolve();
    });
  });
  return started;
}

/** What the paths of operations name. */
async function makeThings(): Promise<Record<string, string>> {
  await worker.call("PUT", "/v1/agents/clerk", key, { kind: "model", model: "offline", instructions: "Help." });
  const { sessionId } = await worker.call("POST", "/v1/sessions", key, { agent: "clerk" });
  const { turnId } = await worker.call("POST", `/v1/sessions/${sessionId}/messages`, key, { content: "Hello." });
  return { sessionId, turnId, name: "clerk", model: "clerk", id: "chat-17", kind: "slack" };
}

it("finds nothing in requests and answers that isn't as the document says", async () => {
  const { paths } = documentSchema.parse(await (await fetch(`${worker.variables.URL}/openapi.json`)).json());
  const operations = methods.flatMap((method) =>
    Object.entries(paths).flatMap(([path, { [method]: operation }]) =>
      operation === undefined ? [] : [{ path, method, operation }],
    ),
  );
  const faults: string[] = [];
  for (const { path, method, operation } of operations) {
    const target = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => ids[name] ?? "1");
    const [[type, { example: body }] = ["", { example: undefined }]] = Object.entries(
      operation.requestBody?.content ?? {},
    );
    const asked = new URLSearchParams(path.endsWith("/events") ? { lingerMs: "0" } : {});
    for (const { name, required, ...one } of operation.parameters)
      if (required && one.in === "query") asked.set(name, query[name] ?? "1");
    const isAdmin = path.startsWith("/v1/admin/");
    const response = await fetch(`${proxy}${target}?${asked}`, {
      method: method.toUpperCase(),
      headers: {
        authorization: `Bearer ${isAdmin ? worker.variables.ADMIN_SECRET : key}`,
        ...(body === undefined ? {} : { "content-type": type }),
      },
      // Lines come as they are.
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const refusal = text.includes("stoplight.io/prism") ? refusalSchema.parse(JSON.parse(text)) : undefined;
    if (refusal !== undefined && streams.has(operation.operationId)) expect(refusal.title).toContain("Response");
    else if (refusal !== undefined)
      faults.push(`${operation.operationId}: ${refusal.title} ${JSON.stringify(refusal.validation)}`);
    // What the platform keeps of the past it doesn't keep here.
    else if (response.status >= 500 && !(response.status === 503 && path.endsWith("/restore")))
      faults.push(`${operation.operationId}: ${response.status} ${text.slice(0, 200)}`);
  }
  expect(operations.length).toBeGreaterThan(150);
  expect(faults).toEqual([]);
});

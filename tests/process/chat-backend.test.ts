/** The application of examples/chat-backend: one session for each channel, events once, asks shown to staff and answered. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { z } from "zod";
import { upstreamFor } from "../support/upstream-client.js";
import { freePort, WorkerProcess } from "./worker.js";

const answerSchema = z.looseObject({ turnId: z.string().default(""), askId: z.string().default("") });

let worker: WorkerProcess;
let app: ChildProcess;
let origin: string;
const model = upstreamFor(inject("upstreamUrl"));

beforeAll(async () => {
  worker = new WorkerProcess(inject("upstreamUrl"));
  await worker.start();
  const admin = await worker.tenant();
  await worker.call("PATCH", "/v1/tenant", admin.key, { settings: { clientMay: ["answerStaffAsks"] } });
  const { key } = await worker.call("POST", "/v1/keys", admin.key, { role: "client" });
  const review = {
    match: { type: "phrases", phrases: ["refund"] },
    action: "review",
    reason: "Refunds are looked at.",
  };
  await worker.call("PUT", "/v1/supervisors/refunds", admin.key, {
    kind: "rules",
    hooks: ["response"],
    config: { rules: [review] },
  });
  await worker.call("PUT", "/v1/agents/assistant", admin.key, {
    kind: "model",
    model: `openai/${model.model}`,
    instructions: "Help.",
    supervisors: ["refunds"],
  });
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  const env = { ...process.env, CONCLAVE_URL: worker.variables.URL, CONCLAVE_KEY: key, PORT: `${port}` };
  app = spawn("tsx", ["examples/chat-backend/app.ts"], { env, stdio: ["ignore", "pipe", "inherit"] });
  await new Promise((resolve) => app.stdout?.once("data", resolve));
});

afterAll(async () => {
  app?.kill();
  await worker?.end();
});

async function call(path: string, body?: unknown): Promise<z.infer<typeof answerSchema>> {
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  return answerSchema.parse(await (await fetch(origin + path, init)).json());
}

it("compiles with the typed client", () => {
  const compiled = spawnSync("tsc", ["--noEmit", "-p", "examples/chat-backend"], { encoding: "utf8" });
  expect(compiled.stdout).toBe("");
});

it("answers in one session for each channel, each event once, and shows staff what waits", async () => {
  await model.reply({ text: "Hello Ana." }, { text: "Your refund is on its way." }, { text: "Hello Bob." });
  const hello = { channel: "C-1", eventId: "evt_1", user: "ana", text: "Hi!" };
  const [first, again] = [await call("/messages", hello), await call("/messages", hello)];
  expect(first).toMatchObject({ status: "completed", says: "Hello Ana." });
  expect(again.turnId).toBe(first.turnId);

  const refund = { channel: "C-1", eventId: "evt_2", user: "ana", text: "My money back, please." };
  expect(await call("/messages", refund)).toMatchObject({ status: "waiting" });
  const readInbox = async () => z.array(answerSchema).parse(await (await fetch(`${origin}/inbox`)).json());
  await expect
    .poll(readInbox)
    .toMatchObject([{ kind: "review", channel: "C-1", about: { message: "My money back, please." } }]);
  const inbox = await readInbox();
  const closed = await call(`/inbox/${inbox[0]?.askId}`, { decision: "accept" });
  expect(closed).toMatchObject({ status: "answered", closedBy: { kind: "key", role: "client" } });
  await expect
    .poll(() => call("/messages", refund))
    .toMatchObject({
      status: "completed",
      says: "Your refund is on its way.",
    });

  const elsewhere = { channel: "C-2", eventId: "evt_3", user: "bob", text: "Hi!" };
  expect(await call("/messages", elsewhere)).toMatchObject({ says: "Hello Bob." });
  expect(await model.requests()).toHaveLength(3);
});

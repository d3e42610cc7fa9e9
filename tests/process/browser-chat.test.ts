/** The page of examples/browser-chat in a real browser, with a token, against a Worker in its own process. */
import { type ChildProcess, spawn } from "node:child_process";
import chromium from "@sparticuz/chromium";
import { type Browser, chromium as launcher, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { upstreamFor } from "../support/upstream-client.js";
import { freePort, WorkerProcess } from "./worker.js";

let worker: WorkerProcess;
let browser: Browser;
let page: Page;
let server: ChildProcess;
let key: string;
let origin: string;
const model = upstreamFor(inject("upstreamUrl"));

beforeAll(async () => {
  worker = new WorkerProcess(inject("upstreamUrl"));
  await worker.start();
  const admin = await worker.tenant();
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  await worker.call("PATCH", "/v1/tenant", admin.key, { settings: { corsOrigins: [origin] } });
  key = (await worker.call("POST", "/v1/keys", admin.key, { role: "client" })).key;
  await worker.call("PUT", "/v1/agents/assistant", admin.key, {
    kind: "model",
    model: `openai/${model.model}`,
    instructions: "Help.",
    tools: ["conclave/ask_human"],
  });
  const { URL: url } = worker.variables;
  const env = { ...process.env, CONCLAVE_URL: url, CONCLAVE_KEY: key, PORT: `${port}` };
  server = spawn("node", ["examples/browser-chat/serve.mjs"], { env, stdio: ["ignore", "pipe", "inherit"] });
  await new Promise((resolve) => server.stdout?.once("data", resolve));
  browser = await launcher.launch({ args: chromium.args, executablePath: await chromium.executablePath() });
  page = await browser.newPage();
});

afterAll(async () => {
  await browser?.close();
  server?.kill();
  await worker?.end();
});

async function say(text: string): Promise<void> {
  await page.getByLabel("Message").fill(text);
  await page.getByRole("button", { name: "Send" }).click();
}

it("a user talks to a session with a token: streamed, with a question answered in the page, until the token is revoked", async () => {
  const sent: string[] = [];
  page.on("request", (request) => sent.push(JSON.stringify([request.url(), request.headers(), request.postData()])));
  await model.reply(
    { text: "Hello, I am here for you.", chunks: ["Hello, I am ", "here for you."] },
    { toolCalls: [{ name: "ask_human", arguments: { question: "Which order?", suggestions: ["A-1", "A-2"] } }] },
    { text: "Order A-1 is on its way." },
  );
  await page.goto(origin);

  await say("Hi!");
  await page.getByText("Hello, I am here for you.").waitFor();

  await say("Where is my order?");
  await page.locator(".question").getByText("Which order?").waitFor();
  await page.getByRole("button", { name: "A-1" }).click();
  await page.getByText("Order A-1 is on its way.").waitFor();

  // The key stays with the page's own server.
  expect(sent.length).toBeGreaterThan(0);
  expect(sent.some((request) => request.includes(key))).toBe(false);

  const gone = page.getByText("Please log in again.").waitFor();
  await fetch(`${worker.variables.URL}/v1/subjects/ana/revoke`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
  });
  await gone;
});

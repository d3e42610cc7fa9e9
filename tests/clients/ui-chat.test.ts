/** Pages made with the AI SDK: its own transport and reader, and `useChat` of its React package in a browser, against the running Worker; and one made with the typed client. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import chromium from "@sparticuz/chromium";
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from "ai";
import { build, type Plugin } from "esbuild";
import { type Browser, chromium as launcher, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { z } from "zod";
import { WorkerProcess } from "../process/worker.js";
import { toured } from "../support/client-tour.js";
import { upstreamFor } from "../support/upstream-client.js";

const messageSchema = z.custom<UIMessage>(
  (message) => z.looseObject({ parts: z.array(z.unknown()) }).safeParse(message).success,
);
const loadedSchema = z.looseObject({ items: z.array(messageSchema), resume: z.boolean() });
const tokenSchema = z.looseObject({ token: z.string() });
const model = upstreamFor(inject("upstreamUrl"));
let worker: WorkerProcess;
let key: string;
let api: string;
let pages: Server;
let origin: string;

beforeAll(async () => {
  worker = new WorkerProcess(inject("upstreamUrl"));
  await worker.start();
  api = `${worker.variables.URL}/v1/ui-chat`;
  key = await worker.tenantKey();
  await worker.call("PUT", "/v1/supervisors/guard", key, {
    kind: "rules",
    hooks: ["request", "response"],
    config: { rules: [{ match: { type: "phrases", phrases: ["crown jewels"] }, action: "block", reason: "No." }] },
  });
  await worker.call("PUT", "/v1/agents/assistant", key, {
    kind: "model",
    model: `openai/${model.model}`,
    instructions: "Help.",
    tools: ["conclave/ask_human"],
    supervisors: ["guard"],
  });
  await worker.call("PUT", "/v1/agents/plain", key, { kind: "model", model: "offline", instructions: "Help." });
  pages = await servePage();
});

afterAll(async () => {
  pages?.close();
  pages?.closeAllConnections();
  await worker?.end();
});

async function tokenOf(subject: string, agents = ["assistant"]): Promise<string> {
  const minted = await worker.call("POST", "/v1/tokens", key, { subject, agents });
  return tokenSchema.parse(minted).token;
}

const asksWhich = {
  text: "Let me see.",
  toolCalls: [{ name: "ask_human", arguments: { question: "Which order?", suggestions: ["A-1", "A-2"] } }],
};

function userMessage(text: string): UIMessage {
  return { id: crypto.randomUUID(), role: "user", parts: [{ type: "text", text }] };
}

describe("the SDK's transport and reader", () => {
  async function chat(id: string) {
    const transport = new DefaultChatTransport({ api, headers: { authorization: `Bearer ${await tokenOf("ada")}` } });
    const read = async (stream: Parameters<typeof readUIMessageStream>[0]["stream"]) => {
      const seen: { last: UIMessage | undefined; errors: unknown[] } = { last: undefined, errors: [] };
      const messages = readUIMessageStream({ stream, onError: (error) => seen.errors.push(error) });
      for await (const message of messages) seen.last = message;
      return seen;
    };
    return {
      say: async (text: string) =>
        read(
          await transport.sendMessages({
            trigger: "submit-message",
            chatId: id,
            messageId: undefined,
            messages: [userMessage(text)],
            abortSignal: undefined,
          }),
        ),
      load: async (): Promise<{ items: UIMessage[]; resume: boolean }> => {
        const token = await tokenOf("ada");
        const answer = await fetch(`${api}/${id}/messages`, { headers: { authorization: `Bearer ${token}` } });
        return loadedSchema.parse(await answer.json());
      },
      resume: async () => {
        const stream = await transport.reconnectToStream({ chatId: id });
        return stream === null ? null : read(stream);
      },
    };
  }
  const partsOf = (message: UIMessage | undefined) => message?.parts.map(({ type }) => type);

  it("get a text, a question with its answer, a block and an error", async () => {
    const { say, load, resume } = await chat("sdk");
    expect(await resume()).toBeNull();
    await model.reply({ chunks: ["Hello, ", "Ada."], text: "Hello, Ada." });
    const greeted = await say("Hi!");
    expect(greeted.last?.parts).toMatchObject([
      { type: "step-start" },
      { type: "text", text: "Hello, Ada.", state: "done" },
    ]);

    await model.reply(asksWhich, { text: "It is on its way." });
    const asked = await say("Where is my order?");
    expect(partsOf(asked.last)).toEqual(["step-start", "text", "data-ask"]);
    expect(asked.last?.parts.at(-1)).toMatchObject({ data: { question: "Which order?", suggestions: ["A-1", "A-2"] } });
    expect((await resume())?.last?.id).toBe(asked.last?.id);
    // A chat that is loaded is what the SDK made of its streams.
    const agents = (await load()).items.filter(({ role }) => role === "assistant");
    expect(agents).toEqual(JSON.parse(JSON.stringify([greeted.last, asked.last])));
    const answered = await say("A-1");
    expect(answered.last?.parts).toMatchObject([{ type: "step-start" }, { text: "It is on its way." }]);

    const blocked = await say("Where are the crown jewels?");
    expect(partsOf(blocked.last)).toEqual(["step-start", "data-blocked"]);
    expect((await load()).items.filter(({ role }) => role === "assistant").slice(2)).toEqual(
      JSON.parse(JSON.stringify([answered.last, blocked.last])),
    );
    await model.reply({ status: 400, body: { error: { message: "down" } }, repeat: true });
    const failed = await say("And now?");
    expect(failed.errors).toMatchObject([{ message: expect.stringContaining("The answer failed") }]);
    await model.clear();
  });
});

/** The store of docs/client.md, as its reader has it. */
const chatStore: Plugin = {
  name: "chat-store",
  setup: (bundle) => {
    const client = `${import.meta.dirname}/../../src/client/index.ts`;
    bundle.onResolve({ filter: /^conclave\/client$/ }, () => ({ path: client }));
    bundle.onResolve({ filter: /^chat-store$/ }, () => ({ path: "chat-store", namespace: "docs" }));
    bundle.onLoad({ filter: /.*/, namespace: "docs" }, () => {
      const page = readFileSync(`${import.meta.dirname}/../../docs/client.md`, "utf8");
      const block = [...page.matchAll(/^```ts\n([\s\S]*?)^```/gm)].find(([, text]) => text?.includes("chatOf("))?.[1];
      const contents = `import { Conclave, ReplyText } from "conclave/client";\n${block}`;
      return { contents, loader: "ts", resolveDir: import.meta.dirname };
    });
  },
};

async function scriptOf(page: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [`${import.meta.dirname}/${page}`],
    plugins: [chatStore],
    bundle: true,
    write: false,
    format: "esm",
    jsx: "automatic",
    // Not what tsconfig.json says of the console.
    tsconfigRaw: "{}",
    define: { "process.env.NODE_ENV": '"production"' },
  });
  return outputFiles[0]?.text ?? "";
}

/** The pages' server: each page, its script, and a token for whoever is logged in. */
async function servePage(): Promise<Server> {
  const scripts = new Map([
    ["/page.js", await scriptOf("ui-chat-page.jsx")],
    ["/typed-client.js", await scriptOf("typed-client-page.jsx")],
  ]);
  const server = createServer(async (request, response) => {
    const script = scripts.get(request.url ?? "");
    const own = request.url === "/typed-client" ? "typed-client.js" : "page.js";
    if (script !== undefined) response.setHeader("content-type", "text/javascript").end(script);
    else if (request.url === "/token") response.end(JSON.stringify({ token: await tokenOf("bo"), api }));
    else if (request.url === "/token-for-both")
      response.end(JSON.stringify({ token: await tokenOf("ada", ["assistant", "plain"]), url: worker.variables.URL }));
    else
      response
        .setHeader("content-type", "text/html")
        .end(`<main id="root"></main><script type="module" src="${own}"></script>`);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the page has no address");
  origin = `http://127.0.0.1:${address.port}`;
  await worker.call("PATCH", "/v1/tenant", key, { settings: { corsOrigins: [origin] } });
  return server;
}

describe("a page that uses useChat, in a browser with a token", () => {
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    browser = await launcher.launch({ args: chromium.args, executablePath: await chromium.executablePath() });
    page = await browser.newPage();
  });
  afterAll(() => browser?.close());

  async function say(text: string): Promise<void> {
    await page.getByLabel("Message").fill(text);
    await page.getByRole("button", { name: "Send" }).click();
  }

  it("talks, is asked and answers, is left in the middle and goes on when it is loaded again", async () => {
    await page.goto(origin);
    await model.reply({ text: "Hello, I am here for you.", chunks: ["Hello, I am ", "here for you."] });
    await say("Hi!");
    await page.getByText("Hello, I am here for you.").waitFor();

    await model.reply(asksWhich, { text: "Order A-1 is on its way." });
    await say("Where is my order?");
    await page.getByRole("button", { name: "A-1" }).click();
    await page.getByText("Order A-1 is on its way.").waitFor();
    // Each word stands there once, in the order in which it was said.
    expect(await page.locator("article").allInnerTexts()).toEqual([
      ...["Hi!", "Hello, I am here for you.", "Where is my order?"],
      expect.stringContaining("Let me see."),
      ...["A-1", "Order A-1 is on its way."],
    ]);

    await say("The crown jewels!");
    await page.getByText("Your message was blocked. No.").waitFor();

    const long = "Once upon a time there was a tower by the sea. ".repeat(10);
    await model.reply({ text: `${long}The end.`, chunks: [long, "The end."], hold: { name: "h", afterChunks: 1 } });
    await say("Tell me a story.");
    await page.getByText("Once upon a time").waitFor();
    await page.reload();
    await page.getByText("Once upon a time").waitFor();
    await model.release("h");
    await page.getByText("The end.").waitFor();
    expect(await page.locator("article").allInnerTexts()).toEqual([`${long}The end.`]);
  });

  it("has the typed client in place of it, in a store that React subscribes to", async () => {
    await page.goto(`${origin}/typed-client`);
    await model.reply({ text: "Hello, I am here for you.", chunks: ["Hello, I am ", "here for you."] });
    await say("Hi!");
    await page.getByText("Hello, I am here for you.").waitFor();

    await model.reply(asksWhich, { text: "Order A-1 is on its way." });
    await say("Where is my order?");
    await page.getByRole("button", { name: "A-1" }).click();
    await page.getByText("Order A-1 is on its way.").waitFor();
    expect(await page.getByRole("button").allInnerTexts()).toEqual(["Send"]);

    await say("The crown jewels!");
    await page.getByText("Your message was blocked. No.").waitFor();
    expect(await page.evaluate("window.tour()")).toEqual(toured);
  });
});

/** Every kind of erasure, and then the files of objects and database: nothing of what was erased stands in them, in no free byte either. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { signWebhook } from "../../src/platform/webhook-signature.js";
import { blobsIn, wordsOnDisk } from "../support/files-at-rest.js";
import { WorkerProcess } from "./worker.js";

const worker = new WorkerProcess();
let key: string;

beforeAll(async () => {
  await worker.start();
  key = await worker.tenantKey();
  await worker.call("PUT", "/v1/agents/scribe", key, { kind: "model", instructions: "Be brief.", model: "offline" });
});
afterAll(() => worker.end());

const id = z.string().default("");
const entry = z.looseObject({ entryId: z.string() });
const answerSchema = z.looseObject({
  ...{ vaultId: id, memoryId: id, sessionId: id, messageId: id, entryId: id, tenantId: id, key: id, runId: id },
  ...{ token: id, address: id, jobId: id, turnId: id, status: id, decision: id },
  messages: z.array(entry).default([]),
  items: z.array(z.looseObject({ messageId: id, entryId: id })).default([]),
});
type Send = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<z.infer<typeof answerSchema>>;
const as =
  (bearer: string): Send =>
  async (...request) => {
    const [method, path, body, headers] = request;
    return answerSchema.parse(await worker.call(method, path, bearer, body, headers));
  };
const send: Send = (...request) => as(key)(...request);

/** Long enough to be moved when others are written, and to be kept in several tables. */
const textOf = (word: string): string =>
  `My ${word} is ${word} and ${"lives in the old town, ".repeat(20)} says ${word}.`;

async function newMemory(
  title: string,
  vaultTitle = "Vault",
  by = send,
): Promise<{ memory: string; memoryId: string; vaultId: string }> {
  const { vaultId } = await by("POST", "/v1/vaults", { title: vaultTitle });
  const { memoryId } = await by("POST", `/v1/vaults/${vaultId}/memories`, { title, model: "offline" });
  return { memory: `/v1/memories/${memoryId}`, memoryId, vaultId };
}

/** Said in a thread among other messages, and taken into the context. */
async function remembered(word: string, memory: string): Promise<string[]> {
  const thread = `${memory}/threads/main`;
  const { messages } = await send("POST", `${thread}/messages`, {
    messages: [word, ...Array.from({ length: 12 }, (_, at) => `other thing ${at}`)].map((one) => ({
      role: "user",
      content: textOf(one),
    })),
  });
  await send("POST", `${thread}/end`, {});
  await send("POST", `${memory}/await-consistency`, { threadId: "main", level: "context", timeoutMs: 60_000 });
  return messages.map(({ entryId }) => entryId);
}

/** A conversation in which a word is said, with tools of a turn and an edit of the reply. @returns the session's path, the messages */
async function conversation(word: string, more: object = {}, by = send) {
  const { sessionId } = await by("POST", "/v1/sessions", { agent: "scribe", ...more });
  const session = `/v1/sessions/${sessionId}`;
  for (let n = 0; n < 6; n++) await by("POST", `${session}/messages`, { content: textOf(`other matter ${n}`) });
  await by("POST", `${session}/messages`, { content: textOf(word) }, { "idempotency-key": `${word}-key` });
  return { session, messages: (await by("GET", `${session}/messages`)).items };
}

/** Stores a text with the word, and erases it again. */
const erasures: Record<string, (word: string) => Promise<unknown>> = {
  "a message of a session with a memory, and its reply": async (word) => {
    const { memory, memoryId } = await newMemory("kept");
    const { session, messages } = await conversation(word, { memory: { memoryId } });
    await send("POST", `${memory}/await-consistency`, { level: "indexed", timeoutMs: 60_000 });
    for (const { messageId } of messages.slice(-2)) await send("POST", `${session}/messages/${messageId}/erase`);
  },
  "a session": async (word) => send("DELETE", (await conversation(word, { metadata: { about: word } })).session),
  "an entry of a thread": async (word) => {
    const { memory } = await newMemory("kept");
    const [entryId] = await remembered(word, memory);
    await send("DELETE", `${memory}/entries/${entryId}`);
  },
  "an entry that was written directly and corrected": async (word) => {
    const { memory } = await newMemory("kept");
    const tags = { person: word };
    const { entryId } = await send("POST", `${memory}/entries`, { rawEntry: textOf(word), speaker: word, tags });
    await send("POST", `${memory}/entries/${entryId}/corrections`, { rawEntry: textOf("what is right") });
    await send("DELETE", `${memory}/entries/${entryId}`);
  },
  "a thread": async (word) => {
    const { memory } = await newMemory("kept");
    await remembered(word, memory);
    await send("DELETE", `${memory}/threads/main`);
  },
  "a memory": async (word) => {
    const { memory } = await newMemory(word);
    await remembered(word, memory);
    await send("DELETE", memory);
  },
  "a vault": async (word) => {
    const { memory, vaultId } = await newMemory(word, word);
    await remembered(word, memory);
    await send("DELETE", `/v1/vaults/${vaultId}`);
  },
  "a tenant": async (word) => {
    const { variables } = worker;
    const tenant = await as(variables.ADMIN_SECRET)("POST", "/v1/admin/tenants", { name: word });
    const by = as(tenant.key);
    await by("PUT", "/v1/agents/scribe", { kind: "model", instructions: textOf(word), model: "offline" });
    await by("PUT", "/v1/agents/scribe", { kind: "model", instructions: `Be brief about ${word}.`, model: "offline" });
    await conversation(word, {}, by);
    await as(variables.ADMIN_SECRET)("DELETE", `/v1/admin/tenants/${tenant.tenantId}`);
  },
};

const wordOf = (what: string): string => `${what.replace(/\W/g, "")}quorzifax`.toLowerCase();
const words = Object.keys(erasures).map(wordOf);

/**
 * Of these D1 moves rows from page to page as others come and go, and copies of what was moved stay in the free bytes of both until they are
 * used again (docs/security.md says so). What stands in their rows is looked at by tests/durable-objects/memory-thread/forgetting.test.ts.
 */
const moved = /miniflare-D1DatabaseObject\/(contexts|entry_index_data): /;

it("leaves nothing of an erased text in any file", async () => {
  // The first page of a table is copied when it is full, wherever its rows stand by then: this database has been in use.
  const { memory } = await newMemory("of before");
  for (let n = 0; n < 4; n++) await remembered("what stays", memory);
  for (const [what, erase] of Object.entries(erasures)) await erase(wordOf(what));
  const left = (): string[] => wordsOnDisk(worker.storage, words).filter((place) => !moved.test(place));
  // Objects overwrite what they freed some seconds later.
  await expect.poll(left, { timeout: 60_000, interval: 2_000 }).toEqual([]);
});

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/** Somebody who uses everything, by token, in a chat, and in what an application begins in their name. @param word that only they say */
async function everythingOf(subject: string, word: string): Promise<void> {
  const { token } = await send("POST", "/v1/tokens", { subject });
  const by = as(token);
  const { vaultId } = await newMemory("of others");
  const titled = { title: word, model: "offline", subject };
  const { memoryId } = await send("POST", `/v1/vaults/${vaultId}/memories`, titled);
  // A rule changes what they wrote: the reason stands in the audit.
  const own = await conversation(word, { agent: "clerk", subject, memory: { memoryId }, metadata: { about: word } });
  await send("POST", `/v1/memories/${memoryId}/await-consistency`, { level: "indexed", timeoutMs: 60_000 });
  const said = own.messages.at(-1)?.messageId;
  await send("PUT", `${own.session}/feedback`, { about: { messageId: said }, score: -1, comment: textOf(word) });
  await send("POST", `${own.session}/person`, {});
  await send("POST", `${own.session}/hold`);
  await send("POST", `${own.session}/staff-messages`, { content: textOf(word) });
  await send("DELETE", `${own.session}/hold`);
  await conversation(word, { agent: "scribe" }, by);
  await send("POST", "/v1/runs", { team: "desk", input: textOf(word), subject }, { "idempotency-key": `${word}-run` });
  const seats = ["a", "b"].map((name) => ({ id: name, name, model: "offline" }));
  await send("POST", "/v1/roundtables", { topic: `Is it ${word}?`, seats, rounds: 1, subject });
  await send("POST", "/v1/responses", { model: "scribe", input: textOf(word), user: subject });
  await send("POST", "/v1/datasets/drawn/items/from-sessions", { labels: "none", sample: 200, copy: true });
  const { address } = await send("GET", "/v1/channels/chat");
  const user = { id: subject, name: word };
  const body = JSON.stringify({
    conversation: `dm-${subject}`,
    messageId: `m-${subject}`,
    text: textOf(word),
    user,
    direct: true,
  });
  const headers = await signWebhook({ id: `evt-${subject}`, at: Date.now(), body }, [secret]);
  const told = await fetch(`${worker.variables.URL}${address}`, { method: "POST", body, headers: { ...headers } });
  expect(told.ok).toBe(true);
  await expect
    .poll(async () => (await send("GET", `/v1/sessions?subject=${subject}`)).items.length, { timeout: 30_000 })
    .toBeGreaterThan(3);
  const { jobId } = await send("POST", `/v1/subjects/${subject}/export`, { originals: true });
  expect(await send("GET", `/v1/subject-jobs/${jobId}?waitMs=30000`)).toMatchObject({ status: "completed" });
}

it("leaves nothing of a person who is erased in any file or bucket, and everything of another", async () => {
  const rules = [{ match: { type: "phrases", phrases: ["old town"] }, action: "redact", reason: "a place" }];
  await send("PUT", "/v1/supervisors/places", { kind: "rules", hooks: ["request"], config: { rules } });
  await send("PUT", "/v1/agents/clerk", {
    kind: "model",
    instructions: "Be brief.",
    model: "offline",
    supervisors: ["places"],
  });
  const workers = [{ id: "all", description: "everything" }];
  await send("PUT", "/v1/teams/desk", { supervisor: { strategy: "llm-based", fallbackWorker: "all" }, workers });
  await send("PUT", "/v1/datasets/drawn", {});
  const credentials = { secret, replyUrl: `${worker.variables.URL}/health` };
  await send("PUT", "/v1/channels/chat", { kind: "generic", agent: "scribe", credentials });
  const [ana, ben] = ["anaquorzifuword", "benlumifoxuword"];
  await everythingOf("ana-1", ana);
  await everythingOf("ben-1", ben);
  // A month later the audit of all that lies in R2.
  await worker.ring("*/30 * * * *", Date.now() + 32 * 86_400_000);
  await expect.poll(() => blobsIn(worker.storage).length, { timeout: 20_000 }).toBeGreaterThan(0);
  const left = (word: string): string[] => wordsOnDisk(worker.storage, [word], true);
  // Files that are being written are copied again.
  const many = (word: string) => expect.poll(() => left(word).length, { timeout: 20_000 }).toBeGreaterThan(10);
  await many(ana);

  const { jobId } = await send("DELETE", "/v1/subjects/ana-1", { reason: "asked for it" });
  const job = () => send("GET", `/v1/subject-jobs/${jobId}?waitMs=30000`);
  await expect.poll(job, { timeout: 60_000 }).toMatchObject({ status: "completed" });
  // What an application has sent under a key in its own name is known for a day.
  await worker.ring("*/30 * * * *", Date.now() + 34 * 86_400_000);
  await expect.poll(() => left(ana), { timeout: 60_000, interval: 2_000 }).toEqual([]);
  await many(ben);
});

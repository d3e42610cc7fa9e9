/** A conversation that is remembered by a Worker which is killed again and again, at moments that a seed decides. */
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { z } from "zod";
import { randomFrom } from "../support/random.js";
import { WorkerProcess } from "./worker.js";

const seed = 20_260_112;
const messageCount = 300;
const kills = 3;

let worker: WorkerProcess;

beforeAll(async () => {
  worker = new WorkerProcess(inject("upstreamUrl"));
  await worker.start();
});

afterAll(() => worker.end());

const idsSchema = z.looseObject({ vaultId: z.string().default(""), memoryId: z.string().default("") });
const entriesSchema = z.object({
  items: z.array(z.looseObject({ seq: z.int(), role: z.string(), rawEntry: z.string() })),
  nextCursor: z.string().nullable(),
});

interface Batch {
  readonly key: string;
  readonly messages: readonly { role: string; content: string; occurredAt: string }[];
}

it("has every message once, byte for byte and in order, and a context that covers the last", async () => {
  const random = randomFrom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const batches = conversation(below);
  const killedAt = new Set<number>();
  while (killedAt.size < kills) killedAt.add(1 + below(batches.length - 1));

  const key = await worker.tenantKey();
  const { vaultId } = idsSchema.parse(await worker.call("POST", "/v1/vaults", key, { title: "Kept" }));
  const asked = { title: "Killed", model: "offline" };
  const { memoryId } = idsSchema.parse(await worker.call("POST", `/v1/vaults/${vaultId}/memories`, key, asked));
  const memory = `/v1/memories/${memoryId}`;
  const send = (batch: Batch) =>
    worker.call(
      "POST",
      `${memory}/threads/main/messages`,
      key,
      { messages: batch.messages },
      {
        "idempotency-key": batch.key,
      },
    );

  for (const [at, batch] of batches.entries()) {
    if (killedAt.has(at)) {
      // Whether this arrives nobody knows: it is sent again.
      const lost = send(batch).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, below(40)));
      await worker.kill();
      await lost;
      await worker.start();
    }
    await send(batch);
    if (below(3) === 0) await send(batch);
    if (at > 0 && below(4) === 0) await send(batches[below(at)] ?? batch);
  }
  await worker.call("POST", `${memory}/threads/main/end`, key, {});
  const wanted = { threadId: "main", level: "context", timeoutMs: 60_000 };
  expect(await worker.call("POST", `${memory}/await-consistency`, key, wanted)).toMatchObject({
    reached: true,
    watermarks: { stored: messageCount, indexed: messageCount, context: messageCount },
    failures: [],
  });

  const said = batches.flatMap(({ messages }) => messages);
  const entries = await allEntries(memory, key);
  expect(entries.map(({ rawEntry }) => rawEntry)).toEqual(said.map(({ content }) => content));
  expect(entries.map(({ seq }) => seq)).toEqual(said.map((_, place) => place + 1));
  expect(entries.map(({ role }) => role)).toEqual(said.map(({ role }) => role));
  const context = await worker.call("GET", `${memory}/context`, key);
  expect(context).toMatchObject({ coverage: { main: messageCount } });
  expect(await worker.call("GET", `${memory}/threads/main`, key)).toMatchObject({ lastSeq: messageCount, open: false });
});

/** Messages of every kind of text, in batches of one to twelve. */
function conversation(below: (limit: number) => number): Batch[] {
  const texts = [
    "I moved.",
    "  spaces  around  ",
    "two\nlines\r\n",
    "Grüße, 世界 🌍",
    "\u0000\u0007 controls",
    '{"json": ["<b>"]}',
    "x".repeat(3_000),
  ];
  const batches: Batch[] = [];
  for (let from = 0; from < messageCount; ) {
    const size = Math.min(1 + below(12), messageCount - from);
    const messages = Array.from({ length: size }, (_, at) => ({
      role: (from + at) % 2 === 0 ? "user" : "assistant",
      content: `${from + at}: ${texts[below(texts.length)]}`,
      occurredAt: new Date(Date.UTC(2026, 0, 1) + (from + at) * 1_000).toISOString(),
    }));
    batches.push({ key: `batch-${batches.length}`, messages });
    from += size;
  }
  return batches;
}

async function allEntries(memory: string, key: string): Promise<z.infer<typeof entriesSchema>["items"]> {
  const items: z.infer<typeof entriesSchema>["items"] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page = entriesSchema.parse(await worker.call("GET", `${memory}/entries?limit=200${query}`, key));
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  return items;
}

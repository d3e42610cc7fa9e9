/** What one message costs a memory, early and late in one thread: rows, bytes and prompt. Runs in workerd. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { addEntryReply, newMemory, putContextReply, type TestMemory } from "../tests/support/memory.js";

/** Which messages are measured: as many flushes fall into one window as into the other. */
const early = 31;
const late = 4_975;
const measured = 50;

/** As in `langgraph.mjs`. */
const text = (number: number) =>
  `Message ${String(number).padStart(5, "0")}: the parcel of customer ${number % 97} leaves the warehouse on Monday and arrives on Friday.`;

/** As long as a context of a conversation that goes on for a while. */
const document = `## Facts\n${Array.from({ length: 80 }, (_, at) => `- Customer ${at} waits for a parcel of ${at + 2} items.`).join("\n")}`;

interface Cost {
  /** Rows written in the thread's object, those of indexes included. */
  rows: number;
  /** Rows written in D1, as it counts them. */
  d1Rows: number;
  /** Bytes of the values bound in statements that write. */
  bytes: number;
  /** Characters of the prompts, divided by four. */
  promptTokens: number;
}

it("costs as much for the 5,000th message as for the 50th", async () => {
  const memory = await newMemory("scripted");
  // One queue answers captures and flushes: each takes the call of its own tool.
  const calls = [
    ...(addEntryReply("The parcel of a customer leaves the warehouse on Monday.").toolCalls ?? []),
    ...(putContextReply(document).toolCalls ?? []),
  ];
  await memory.model.reply({ toolCalls: calls, repeat: true });
  const atFirst = await costFrom(memory, 1, early);
  const atLast = await costFrom(memory, early + measured, late);
  console.log(`BENCH ${JSON.stringify({ early: atFirst, late: atLast, windows: { early, late, measured } })}`);
  expect(atFirst.promptTokens).toBeGreaterThan(100);
  expect(atFirst.d1Rows).toBeGreaterThan(1);
  for (const figure of ["rows", "d1Rows", "bytes", "promptTokens"] as const) {
    expect(atLast[figure] / atFirst[figure], figure).toBeLessThan(1.2);
  }
});

/** Brings the thread up to a message without a model, and measures those that follow, one after the other. */
async function costFrom(memory: TestMemory, seeded: number, from: number): Promise<Cost> {
  await useModel(memory, "offline");
  for (let first = seeded; first < from; first += 300) {
    await memory.say(Array.from({ length: Math.min(300, from - first) }, (_, at) => text(first + at)));
  }
  await waitFor(memory, from - 1);
  await memory.call("PUT", "/context", { document });
  await useModel(memory, `openai/${memory.model.model}`);
  const asked = (await memory.model.requests()).length;

  const counted = { rows: 0, bytes: 0 };
  const inD1 = { rows: 0, bytes: 0 };
  const unwatchD1 = watchD1(inD1);
  const unwatch = await watchObject(memory, counted);
  for (let number = from; number < from + measured; number++) {
    await memory.say([text(number)]);
    await waitFor(memory, number);
  }
  await unwatch();
  unwatchD1();
  const prompts = (await memory.model.requests()).slice(asked).map(({ body }) => JSON.stringify(body).length);
  return {
    rows: counted.rows / measured,
    d1Rows: inD1.rows / measured,
    bytes: (counted.bytes + inD1.bytes) / measured,
    promptTokens: prompts.reduce((sum, length) => sum + length, 0) / 4 / measured,
  };
}

/** Until a message is an entry, and in the context if a flush was asked for with it. */
async function waitFor(memory: TestMemory, seq: number): Promise<void> {
  const { requestedSeq } = await memory.thread();
  for (const [level, upTo] of [
    ["indexed", seq],
    ["context", requestedSeq],
  ] as const) {
    for (;;) {
      const wanted = { threadId: "main", level, seq: upTo, timeoutMs: 60_000 };
      if ((await memory.call("POST", "/await-consistency", wanted)).reached) break;
    }
  }
}

async function useModel(memory: TestMemory, model: string): Promise<void> {
  await env.DB.prepare("UPDATE memories SET body = json_set(body, '$.model', ?) WHERE memory_id = ?")
    .bind(model, memory.memoryId)
    .run();
}

interface Counted {
  rows: number;
  bytes: number;
}

const writes = /^\s*(?:INSERT|UPDATE|DELETE|REPLACE)/i;

async function watchObject(memory: TestMemory, counted: Counted): Promise<() => Promise<void>> {
  const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
  await runInDurableObject(memory.object(), (_instance, { storage: { sql } }) => {
    const exec = sql.exec.bind(sql);
    Object.defineProperty(sql, "exec", {
      configurable: true,
      value: (query: string, ...bindings: unknown[]) => {
        const cursor = exec(query, ...bindings);
        cursors.push(cursor);
        if (writes.test(query)) counted.bytes += bytesOf(bindings);
        return cursor;
      },
    });
  });
  return () =>
    runInDurableObject(memory.object(), (_instance, { storage: { sql } }) => {
      Reflect.deleteProperty(sql, "exec");
      for (const cursor of cursors) counted.rows += cursor.rowsWritten;
    });
}

/** Counts what goes through D1's own client, which the Worker and its objects share here. */
function watchD1(counted: Counted): () => void {
  const statement: D1PreparedStatement = Object.getPrototypeOf(env.DB.prepare("SELECT 1"));
  // Every call goes through a session.
  const database: D1DatabaseSession = Object.getPrototypeOf(env.DB.withSession("first-primary"));
  const { bind, run } = statement;
  const { prepare, batch } = database;
  const queries = new WeakMap<object, string>();
  const note = (results: readonly D1Result[]) => {
    for (const { meta } of results) counted.rows += meta.rows_written;
  };
  database.prepare = function (query) {
    const prepared = prepare.call(this, query);
    queries.set(prepared, query);
    return prepared;
  };
  statement.bind = function (...values) {
    if (writes.test(queries.get(this) ?? "")) counted.bytes += bytesOf(values);
    return bind.apply(this, values);
  };
  Object.assign(statement, {
    async run(this: D1PreparedStatement) {
      const result = await run.call(this);
      note([result]);
      return result;
    },
  });
  Object.assign(database, {
    async batch(this: D1DatabaseSession, statements: D1PreparedStatement[]) {
      const results = await batch.call(this, statements);
      note(results);
      return results;
    },
  });
  return () => {
    Object.assign(statement, { bind, run });
    Object.assign(database, { prepare, batch });
  };
}

function bytesOf(bindings: readonly unknown[]): number {
  return bindings.reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 8), 0);
}

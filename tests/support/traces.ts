/** Where a text still stands: in any row of any table, of D1 and of an object, encrypted answers opened, the full-text index read. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createSealer, sealingKeyId } from "../../src/platform/secrets.js";
import type { TestMemory } from "./memory.js";

/** Whatever a value is, as text; blobs byte by byte, so that what is in them is seen. */
function asText(value: unknown): string {
  if (value instanceof ArrayBuffer) return new TextDecoder("latin1").decode(value);
  if (Array.isArray(value)) return new TextDecoder("latin1").decode(Uint8Array.from(value));
  return String(value);
}

function holding(table: string, rows: readonly Record<string, unknown>[], words: readonly string[]): string[] {
  const texts = rows.map((row) => Object.values(row).map(asText).join(" ").toLowerCase());
  return texts
    .filter((text) => words.some((word) => text.includes(word.toLowerCase())))
    .map((text) => `${table}: ${text}`);
}

/** Every row of every table of D1 that holds one of the words, the tables behind the full-text index included. */
export async function tracesInD1(words: readonly string[]): Promise<string[]> {
  const { results } = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\' AND name NOT LIKE 'sqlite%'",
  ).all<{ name: string }>();
  const found: string[] = [];
  for (const { name } of results) {
    if (name === "entry_vocab" || name === "entry_index") continue;
    found.push(...holding(name, (await env.DB.prepare(`SELECT * FROM "${name}"`).all()).results, words));
  }
  // What answers to an Idempotency-Key say is encrypted.
  const answers = await env.DB.prepare("SELECT sealed_answer FROM idempotency WHERE sealed_answer IS NOT NULL").all<{
    sealed_answer: string;
  }>();
  const sealer = createSealer([env.SEALING_SECRET]);
  // Other tests write rows that nobody sealed, which are read above as they are, and rows of deployments with other secrets.
  const ours = `.${await sealingKeyId(env.SEALING_SECRET)}`;
  const sealed = answers.results.filter((row) => row.sealed_answer.endsWith(ours));
  const opened = await Promise.all(sealed.map(async (row) => ({ answer: await sealer.open(row.sealed_answer) })));
  found.push(...holding("answers", opened, words));
  // Without it words of removed rows stay in pages of the index for as long as chance has it: an index that is small shows none.
  const setting = "SELECT v FROM entry_index_config WHERE k = 'secure-delete' AND v = 1";
  if ((await env.DB.prepare(setting).first()) === null) found.push("entry_index: not set to secure-delete");
  found.push(...holding("vocabulary", (await env.DB.prepare("SELECT term FROM entry_vocab").all()).results, words));
  return found;
}

export function tracesInThread(memory: TestMemory, threadId: string, words: readonly string[]): Promise<string[]> {
  return runInDurableObject(memory.object(threadId), (_object, state) => {
    const { sql } = state.storage;
    const tables = sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'").toArray();
    return tables
      .filter(({ name }) => !name.startsWith("_cf"))
      .flatMap(({ name }) => holding(name, sql.exec(`SELECT * FROM "${name}"`).toArray(), words));
  });
}

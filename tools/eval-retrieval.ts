/**
 * `npm run eval:retrieval -- --data <file> [--url …] [--key …] [--as threads|entries|documents] [--captions]`: measures search through the
 * API of a running Worker on a file of LoCoMo's or LongMemEval's JSON: its turns as messages of a thread, as entries that are written
 * directly, or twenty to an entry. The data are not part of the project.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { defined } from "../src/conversation/defined.js";
import {
  type EvaluationConversation,
  type Figures,
  meanFigures,
  percentile,
  plainBm25,
  readLocomo,
  readLongMemEval,
} from "./evaluation/evaluation.js";
import { questionFigures } from "./evaluation/metrics.js";

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    url: { type: "string", default: process.env.CONCLAVE_URL ?? "http://127.0.0.1:8787" },
    key: { type: "string", default: process.env.CONCLAVE_KEY },
    as: { type: "string", default: "threads" },
    captions: { type: "boolean", default: false },
    limit: { type: "string", default: "1000" },
  },
});
if (values.data === undefined) fail("--data <file> is missing: LoCoMo's or LongMemEval's JSON");
if (!["threads", "entries", "documents"].includes(values.as)) fail("--as is threads, entries or documents");
const key = values.key ?? localKey();
const depth = 25;
const turnsOfDocument = 20;

/** What is written to the memory and found in it: a turn, or several in one text. */
interface Item {
  readonly id: string;
  readonly text: string;
  readonly role: string;
  readonly speaker?: string | undefined;
  readonly occurredAt: string;
}

interface Measured {
  readonly category: string;
  readonly figures: Figures;
}

const conversations = read(readFileSync(values.data, "utf8")).slice(0, Number(values.limit));
const ours: Measured[] = [];
const baseline: Measured[] = [];
const times: number[] = [];
const { vaultId } = await call("POST", "/v1/vaults", { title: "Retrieval evaluation" });
for (const [at, conversation] of conversations.entries()) {
  const started = Date.now();
  const { items, itemOf } = itemsOf(conversation);
  const { memoryId, idOf } = await load(conversation.id, items);
  const loadedMs = Date.now() - started;
  const plain = plainBm25(items.map((item) => ({ ...item, session: "" })));
  for (const { question, category, evidence: turns, askedAt } of conversation.questions) {
    const evidence = [...new Set(turns.map((turn) => itemOf.get(turn) ?? turn))];
    const begun = performance.now();
    const { entries } = await call("POST", `/v1/memories/${memoryId}/search`, {
      query: question,
      topEntries: depth,
      ...defined({ asOf: askedAt }),
    });
    times.push(performance.now() - begun);
    const found = entries.map(({ entry }: { entry: { entryId: string } }) => idOf.get(entry.entryId) ?? "");
    ours.push({ category, figures: questionFigures(found, evidence) });
    baseline.push({ category, figures: questionFigures(plain(question), evidence) });
  }
  console.error(
    `${at + 1}/${conversations.length} ${conversation.id}: ${conversation.turns.length} turns in ${loadedMs} ms, ${conversation.questions.length} questions`,
  );
  await call("DELETE", `/v1/memories/${memoryId}`);
}
await call("DELETE", `/v1/vaults/${vaultId}`);
print("plain BM25", baseline);
print("Conclave, through the API", ours);
console.log(`\nsearch: p50 ${percentile(times, 0.5).toFixed(1)} ms, p95 ${percentile(times, 0.95).toFixed(1)} ms`);

/** The turns of a conversation, or so many of them to a document; and which of these each turn stands in. */
function itemsOf({ turns }: EvaluationConversation): { items: Item[]; itemOf: Map<string, string> } {
  const single = turns.map(({ id, role, text, caption, speaker, occurredAt }) => ({
    id,
    role,
    // A turn may be a picture alone.
    text: [text, ...(values.captions && caption !== undefined ? [caption] : [])].join(" ").trim() || "(nothing)",
    speaker,
    occurredAt,
  }));
  if (values.as !== "documents") return { items: single, itemOf: new Map() };
  const items: Item[] = [];
  const itemOf = new Map<string, string>();
  for (let from = 0; from < single.length; from += turnsOfDocument) {
    const part = single.slice(from, from + turnsOfDocument);
    const [first] = part;
    if (first === undefined) break;
    const id = `from ${first.id}`;
    for (const turn of part) itemOf.set(turn.id, id);
    const text = part.map((turn) => `${turn.speaker ?? turn.role}: ${turn.text}`).join("\n");
    items.push({ id, text, role: "user", occurredAt: first.occurredAt });
  }
  return { items, itemOf };
}

/** Puts items into a memory of their own and waits until all of them are indexed. */
async function load(title: string, items: readonly Item[]): Promise<{ memoryId: string; idOf: Map<string, string> }> {
  const { memoryId } = await call("POST", `/v1/vaults/${vaultId}/memories`, { title, model: "offline" });
  const idOf = new Map<string, string>();
  if (values.as !== "threads") {
    for (const { id, text: rawEntry, ...item } of items) {
      const { entryId } = await call("POST", `/v1/memories/${memoryId}/entries`, { rawEntry, ...item });
      idOf.set(entryId, id);
    }
    return { memoryId, idOf };
  }
  const batch = 200;
  for (let from = 0; from < items.length; from += batch) {
    const part = items.slice(from, from + batch);
    const { messages } = await call("POST", `/v1/memories/${memoryId}/threads/conversation/messages`, {
      messages: part.map(({ id: _, text: content, ...item }) => ({ content, ...item })),
    });
    for (const [at, { entryId }] of messages.entries()) idOf.set(entryId, part[at]?.id ?? "");
  }
  for (;;) {
    const { reached } = await call("POST", `/v1/memories/${memoryId}/await-consistency`, {
      threadId: "conversation",
      level: "indexed",
      timeoutMs: 60_000,
    });
    if (reached) return { memoryId, idOf };
  }
}

// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes; a wrong one ends the measurement
async function call(method: string, path: string, body?: unknown): Promise<any> {
  const response = await fetch(values.url + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) fail(`${method} ${path}: ${response.status} ${text}`);
  return text === "" ? undefined : JSON.parse(text);
}

function read(text: string): EvaluationConversation[] {
  const json: unknown = JSON.parse(text);
  const [first] = Array.isArray(json) ? json : [];
  return typeof first === "object" && first !== null && "haystack_sessions" in first
    ? readLongMemEval(json)
    : readLocomo(json);
}

function print(title: string, measured: readonly Measured[]): void {
  const line = (name: string, { questions, recall5, recall10, recall25, ndcg10 }: Figures): string =>
    `| ${[name, questions, ...[recall5, recall10, recall25, ndcg10].map((figure) => figure.toFixed(3))].join(" | ")} |`;
  console.log(
    `\n${title}\n\n| category | questions | recall@5 | recall@10 | recall@25 | NDCG@10 |\n|---|---|---|---|---|---|`,
  );
  for (const category of [...new Set(measured.map((one) => one.category))].sort()) {
    const figures = measured.filter((one) => one.category === category).map((one) => one.figures);
    console.log(line(category, meanFigures(figures)));
  }
  console.log(line("all", meanFigures(measured.map(({ figures }) => figures))));
}

/** The key of the local tenant, as `npm start` made it. */
function localKey(): string {
  try {
    const known: { key: string } = JSON.parse(readFileSync(".wrangler/local-key.json", "utf8"));
    return known.key;
  } catch {
    return fail("--key or CONCLAVE_KEY is missing, and `npm start` has left none");
  }
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

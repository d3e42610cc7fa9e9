/**
 * `npm run eval:retrieval -- --data <file> [--url …] [--key …] [--as threads|entries] [--captions]`: measures search through the API
 * of a running Worker on a file of LoCoMo's or LongMemEval's JSON. The data are not part of the project.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
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
    captions: { type: "boolean", default: false },
    limit: { type: "string", default: "1000" },
  },
});
if (values.data === undefined) fail("--data <file> is missing: LoCoMo's or LongMemEval's JSON");
const key = values.key ?? localKey();
const depth = 25;

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
  const { memoryId, idOf } = await load(conversation);
  const loadedMs = Date.now() - started;
  const plain = plainBm25(conversation.turns);
  for (const { question, category, evidence, askedAt } of conversation.questions) {
    const begun = performance.now();
    const { entries } = await call("POST", `/v1/memories/${memoryId}/search`, {
      query: question,
      topEntries: depth,
      ...(askedAt === undefined ? {} : { asOf: askedAt }),
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

/** Puts a conversation into a memory of its own, a session a batch, and waits until all of it is indexed. */
async function load(conversation: EvaluationConversation): Promise<{ memoryId: string; idOf: Map<string, string> }> {
  const { memoryId } = await call("POST", `/v1/vaults/${vaultId}/memories`, {
    title: conversation.id,
    model: "offline",
  });
  const idOf = new Map<string, string>();
  const batch = 200;
  for (let from = 0; from < conversation.turns.length; from += batch) {
    const turns = conversation.turns.slice(from, from + batch);
    const { messages } = await call("POST", `/v1/memories/${memoryId}/threads/conversation/messages`, {
      messages: turns.map(({ role, text, caption, speaker, occurredAt }) => ({
        role,
        // A turn may be a picture alone.
        content: [text, ...(values.captions && caption !== undefined ? [caption] : [])].join(" ").trim() || "(nothing)",
        ...(speaker === undefined ? {} : { speaker }),
        occurredAt,
      })),
    });
    for (const [at, { entryId }] of messages.entries()) idOf.set(entryId, turns[at]?.id ?? "");
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

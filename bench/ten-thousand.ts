/**
 * What turns leave in the files of D1 and of sessions' objects: 10,000 through HTTP, of several tenants in sessions of ten turns, with the
 * offline model; then the schedule is run as a month later, until the audit is archived and usage added up. `tsx bench/ten-thousand.ts [turns]`
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { BenchWorker } from "./worker.js";

const turns = Number(process.argv[2] ?? 10_000);
const tenants = 4;
const turnsEach = 10;
/** Sessions in which something is said at the same time. */
const atOnce = 24;

interface Files {
  readonly files: number;
  readonly bytes: number;
  /** Without the pages that are free. */
  readonly used: number;
}

/** Of the databases in a folder, as their pages are: what a log beside them holds is counted. */
function filesIn(folder: string): Files {
  const names = readdirSync(folder).filter((name) => name.endsWith(".sqlite") && !name.startsWith("metadata"));
  const sizes = names.map((name) => {
    const database = new DatabaseSync(join(folder, name), { readOnly: true });
    const number = (pragma: string) => Number(Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0]);
    const size = { pages: number("page_count"), free: number("freelist_count"), page: number("page_size") };
    database.close();
    return size;
  });
  const sum = (bytes: (size: (typeof sizes)[number]) => number) => sizes.reduce((all, size) => all + bytes(size), 0);
  return {
    files: names.length,
    bytes: sum(({ pages, page }) => pages * page),
    used: sum(({ pages, free, page }) => (pages - free) * page),
  };
}

const worker = new BenchWorker("http://127.0.0.1:9/v1");
try {
  await worker.start();
  const d1 = () => filesIn(join(worker.folder, "v3/d1/miniflare-D1DatabaseObject"));
  const objects = () => filesIn(join(worker.folder, "v3/do/conclave-ChatSession"));
  const keys: string[] = [];
  for (let tenant = 0; tenant < tenants; tenant++) {
    const key = await worker.tenantKey();
    const rules = [{ match: { type: "personalData" }, action: "redact", reason: "personal" }];
    const hooks = ["request", "response"];
    await worker.call("PUT", "/v1/supervisors/privacy", key, { kind: "rules", hooks, config: { rules } });
    const agent = { kind: "model", model: "offline", instructions: "Be helpful.", supervisors: ["privacy"] };
    await worker.call("PUT", "/v1/agents/assistant", key, agent);
    keys.push(key);
  }
  const before = d1();
  const began = Date.now();
  let said = 0;
  let session = 0;
  const talk = async (): Promise<void> => {
    while (session < turns / turnsEach) {
      const key = keys[session++ % tenants] ?? "";
      const { sessionId } = await worker.call("POST", "/v1/sessions", key, { agent: "assistant" });
      for (let turn = 0; turn < turnsEach; turn++) {
        const content = `Where is my parcel, number ${session * turnsEach + turn}?`;
        const { status } = await worker.call("POST", `/v1/sessions/${String(sessionId)}/messages`, key, { content });
        if (status !== "completed") throw new Error(`the turn ended as ${String(status)}`);
        if (++said % 1_000 === 0) console.error(`${said} turns in ${Math.round((Date.now() - began) / 1_000)} s`);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, talk));
  const seconds = (Date.now() - began) / 1_000;
  // What is delivered by itself has come; then half an hour later, and nine days later for usage by the hour.
  await new Promise((resolve) => setTimeout(resolve, 15_000));
  const fresh = d1();
  const days = 86_400_000;
  for (const at of [days / 48, days / 24, 9 * days, 10 * days]) await worker.schedule(Date.now() + at);
  const kept = d1();
  const own = objects();
  const each = (bytes: number) => Math.round(bytes / said);
  console.log(
    `BENCH ${JSON.stringify({
      turns: said,
      seconds: Math.round(seconds),
      d1BytesATurn: { fresh: each(fresh.used - before.used), later: each(kept.used - before.used) },
      d1FileBytes: { before: before.bytes, fresh: fresh.bytes, later: kept.bytes },
      objects: own.files,
      objectBytes: Math.round(own.bytes / own.files),
      objectBytesATurn: each(own.bytes),
    })}`,
  );
} finally {
  worker.stop();
}
process.exit(0);

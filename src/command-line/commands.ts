/** The commands of `conclave`: what each takes, does and comes to. Help, pages and tests read this table. */
import { appendFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { audit } from "./audit.js";
import { type Command, flag, text } from "./command.js";
import { configCommands } from "./config-commands.js";
import { evals } from "./evals.js";
import { partsOf, sourceOf } from "./knowledge.js";
import { intoMemory } from "./memory-import.js";
import { placeOf, progressOf, show } from "./place.js";
import { intoReferences } from "./reference-import.js";
import { subjects } from "./subjects.js";
import { talkCommands } from "./talk-commands.js";
import { tenants } from "./tenants.js";

const importKnowledge: Command = {
  name: "import",
  takes: ["<folder>"],
  description: "store Markdown, HTML and text as references, or as entries of a memory, cut at their headings",
  about: "The same folder again changes only what differs. What left the folder is said.",
  examples: {
    "conclave import docs": "as references that agents find by themselves",
    "conclave import docs --memory mem_1 --prune": "as entries of a memory",
  },
  options: {
    memory: text("the id of a memory: as its entries"),
    as: text("what the folder is called, so that another one of its name doesn't mix; otherwise its name"),
    prune: flag("take away what came from this folder and isn't in it any more"),
  },
  run: async (options, folder = "") => {
    const { conclave } = placeOf(options);
    const source = sourceOf(folder, options.as);
    const parts = partsOf(folder, source);
    const of = { source, parts, prune: options.prune === true };
    const done =
      typeof options.memory === "string"
        ? await intoMemory(conclave, options.memory, of, progressOf(options))
        : await intoReferences(conclave, of);
    const { stored, corrected, unchanged, gone, removed } = done;
    const counts = [`${stored.length} stored`, `${corrected.length} corrected`, `${unchanged} as they were`];
    show(options, done, [
      ...stored.map((name) => `+ ${name}`),
      ...corrected.map((name) => `~ ${name}`),
      ...removed.map((name) => `- ${name}`),
      ...gone.map((name) => `${name}: it isn't in ${folder} any more; --prune takes it away`),
      [...counts, ...(removed.length === 0 ? [] : [`${removed.length} taken away`])].join(", "),
    ]);
    return 0;
  },
};

const usage: Command = {
  name: "usage",
  takes: [],
  description: "what the tenant has used",
  about: "Turns, tokens and what they cost, since the beginning.",
  examples: {
    "conclave usage": "",
  },
  options: {},
  run: async (options) => {
    const report = await placeOf(options).conclave.api.tenant.getUsage({});
    show(
      options,
      report,
      Object.entries(report.total).map(([what, count]) => `${what}: ${String(count)}`),
    );
    return 0;
  },
};

const exportAudit: Command = {
  name: "export",
  takes: ["<file>"],
  description: "write the audit of the tenant as JSON lines",
  about: "One line a row, the oldest first, in a file that only you read.",
  examples: {
    "conclave export audit.jsonl": "",
  },
  options: {},
  run: async (options, file = "") => {
    const answer = await placeOf(options).conclave.response("GET", "/v1/audit", { query: { format: "jsonl" } });
    const progress = progressOf(options);
    const decoder = new TextDecoder();
    let rows = 0;
    // In place of an earlier one only once it is whole.
    const part = `${file}.part`;
    rmSync(part, { force: true });
    writeFileSync(part, "", { mode: 0o600 });
    for await (const chunk of answer.body ?? []) {
      appendFileSync(part, chunk);
      rows += decoder.decode(chunk, { stream: true }).split("\n").length - 1;
      progress(`${rows} rows`);
    }
    progress("");
    renameSync(part, file);
    show(options, { file, rows }, [`${rows} rows in ${file}`]);
    return 0;
  },
};

export const commands: readonly Command[] = [
  ...configCommands,
  importKnowledge,
  ...talkCommands,
  usage,
  subjects,
  tenants,
  audit,
  evals,
  exportAudit,
];

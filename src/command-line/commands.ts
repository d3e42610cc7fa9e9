/** The commands of `conclave`: what each takes, does and comes to. Help, pages and tests read this table. */
import { readFileSync, writeFileSync } from "node:fs";
import { type Command, flag, text } from "./command.js";
import { folders } from "./folder.js";
import { partsOf, sourceOf } from "./knowledge.js";
import { intoMemory } from "./memory-import.js";
import { CommandError, keepKey, placeOf, progressOf, show, urlOfFolder } from "./place.js";
import { intoReferences } from "./reference-import.js";
import { subjects } from "./subjects.js";
import { applyFolder, type Change, planFolder, pullFolder } from "./sync.js";
import { answerAsk, chat, describeAsk, tail, terminalLines } from "./talk.js";

export const commands: readonly Command[] = [
  {
    name: "login",
    takes: [],
    description: "keep a key for a deployment in a file that only you read",
    options: {
      key: text("the key; otherwise it is read from the input"),
    },
    run: async (options) => {
      const url = options.url ?? process.env.CONCLAVE_URL ?? urlOfFolder(options.dir ?? ".");
      if (url === undefined) throw new CommandError("which deployment? Give --url");
      const lines = terminalLines();
      const key = (typeof options.key === "string" ? options.key : await lines.next("key (cnk_…): "))?.trim();
      lines.close();
      if (key === undefined || key === "") throw new CommandError("no key was given");
      const { conclave } = placeOf({ url }, { ...process.env, CONCLAVE_KEY: key });
      await conclave.request("GET", "/v1/agents", { query: { limit: 1 } });
      const path = keepKey(url, key);
      show(options, { url, path }, [`kept for ${url} in ${path}`]);
      return 0;
    },
  },
  {
    name: "pull",
    takes: [],
    description: `write the tenant's configuration into ${folders.join("/, ")}/ and settings.yaml`,
    options: {
      prune: flag("remove files of what the tenant doesn't have"),
    },
    run: async (options) => {
      const { written, removed, onlyHere } = await pullFolder(placeOf(options), options.prune === true);
      show(options, { written, removed, onlyHere }, [
        ...written.map((path) => `wrote ${path}`),
        ...removed.map((path) => `removed ${path}`),
        ...onlyHere.map((path) => `${path}: the tenant has none; --prune removes the file`),
        `${written.length} written`,
      ]);
      return 0;
    },
  },
  {
    name: "diff",
    takes: [],
    description: "say what apply would change; 0 for nothing, 2 for something",
    options: {
      prune: flag("count what isn't in the folder as to be deleted"),
    },
    run: async (options) => {
      const { changes, warnings, revision } = await planFolder(placeOf(options), options.prune === true);
      show(options, { revision, changes, warnings }, [
        ...linesOf(changes),
        ...warnings.map(({ path, message }) => `warning: ${path}: ${message}`),
      ]);
      return changes.length === 0 ? 0 : 2;
    },
  },
  {
    name: "apply",
    takes: [],
    description: "make the tenant what the folder says: all of it, or nothing",
    options: {
      prune: flag("delete what the folder doesn't have"),
      yes: flag("delete without being asked"),
    },
    run: async (options) => {
      const place = placeOf(options);
      const plan = await planFolder(place, options.prune === true);
      const deleted = plan.changes.filter(({ change }) => change === "delete");
      if (deleted.length > 0 && options.yes !== true) {
        throw new CommandError(
          `${deleted.length} would be deleted (${deleted.map(({ kind, name }) => `${kind}/${name}`).join(", ")}): say --yes to do that. Nothing was changed`,
        );
      }
      await applyFolder(place, plan);
      show(options, { changes: plan.changes, warnings: plan.warnings }, [
        ...linesOf(plan.changes),
        ...plan.warnings.map(({ path, message }) => `warning: ${path}: ${message}`),
        plan.changes.length === 0 ? "nothing to change" : `${plan.changes.length} changed`,
      ]);
      return 0;
    },
  },
  {
    name: "secrets",
    takes: [],
    description: "list the tenant's secrets, without their values",
    options: {},
    run: async (options) => {
      const { conclave } = placeOf(options);
      const { items } = await conclave.api.secrets.listSecrets({ limit: 200 });
      show(
        options,
        items,
        items.map(({ name, usedBy }) => `${name}  ${usedBy.length === 0 ? "named by nothing" : usedBy.join(", ")}`),
      );
      return 0;
    },
  },
  {
    name: "secret",
    takes: ["<name>"],
    description: "store a secret, read from the input, under a name",
    options: {
      host: text("the only host that it may be sent to"),
    },
    run: async (options, name = "") => {
      const value = readFileSync(0, "utf8").replace(/\r?\n$/, "");
      const stored = await placeOf(options).conclave.api.secrets.putSecret({
        name,
        body: { value, ...(typeof options.host === "string" ? { hosts: [options.host] } : {}) },
      });
      show(options, stored, [`stored ${name}`]);
      return 0;
    },
  },
  {
    name: "import",
    takes: ["<folder>"],
    description: "store Markdown, HTML and text as references, or as entries of a memory, cut at their headings",
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
  },
  {
    name: "chat",
    takes: ["<agent>"],
    description: "talk with an agent; questions are answered in place",
    options: {
      subject: text("the end user that the session belongs to"),
    },
    run: async (options, agent = "") => {
      const lines = terminalLines();
      await chat(
        placeOf(options).conclave,
        agent,
        typeof options.subject === "string" ? { subject: options.subject } : {},
        lines,
      );
      lines.close();
      return 0;
    },
  },
  {
    name: "tail",
    takes: [],
    description: "follow what supervisors decide",
    options: {
      blocked: flag("only what was blocked"),
      once: flag("what there is, and no more"),
    },
    run: async (options) => {
      await tail(placeOf(options).conclave, {
        blocked: options.blocked === true,
        json: options.json === true,
        once: options.once === true,
      });
      return 0;
    },
  },
  {
    name: "asks",
    takes: [],
    description: "list what waits for people",
    options: {},
    run: async (options) => {
      const { items } = await placeOf(options).conclave.asks.list({ status: "open", limit: 200 });
      show(options, items, items.length === 0 ? ["nothing waits"] : items.map(describeAsk));
      return 0;
    },
  },
  {
    name: "answer",
    takes: ["<ask>", "[answer...]"],
    description: "answer a question, an approval or a review",
    options: {},
    run: async (options, askId = "", said = "") => {
      const { conclave } = placeOf(options);
      const ask = await answerAsk(conclave, await conclave.asks.get(askId), said);
      show(options, ask, [`${ask.askId} is ${ask.status}`]);
      return 0;
    },
  },
  {
    name: "try",
    takes: ["<supervisor>", "<file>"],
    description: "show what a supervisor makes of a text",
    options: {
      hook: text("request or response"),
    },
    run: async (options, supervisor = "", file = "") => {
      const text = readFileSync(file, "utf8");
      const hook = options.hook === "response" ? "response" : "request";
      const result = await placeOf(options).conclave.api.supervisors.trySupervision({
        body: { supervisors: [supervisor], on: { text, hook } },
      });
      const { action, reasons, text: after } = result.together;
      show(options, result, [`${action}  ${reasons.join(" ")}`, ...(after === text ? [] : [after])]);
      return action === "allow" ? 0 : 2;
    },
  },
  {
    name: "usage",
    takes: [],
    description: "what the tenant has used",
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
  },
  subjects,
  {
    name: "export",
    takes: ["<file>"],
    description: "write the audit of the tenant as JSON lines",
    options: {},
    run: async (options, file = "") => {
      const answer = await placeOf(options).conclave.response("GET", "/v1/audit", { query: { format: "jsonl" } });
      const text = await answer.text();
      writeFileSync(file, text, { mode: 0o600 });
      const rows = text.split("\n").filter((line) => line !== "").length;
      show(options, { file, rows }, [`${rows} rows in ${file}`]);
      return 0;
    },
  },
];

function linesOf(changes: readonly Change[]): string[] {
  const signs = { create: "+", change: "~", delete: "-" };
  return changes.map(
    ({ kind, name, change, fields }) =>
      `${signs[change]} ${kind}/${name}${fields === undefined ? "" : `  (${fields.join(", ")})`}`,
  );
}

/** Runs an eval that a file describes, waits for it, and says whether what it came to is enough: for a change of a guardrail in CI. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import type { Conclave, Schemas } from "../client/index.js";
import { type Command, text } from "./command.js";
import { isBody } from "./folder.js";
import { CommandError, type Progress, placeOf, progressOf, show } from "./place.js";

/** Shares that have to be reached, and those that may not be passed. */
const atLeast = ["correct", "precision", "recall"] as const;
const atMost = ["falseAlarms", "flips"] as const;
/** How often it is asked how far the eval is, in milliseconds. */
const askedAfterMs = 500;

type CandidateReport = Schemas["Comparison"]["candidates"][number];

export const evals: Command = {
  name: "eval",
  takes: ["<run>", "<file>"],
  description: "run an eval that a file describes, and say whether it is good enough",
  about:
    "The file is what `POST /v1/evals` takes, as YAML or JSON, with `items` (a file of JSON lines that is imported first) and `thresholds` beside it.",
  examples: {
    "conclave eval run evals/guard.yaml": "the comparison, and what isn't met",
    "conclave eval run evals/guard.yaml --json": "for a program",
  },
  differs: "a threshold isn't met, or nothing is known of its share yet",
  options: {
    candidate: text("whose shares have to meet the thresholds; otherwise the last one's"),
  },
  run: async (options, what = "", file = "") => {
    if (what !== "run") throw new CommandError(`"${what}" can't be done with an eval: run can`);
    const { conclave } = placeOf(options);
    const { items, thresholds, body } = readPlan(file);
    if (items !== undefined) await importItems(conclave, String(body.dataset), join(dirname(file), items));
    const started = await conclave.request<Schemas["Eval"]>("POST", "/v1/evals", { body });
    const ended = await end(conclave, started, progressOf(options));
    const comparison = await conclave.api.evals.getEvalComparison({ evalId: ended.evalId });
    const name = typeof options.candidate === "string" ? options.candidate : comparison.candidates.at(-1)?.candidate;
    const judged = comparison.candidates.find(({ candidate }) => candidate === name);
    if (judged === undefined) throw new CommandError(`the eval has no candidate "${name}"`);
    const unmet = [
      ...(ended.status === "completed" ? [] : [`the eval is ${ended.status}: ${ended.reason ?? "it didn't end"}`]),
      ...unmetBy(judged, comparison.pairs, thresholds),
    ];
    const readable = await conclave.response("GET", `/v1/evals/${ended.evalId}/comparison`, {
      query: { format: "markdown" },
    });
    show(options, { eval: ended, comparison, unmet }, [
      (await readable.text()).trimEnd(),
      "",
      ...unmet,
      unmet.length === 0 ? "met" : `${unmet.length} not met`,
    ]);
    return unmet.length === 0 ? 0 : 2;
  },
};

/**
 * What of the thresholds isn't met, in words. A share of too few items is not known, and so isn't met.
 * @param thresholds `{ recall: 0.9, falseAlarms: 0.05, failed: 0, worse: false }`
 */
function unmetBy(
  judged: CandidateReport,
  pairs: Schemas["Comparison"]["pairs"],
  thresholds: Readonly<Record<string, unknown>>,
): string[] {
  return Object.entries(thresholds).flatMap(([name, bound]) => {
    if (name === "worse" && bound === false) {
      const worse = pairs.find(({ candidate, verdict }) => candidate === judged.candidate && verdict === "worse");
      return worse === undefined ? [] : [`${judged.candidate} is worse than ${worse.against}: ${worse.summary}`];
    }
    if (typeof bound !== "number") throw new CommandError(`the threshold ${name} has to be a number`);
    if (name === "failed")
      return judged.failed <= bound
        ? []
        : [`${judged.failed} results of ${judged.candidate} failed: at most ${bound} may`];
    const [least, most] = [atLeast.find((one) => one === name), atMost.find((one) => one === name)];
    const measure = least ?? most;
    if (measure === undefined) {
      throw new CommandError(
        `there is no threshold "${name}": ${[...atLeast, ...atMost, "failed", "worse"].join(", ")} are`,
      );
    }
    const share = judged[measure]?.share;
    if (share === undefined)
      return [`${measure} of ${judged.candidate} isn't known: under 20 items say something of it`];
    if (least !== undefined && share < bound)
      return [`${measure} of ${judged.candidate} is ${share}: at least ${bound} is wanted`];
    return most !== undefined && share > bound
      ? [`${measure} of ${judged.candidate} is ${share}: at most ${bound} is wanted`]
      : [];
  });
}

/** The body of `POST /v1/evals`, with `thresholds` and `items` beside it. */
function readPlan(file: string) {
  const read: unknown = parse(readFileSync(file, "utf8"));
  if (!isBody(read)) throw new CommandError(`${file} has to hold what POST /v1/evals takes: dataset, candidates`);
  const { items, thresholds = {}, ...body } = read;
  if (!isBody(thresholds)) throw new CommandError(`thresholds of ${file} are names with numbers`);
  if (items !== undefined && typeof items !== "string")
    throw new CommandError(`items of ${file} is the path of a file`);
  return { items, thresholds, body };
}

/** Again it adds nothing: an item is known by what it says. */
async function importItems(conclave: Conclave, dataset: string, path: string): Promise<void> {
  await conclave.api.evals.putDataset({ name: dataset, body: {} });
  const { invalid } = await conclave.api.evals.createDatasetItem({ name: dataset, body: readFileSync(path, "utf8") });
  const [first] = invalid;
  if (first !== undefined) throw new CommandError(`line ${first.line} of ${path}: ${first.detail}`);
}

async function end(conclave: Conclave, started: Schemas["Eval"], progress: Progress): Promise<Schemas["Eval"]> {
  let now = started;
  while (now.status === "running") {
    await new Promise((done) => setTimeout(done, askedAfterMs));
    now = await conclave.api.evals.getEval({ evalId: now.evalId });
    progress(`${now.progress.done} of ${now.progress.wanted}`);
  }
  progress("");
  return now;
}

/**
 * Routing decisions as models write them: as arguments of `route_to`, or as JSON somewhere in a text. What can be understood
 * without guessing is put right; everything else is refused with words that say what would be right.
 */
import { z } from "zod";
import { lazily } from "../text/lazily.js";
import { jsonObjectsIn, readProbability } from "../text/written-json.js";
import type { Choice } from "./routing-input.js";

export type ReadDecision =
  | { readonly ok: true; readonly choice: Choice }
  | { readonly ok: false; readonly problem: string };

const looseSchema = lazily(() =>
  z.object({
    targetAgent: z.union([z.string(), z.array(z.string())]).nullish(),
    targetAgents: z.union([z.string(), z.array(z.string())]).nullish(),
    /** As the description calls them, and some models then do too. */
    worker: z.union([z.string(), z.array(z.string())]).nullish(),
    workers: z.union([z.string(), z.array(z.string())]).nullish(),
    reasoning: z.string().nullish(),
    confidence: z.union([z.number(), z.string()]).nullish(),
    task: z.string().nullish(),
    reevaluate: z.boolean().nullish(),
  }),
);

const unstatedConfidence = 0.5;

/** @param live the workers that can be chosen; @param known all workers of the team, so that a busy one differs from an invented one. */
export function checkDecision(value: unknown, live: readonly string[], known: readonly string[]): ReadDecision {
  const parsed = looseSchema().safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return problem(`${issue?.path.join(".") || "the decision"}: ${issue?.message ?? "it can't be read"}`);
  }
  const { targetAgent, targetAgents, worker, workers, reasoning, confidence, task, reevaluate } = parsed.data;
  const named = [targetAgent, targetAgents, worker, workers].flatMap((ids) => ids ?? []).map((id) => id.trim());
  // Named twice is meant once.
  const targets = [...new Set(named.map((id) => known.find((one) => same(one, id)) ?? id))].filter((id) => id !== "");
  const choices = `The workers are: ${live.join(", ")}.`;
  if (targets.length === 0) return problem(`it names no worker in targetAgent or targetAgents. ${choices}`);
  for (const id of targets) {
    if (!known.includes(id)) return problem(`there is no worker "${id}". ${choices}`);
    if (!live.includes(id)) return problem(`the worker "${id}" can't be chosen now. ${choices}`);
  }
  const sure = confidence == null ? unstatedConfidence : readProbability(confidence);
  if (sure === undefined) return problem(`confidence is a number from 0 to 1, not ${JSON.stringify(confidence)}`);
  return {
    ok: true,
    choice: {
      targets,
      reasoning: reasoning?.trim() || "No reasoning was given.",
      confidence: sure,
      ...(task == null || task.trim() === "" ? {} : { task: task.trim() }),
      ...(reevaluate === true ? { reevaluate: true } : {}),
    },
  };
}

/** Reads a decision out of a text: bare, fenced, or with prose around it; broken JSON is repaired. */
export function readDecision(text: string, live: readonly string[], known: readonly string[]): ReadDecision {
  let first: ReadDecision | undefined;
  for (const value of jsonObjectsIn(text)) {
    const read = checkDecision(value, live, known);
    if (read.ok) return read;
    first ??= read;
  }
  return first ?? problem(text.trim() === "" ? "it is empty" : "it holds no JSON object");
}

function same(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function problem(text: string): ReadDecision {
  return { ok: false, problem: text };
}

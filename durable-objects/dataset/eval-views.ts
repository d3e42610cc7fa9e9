/** What is shown of evals: how far they are, what they come to, and their results with what they are of. */
import { countedInput, defaultMaxOutputTokens } from "../../src/agent/call-budget.js";
import { defined } from "../../src/conversation/defined.js";
import { type Result, refuse } from "../../src/conversation/problem.js";
import {
  type Candidate,
  type Eval,
  type ItemResult,
  maxCalls,
  type Supervising,
} from "../../src/evidence/evaluation.js";
import { contentOf } from "../../src/evidence/item.js";
import type { EvalToStart } from "../../src/gateways/dataset-gateway.js";
import { estimateTokens } from "../../src/model/estimate.js";
import type { EvalRecord, EvalStore } from "./eval-store.js";
import type { DatasetStore } from "./store.js";

type Shown = Omit<EvalRecord, "wanted" | "doneTo" | "slice" | "greatest"> & {
  readonly done: number;
  readonly failed: number;
};

export function evalView(record: Shown, dataset: string): Eval {
  const { evalId, version, status, reason, definition, items, estimate, done, failed, maxTokens, endedAt } = record;
  const { spent, reserved, createdAt } = record;
  return {
    ...{ evalId, dataset, version, status },
    ...defined({ reason }),
    candidates: definition.candidates.map(shownCandidate),
    repeats: definition.repeats,
    progress: { items, wanted: estimate.calls, done, failed },
    ...{ spent, reserved },
    ...defined({ maxTokens }),
    estimate,
    createdAt: new Date(createdAt).toISOString(),
    ...defined({ endedAt: endedAt === undefined ? undefined : new Date(endedAt).toISOString() }),
  };
}

function shownCandidate(candidate: Candidate): Eval["candidates"][number] {
  const { name } = candidate;
  if ("supervisors" in candidate) return { name, supervisors: supervisorNames(candidate) };
  const { version, agent, team, panel } = candidate;
  const pinned = (resource: string | undefined) =>
    resource && (version === undefined ? resource : `${resource}@${version}`);
  return { name, supervisors: [], ...defined({ agent: pinned(agent), team: pinned(team), panel: pinned(panel) }) };
}

function supervisorNames({ supervisors }: Supervising): string[] {
  return supervisors.map((one) => {
    if (typeof one === "string") return one;
    if ("kind" in one) return typeof one.name === "string" ? one.name : "body";
    return one.version === undefined ? one.name : `${one.name}@${one.version}`;
  });
}

/** Of a usual answer of a model that decides, in tokens. */
const usualOutput = 200;

interface Estimated {
  readonly estimate: Eval["estimate"];
  /** What a slice reserves for each unit at first. */
  readonly greatest: number;
  readonly problem?: Result<never>;
}

/** What an eval comes to, by its texts: calls of models and their tokens as they usually are. */
export function estimateOf(wanted: EvalToStart, store: DatasetStore, version: number): Estimated {
  const { candidates, repeats, modelCalls, promptTokens, maxTokens } = wanted;
  let items = 0;
  let tokens = 0;
  let longest = 0;
  for (let after = 0, page = store.items(version, 0, 500); page.length > 0; page = store.items(version, after, 500)) {
    for (const { n, item } of page) {
      const text = estimateTokens(contentOf(item));
      items++;
      tokens += text;
      longest = Math.max(longest, text);
      after = n;
    }
  }
  const calls = items * candidates.length * repeats;
  const each = modelCalls.reduce((sum, so) => sum + so, 0);
  const estimate = {
    calls,
    modelCalls: items * each * repeats,
    tokens: each * repeats * (tokens + items * (promptTokens + usualOutput)),
  };
  const most = Math.max(0, ...modelCalls);
  const greatest = most * (countedInput(longest + promptTokens) + defaultMaxOutputTokens);
  if (calls > maxCalls)
    return {
      ...{ estimate, greatest },
      problem: refuse(
        "invalid",
        `It would be ${calls} calls, of at most ${maxCalls}. Take fewer candidates or repeats, or a smaller dataset.`,
      ),
    };
  if (most > 0 && maxTokens === undefined && !wanted.onlyEstimate)
    return {
      ...{ estimate, greatest },
      problem: refuse(
        "invalid",
        "Its candidates call models: say maxTokens, the most that they may take together. `estimate: true` says what it may come to.",
        {
          errors: [{ path: "maxTokens", message: "has to be said where a model is called" }],
        },
      ),
    };
  return { estimate, greatest };
}

/** Results of whole items, in their order. */
export function itemResults(
  { evalId, version, definition }: EvalRecord,
  { store, evals }: { readonly store: DatasetStore; readonly evals: EvalStore },
  after: number,
  limit: number,
): { readonly results: ItemResult[]; readonly next: number | null } {
  const rows = evals.results(evalId, after, limit);
  const places = [...new Set(rows.map(({ n }) => n))];
  const items = new Map(store.at(version, places).map(({ n, item }) => [n, item]));
  const results = rows.flatMap(({ n, candidate, repeat, correct, result }): ItemResult[] => {
    const item = items.get(n);
    const name = definition.candidates[candidate]?.name;
    if (item === undefined || name === undefined) return [];
    const { itemId, expected, group, weight } = item;
    return [{ itemId, candidate: name, repeat, result, ...defined({ expected, group, weight, correct }) }];
  });
  return { results, next: places.length < limit ? null : (places.at(-1) ?? null) };
}

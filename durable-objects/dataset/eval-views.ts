/** What is shown of evals: how far they are, what they come to, and their results with what they are of. */
import { defined } from "../../src/conversation/defined.js";
import { type Estimated, estimated } from "../../src/evidence/estimate.js";
import { type Eval, type ItemResult, pinnedName, shownCandidate } from "../../src/evidence/evaluation.js";
import { contentOf, type Item } from "../../src/evidence/item.js";
import { judgedOf, orders } from "../../src/evidence/judgement.js";
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
    ...defined({ judge: definition.judge && pinnedName(definition.judge.agent, definition.judge.version) }),
    progress: { items, wanted: estimate.calls, done, failed },
    ...{ spent, reserved },
    ...defined({ maxTokens }),
    estimate,
    createdAt: new Date(createdAt).toISOString(),
    ...defined({ endedAt: endedAt === undefined ? undefined : new Date(endedAt).toISOString() }),
  };
}

/** What an eval comes to, by its texts: calls of models and their tokens as they usually are. */
export function estimateOf(
  wanted: EvalToStart,
  store: DatasetStore,
  version: number,
): Estimated & { /** Items that are turns of sessions. */ readonly turns: number } {
  let items = 0;
  let turns = 0;
  let tokens = 0;
  let longest = 0;
  for (let after = 0, page = store.items(version, 0, 500); page.length > 0; page = store.items(version, after, 500)) {
    for (const { n, item } of page) {
      const text = estimateTokens(contentOf(item));
      items++;
      if (typeof item.input === "object" && "turnId" in item.input) turns++;
      tokens += text;
      longest = Math.max(longest, text);
      after = n;
    }
  }
  return { ...estimated({ items, tokens, longest }, { ...wanted, candidates: wanted.candidates.length }), turns };
}

/** Inputs of results are shown up to this many characters, as JSON: each candidate's result has its own. */
const longestShown = 4_000;
const isShort = (input: Item["input"]): boolean => JSON.stringify(input).length <= longestShown;

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
  const byPlace = new Map(rows.map((row) => [`${row.n} ${row.candidate} ${row.repeat}`, row.result]));
  /** What a judge made of it, in each order: its places come behind the candidates'. */
  const said = (n: number, candidate: number, repeat: number) => {
    const first = definition.candidates.length + (candidate - 1) * orders;
    const of = (place: number) => (candidate === 0 ? undefined : byPlace.get(`${n} ${place} ${repeat}`));
    return [of(first), of(first + 1)] as const;
  };
  const results = rows.flatMap(({ n, candidate, repeat, correct, result }): ItemResult[] => {
    const item = items.get(n);
    const name = definition.candidates[candidate]?.name;
    if (item === undefined || name === undefined) return [];
    const { itemId, expected, group, weight } = item;
    const input = isShort(item.input) ? item.input : undefined;
    const judged = judgedOf(...said(n, candidate, repeat));
    return [
      { itemId, candidate: name, repeat, result, ...defined({ input, expected, group, weight, correct, judged }) },
    ];
  });
  return { results, next: places.length < limit ? null : (places.at(-1) ?? null) };
}

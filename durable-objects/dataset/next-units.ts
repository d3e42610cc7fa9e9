/** What of an eval is to be done next: units that have no result, in the order of items; a judge's once there are answers to compare. */

import type { AnswerPair } from "../../src/application/evidence/judge-pair.js";
import type { SliceUnit } from "../../src/application/evidence/judge-units.js";
import { defined } from "../../src/conversation/defined.js";
import { unitsOf } from "../../src/evidence/evaluation.js";
import { orders } from "../../src/evidence/judgement.js";
import type { EvalRecord, EvalStore, StoredResult } from "./eval-store.js";
import type { DatasetStore } from "./store.js";

/** Items that are looked at for a slice, at most. */
const itemsAtOnce = 200;

interface NextUnits {
  readonly units: readonly SliceUnit[];
  /** The last item up to which nothing is left. */
  readonly doneTo: number;
  /** There is more, for which there is no room. */
  readonly isFull: boolean;
}

/** @param most units */
export function nextUnits(record: EvalRecord, most: number, store: DatasetStore, rows: EvalStore): NextUnits {
  const { evalId, version, definition } = record;
  const candidates = definition.candidates.length;
  const places = candidates + (definition.judge === undefined ? 0 : (candidates - 1) * orders);
  const units: SliceUnit[] = [];
  let [doneTo, after, isWhole] = [record.doneTo, record.doneTo, true];
  for (;;) {
    const items = store.items(version, after, itemsAtOnce);
    for (const { n, item } of items) {
      const done = rows.doneOf(evalId, n);
      for (const { candidate, repeat } of unitsOf(item.itemId, places, definition.repeats)) {
        if (done.has(`${candidate} ${repeat}`)) continue;
        isWhole = false;
        const pair = candidate < candidates ? undefined : pairAt(candidate - candidates);
        // There is nothing to compare yet.
        if (pair !== undefined && !(done.has(`0 ${repeat}`) && done.has(`${pair.candidate} ${repeat}`))) continue;
        if (units.length >= most) return { units, doneTo, isFull: true };
        const answers = pair && answersOf(rows.ofItem(evalId, n), pair, repeat);
        units.push({ n, item, candidate, repeat, ...defined({ answers }) });
      }
      if (isWhole) doneTo = n;
      after = n;
    }
    if (items.length < itemsAtOnce) return { units, doneTo, isFull: false };
  }
}

interface Pair {
  /** Which candidate is held against the first one. */
  readonly candidate: number;
  readonly first: AnswerPair["first"];
}

/** @param at a judge's place behind the candidates */
function pairAt(at: number): Pair {
  return { candidate: 1 + Math.floor(at / orders), first: at % orders === 0 ? "against" : "candidate" };
}

function answersOf(results: readonly StoredResult[], { candidate, first }: Pair, repeat: number): AnswerPair {
  const of = (place: number) => results.find((one) => one.candidate === place && one.repeat === repeat)?.result;
  const [against, own] = [of(0), of(candidate)];
  const isFailed = against?.failed !== undefined || own?.failed !== undefined;
  return { against: against?.text, candidate: own?.text, isFailed, first };
}

/** A slice of an eval: each of its units is an item that a candidate judges or answers, without any effect. */
import type { CallBudget } from "../../agent/call-budget.js";
import { TokenPool } from "../../agent/token-pool.js";
import type { ModelUsage } from "../../agent/work.js";
import { ProblemError } from "../../conversation/problem.js";
import { isCorrect } from "../../evidence/correctness.js";
import type { Candidate, NewEval, Result } from "../../evidence/evaluation.js";
import type { Item } from "../../evidence/item.js";
import { addTokens, type CancelSignal, noTokens, type TokenUsage } from "../../model/port.js";
import { readJson } from "../../text/json.js";
import { validateArguments } from "../argument-check.js";
import type { RootPlatform } from "../root-platform.js";
import type { Services } from "../services.js";
import { addModelUsage } from "../usage/record-usage.js";
import { judgeByAnswer, judgeBySupervisors } from "./judge-item.js";
import { type AnswerPair, pairJudge } from "./judge-pair.js";

/** Units that are judged at once, for each of `parallel`. */
const atOnce = 6;

export interface SliceUnit {
  readonly n: number;
  readonly item: Item;
  readonly candidate: number;
  readonly repeat: number;
  /** Of a judge, whose places come behind the candidates'. */
  readonly answers?: AnswerPair;
}

export interface JudgedUnit extends Pick<SliceUnit, "n" | "candidate" | "repeat"> {
  readonly correct: boolean | undefined;
  readonly result: Result;
}

export interface JudgedSlice {
  /** Without those for which no tokens were left. */
  readonly judged: readonly JudgedUnit[];
  readonly usage: readonly ModelUsage[];
  /** Tokens, with what calls without an answer may have taken. */
  readonly spent: number;
  /** What the most expensive call that was refused would have taken; 0 where none was. */
  readonly refused: number;
}

export interface Slice {
  readonly tenantId: string;
  readonly evalId: string;
  readonly candidates: readonly Candidate[];
  readonly judge?: NewEval["judge"];
  readonly units: readonly SliceUnit[];
  readonly parallel: number;
  readonly callHttp: boolean;
  readonly copy: boolean;
  /** What its calls may come to; without it no model is called. */
  readonly tokens: number;
  /** The tenant's limits, where it has some. */
  readonly limits: CallBudget | undefined;
  readonly isHeld: () => boolean;
  /** Aborted once it isn't held: calls under way end, too. */
  readonly signal: CancelSignal;
}

export async function judgeUnits(slice: Slice, services: Services, work: RootPlatform["at"]): Promise<JudgedSlice> {
  const { units, parallel, isHeld } = slice;
  const usage = new Map<string, ModelUsage>();
  const pool = new TokenPool(slice.tokens);
  const taking = (model: string, used: TokenUsage): void => addModelUsage(usage, model, used);
  const judges = await Promise.all(
    slice.candidates.map((candidate) =>
      "supervisors" in candidate
        ? judgeBySupervisors(candidate, slice, services)
        : judgeByAnswer(candidate, slice, services, work),
    ),
  );
  const { judge: chosen } = slice;
  const pairs = chosen && (await pairJudge({ name: chosen.agent, ...chosen }, slice, services, work));
  const judged: JudgedUnit[] = [];
  let refused = 0;
  const left = [...units];
  const worker = async (): Promise<void> => {
    for (let unit = left.shift(); unit !== undefined && isHeld(); unit = left.shift()) {
      const done = await judge(unit);
      if (done !== undefined) judged.push(done);
    }
  };
  await Promise.all(Array.from({ length: Math.min(left.length, atOnce * parallel) }, worker));
  return { judged, usage: [...usage.values()], spent: pool.spent, refused };

  /** Nothing where there were no tokens left for it. */
  async function judge({ item, n, candidate, repeat, answers }: SliceUnit): Promise<JudgedUnit | undefined> {
    const started = services.now();
    let wasRefused = false;
    let taken: TokenUsage = noTokens;
    const budget = pool.budget((tokens) => {
      wasRefused = true;
      refused = Math.max(refused, tokens);
    }, slice.limits);
    const calls = {
      signal: slice.signal,
      budget,
      taken: (model: string, used: TokenUsage) => {
        taking(model, used);
        taken = addTokens(taken, used);
      },
    };
    const compared = answers && pairs?.(item, answers, calls).then((made) => ({ before: undefined, result: made }));
    const { before, result } = await (compared ?? judges[candidate]?.(item, calls) ?? Promise.resolve(nobody)).catch(
      (error: unknown) => ({ before: undefined, result: { action: "allow" as const, failed: failureOf(error) } }),
    );
    if (wasRefused) return undefined;
    const whole: Result = {
      ...result,
      latencyMs: services.now() - started,
      ...(taken === noTokens ? {} : { usage: taken }),
    };
    const correct = answers === undefined ? isCorrect(item.expected, whole, before, fitsSchema) : undefined;
    const { text: _, ...withoutText } = whole;
    // But for an operator's choice, a text of a turn stays in its session alone, also as it was changed: what is erased there is gone from here.
    const isOfTurn = typeof item.input === "object" && "turnId" in item.input;
    return { n, candidate, repeat, correct, result: isOfTurn && !slice.copy ? withoutText : whole };
  }
}

const nobody = { before: undefined, result: { action: "allow" as const, failed: "there is no such candidate" } };

function fitsSchema(parameters: Readonly<Record<string, unknown>>, text: string): boolean {
  const { value, problem } = readJson(text);
  return problem === undefined && validateArguments({ parameters }, value).length === 0;
}

function failureOf(error: unknown): string {
  // What others throw may say anything; only our own refusals are shown.
  return error instanceof ProblemError ? error.message : "it couldn't be judged; the log says why";
}

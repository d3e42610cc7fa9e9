/** A slice of an eval: each of its units is a text that a candidate judges, without any effect. */
import type { CallBudget } from "../../agent/call-budget.js";
import { TokenPool } from "../../agent/token-pool.js";
import { transientJournalWithin } from "../../agent/transient-journal.js";
import type { ModelUsage } from "../../agent/work.js";
import { defined } from "../../conversation/defined.js";
import { ProblemError } from "../../conversation/problem.js";
import { isCorrect } from "../../evidence/correctness.js";
import type { Candidate, Result } from "../../evidence/evaluation.js";
import type { Item } from "../../evidence/item.js";
import { addTokens, noTokens, type TokenUsage } from "../../model/port.js";
import { withCancelSignal } from "../../platform/clock.js";
import { readableText } from "../../supervision/subject.js";
import type { Supervisor } from "../../supervision/supervisor.js";
import { trySupervisors } from "../../supervision/trial.js";
import { systemActor } from "../../tenancy/actor.js";
import { saltedHash } from "../salted-hash.js";
import type { Services } from "../services.js";
import { trialContext } from "../supervision/trial-context.js";
import { loadTried } from "../supervision/tried-supervisors.js";
import { originalOfTurn, subjectAt, type TriedText, triedText } from "../supervision/tried-text.js";
import { addModelUsage, builtForTrial, trialOrigin } from "../supervision/try-supervisors.js";
import { tenantPolicies } from "../work-setup.js";

/** How long one unit may take, in milliseconds. */
const longestUnitMs = 120_000;
/** Units that are judged at once, for each of `parallel`. */
const atOnce = 6;

export interface SliceUnit {
  readonly n: number;
  readonly item: Item;
  readonly candidate: number;
  readonly repeat: number;
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
  readonly units: readonly SliceUnit[];
  readonly parallel: number;
  readonly callHttp: boolean;
  /** What its calls may come to; without it no model is called. */
  readonly tokens: number;
  /** The tenant's limits, where it has some. */
  readonly limits: CallBudget | undefined;
  readonly isHeld: () => boolean;
}

export async function judgeUnits(slice: Slice, services: Services): Promise<JudgedSlice> {
  const { tenantId, units, parallel, isHeld } = slice;
  const usage = new Map<string, ModelUsage>();
  const pool = new TokenPool(slice.tokens);
  const judges = await Promise.all(
    slice.candidates.map(async ({ supervisors }) => {
      const tried = await loadTried(supervisors, { tenantId }, services);
      return (taken: (used: TokenUsage) => void): Supervisor[] => {
        const builder = services.supervisors.counting((model, used) => {
          addModelUsage(usage, model, used);
          taken(used);
        });
        // What is stored as a shadow is held against texts as if it were enforced: it is to be known before it is.
        return tried.map((one): Supervisor => ({ ...builtForTrial(tenantId, one, builder), mode: "enforce" }));
      };
    }),
  );
  const { strict } = await tenantPolicies(tenantId, services);
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
  async function judge({ item, n, candidate, repeat }: SliceUnit): Promise<JudgedUnit | undefined> {
    const started = services.now();
    let wasRefused = false;
    let taken: TokenUsage = noTokens;
    const of = (result: Omit<Result, "latencyMs" | "usage">, before = ""): JudgedUnit => {
      const whole: Result = {
        ...result,
        latencyMs: services.now() - started,
        ...(taken === noTokens ? {} : { usage: taken }),
      };
      const correct = isCorrect(item.expected, whole, before);
      const { text: _, ...withoutText } = whole;
      // A text of a turn stays in its session alone, also as it was changed: what is erased there is gone from here.
      const isOfTurn = typeof item.input === "object" && "turnId" in item.input;
      return { n, candidate, repeat, correct, result: isOfTurn ? withoutText : whole };
    };
    const text = await textOf(tenantId, item, services).catch((error: unknown) => failure(error));
    if ("failed" in text) return of({ action: "allow", failed: text.failed });
    const supervisors = judges[candidate]?.((used) => {
      taken = addTokens(taken, used);
    });
    const leftOut = (supervisors ?? []).filter(({ kind }) => kind === "http" && !slice.callHttp);
    const budget = pool.budget((tokens) => {
      wasRefused = true;
      refused = Math.max(refused, tokens);
    }, slice.limits);
    try {
      const { together, alone } = await withCancelSignal(longestUnitMs, () =>
        trySupervisors(text.subject, supervisors ?? [], new Map(leftOut.map(({ name }) => [name, "not called"])), {
          now: services.now,
          withDeadline: withCancelSignal,
          hash: (subject) => saltedHash(slice.evalId, subject),
          strict,
          environment: {
            transcript: () => text.transcript,
            context: trialContext(tenantId, trialOrigin, services),
            // A sample takes an item or leaves it, each time.
            workId: item.itemId,
          },
          journal: transientJournalWithin(budget),
        }),
      );
      if (wasRefused) return undefined;
      const failed = alone.flatMap(({ supervisor, evaluation }) =>
        evaluation?.failed === undefined ? [] : [`${supervisor}: ${evaluation.failed}`],
      );
      const matched = alone.flatMap(({ supervisor, evaluation }) =>
        (evaluation?.verdict.rules ?? []).map((rule) => `${supervisor}: ${rule}`),
      );
      const before = readableText(text.subject);
      return of(
        {
          action: together.action,
          ...defined({
            text: together.text === before ? undefined : together.text,
            matched: matched.length === 0 ? undefined : matched,
            failed: failed.length === 0 ? undefined : failed.join("; "),
          }),
        },
        before,
      );
    } catch (error) {
      return wasRefused ? undefined : of({ action: "allow", failed: failure(error).failed });
    }
  }
}

function failure(error: unknown): { readonly failed: string } {
  // What others throw may say anything; only our own refusals are shown.
  return { failed: error instanceof ProblemError ? error.message : "it couldn't be judged; the log says why" };
}

async function textOf(tenantId: string, { hook, input }: Item, services: Services): Promise<TriedText> {
  if (typeof input === "string") return { subject: subjectAt(hook, input, services.now()), transcript: [] };
  if ("messages" in input) return triedText(input, hook, systemActor(tenantId, "eval"), services);
  if (hook !== "request" && hook !== "response") throw new TypeError("items of turns stand at request or response");
  return originalOfTurn(tenantId, { ...input, hook }, services);
}

/**
 * Retries and fail-over: which failure is worth another attempt, how long to wait for it, and which model comes next. Pure;
 * the waiting, the dice and the calls are passed in.
 */
import { defined } from "../conversation/defined.js";
import {
  type CancelSignal,
  type ModelCallOptions,
  ModelError,
  type ModelErrorKind,
  type ModelListener,
  type ModelResult,
  type TokenUsage,
} from "./port.js";
import type { ProviderReply } from "./provider.js";

/** How often and how patiently a call is retried. */
export interface RetryPolicy {
  readonly attemptsPerModel: number;
  /** Waited before the second attempt, doubled before each further one; jitter takes off up to half of it. */
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
  /** A provider that asks for a longer wait than this isn't tried again within the call. */
  readonly maxRetryAfterMs: number;
}

/** What holds where the configuration says nothing. */
export const defaultRetryPolicy: RetryPolicy = {
  attemptsPerModel: 3,
  baseDelayMs: 500,
  maxDelayMs: 8_000,
  maxRetryAfterMs: 30_000,
};

/** What came of one attempt at one model, and what was done next: try it again, go on to the next of the list, or give up. */
export type AttemptEnd =
  | { readonly outcome: "answered"; readonly usage: TokenUsage }
  | { readonly outcome: "retried" | "failed_over" | "failed" | "cancelled"; readonly failure: ModelErrorKind };

const restMs = 60_000;

/** Models that hung, for a minute: where there are others, those are asked first. */
export class RestingModels {
  private readonly until = new Map<string, number>();

  constructor(private readonly now: () => number) {}

  add(model: string): void {
    this.until.set(model, this.now() + restMs);
  }

  has(model: string): boolean {
    return (this.until.get(model) ?? 0) > this.now();
  }
}

/** What retrying needs of the world. */
export interface RetryPorts {
  /** Hears of each attempt when it begins, and of its end once it is known what is done next. `count` is 1 for a model's first. */
  readonly watch?: (model: string, count: number) => (end: AttemptEnd) => void;
  /** The models that hung a moment ago. */
  readonly resting?: RestingModels;
  /** Resolves after `ms`; may resolve earlier when the signal aborts. */
  sleep(ms: number, signal?: CancelSignal): Promise<void>;
  /** In [0, 1). */
  random(): number;
}

/** Failures that may be gone the next time. */
const retryableKinds: ReadonlySet<ModelErrorKind> = new Set([
  "rate_limited",
  "unavailable",
  "timeout",
  "bad_response",
  "cut_stream",
]);

/** What comes after a failed attempt. */
export type NextMove =
  | { readonly kind: "retry"; readonly waitMs: number }
  | { readonly kind: "next_model" | "give_up" };

/** What to do after the `attempt`-th attempt (from 1) at a model has failed. */
export function nextMove(
  policy: RetryPolicy,
  failure: ModelError,
  attempt: number,
  random: () => number,
  isLastModel = true,
): NextMove {
  if (failure.kind === "cancelled") return { kind: "give_up" };
  if (!retryableKinds.has(failure.kind) || failure.details.isFinal === true || attempt >= policy.attemptsPerModel)
    return { kind: "next_model" };
  // Whoever waits has waited for a whole attempt; what is there beside is asked before.
  if (failure.kind === "timeout" && !isLastModel) return { kind: "next_model" };
  const requestedMs = failure.details.retryAfterMs ?? 0;
  // Coming back earlier than asked would only be refused again.
  if (requestedMs > policy.maxRetryAfterMs) return { kind: "next_model" };
  if (requestedMs > 0) return { kind: "retry", waitMs: requestedMs };
  const backoffMs = Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** (attempt - 1));
  return { kind: "retry", waitMs: Math.round(backoffMs * (1 - random() / 2)) };
}

/** The wait that a `Retry-After` header (seconds or an HTTP date) asks for; undefined if it can't be read. */
export function retryAfterMs(header: string | null | undefined, nowMs: number): number | undefined {
  const value = header?.trim() ?? "";
  if (/^\d{1,9}(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1_000);
  // Only the date form has letters; without this check Date.parse would take "-5" for a year.
  const atMs = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}

interface Failure {
  readonly model: string;
  readonly attempts: number;
  readonly error: ModelError;
}

/**
 * Tries the models in order, each as often as the policy allows, and returns the first reply.
 * @throws {ModelError} `cancelled` as soon as the signal aborts; else one that names each model tried and why it failed. Its kind
 * is that of the last failure that may pass, if there was one: then it is worth coming back later.
 */
export async function callWithFailover(
  models: readonly string[],
  options: ModelCallOptions,
  attempt: (model: string, options: ModelCallOptions) => Promise<ProviderReply>,
  policy: RetryPolicy,
  ports: RetryPorts,
): Promise<ModelResult> {
  const { signal } = options;
  const failures: Failure[] = [];
  let unretracted = false;

  const patience = { ...policy, ...defined({ maxRetryAfterMs: options.maxRetryAfterMs }) };
  // One that hung a moment ago is asked after the others.
  const order = models.toSorted(
    (a, b) => Number(ports.resting?.has(a) ?? false) - Number(ports.resting?.has(b) ?? false),
  );
  for (const [index, model] of order.entries()) {
    for (let count = 1; ; count++) {
      if (signal?.aborted) throw cancelled();
      if (unretracted) options.listener?.retract();
      unretracted = false;
      const attemptListener = options.listener && new AttemptListener(options.listener);
      const ended = ports.watch?.(model, count);
      try {
        const call = attempt(model, {
          ...defined({ signal, listener: attemptListener }),
        });
        const reply = await untilCancelled(call, signal);
        ended?.({ outcome: "answered", usage: reply.usage });
        return { ...reply, model };
      } catch (error) {
        if (attemptListener?.failed) throw attemptListener.failure;
        if (!(error instanceof ModelError)) throw error;
        unretracted = attemptListener?.hasText ?? false;
        const isLast = index === order.length - 1;
        const move = nextMove(patience, error, count, ports.random, isLast);
        ended?.({ outcome: outcomeOf(move, isLast), failure: error.kind });
        if (error.kind === "timeout") ports.resting?.add(model);
        if (move.kind === "give_up") throw error;
        if (move.kind !== "retry") {
          failures.push({ model, attempts: count, error });
          break;
        }
        await untilCancelled(ports.sleep(move.waitMs, signal), signal);
      } finally {
        attemptListener?.close();
      }
    }
  }
  // What was shown of a reply that failed is no reply.
  if (unretracted) options.listener?.retract();
  throw allFailed(failures);
}

function outcomeOf(move: NextMove, isLast: boolean): Exclude<AttemptEnd["outcome"], "answered"> {
  switch (move.kind) {
    case "retry":
      return "retried";
    case "next_model":
      return isLast ? "failed" : "failed_over";
    case "give_up":
      return "cancelled";
  }
}

/** Stands between one attempt and the caller's listener, so that an attempt that was given up can't be heard any more. */
class AttemptListener implements ModelListener {
  hasText = false;
  failed = false;
  failure: unknown;
  private closed = false;

  constructor(private readonly target: ModelListener) {}

  delta(text: string): void {
    if (this.closed || text === "") return;
    this.hasText = true;
    try {
      this.target.delta(text);
    } catch (error) {
      // Not the provider's failure: it must reach the caller as it is, and cause no retry.
      this.failed = true;
      this.failure = error;
      throw error;
    }
  }

  retract(): void {
    // Only the policy redoes attempts.
  }

  isEnough(): boolean {
    return this.target.isEnough?.() ?? false;
  }

  isFollowed(): boolean {
    return this.target.isFollowed?.() ?? true;
  }

  close(): void {
    this.closed = true;
  }
}

/** Settles as the work does, but no later than the cancellation: work that doesn't hear the signal is left behind. */
function untilCancelled<T>(work: Promise<T>, signal: CancelSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise<T>((resolve, reject) => {
    const abort = () => reject(cancelled());
    const settle = (act: () => void) => {
      signal.removeEventListener("abort", abort);
      act();
    };
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort);
    work.then(
      (value) => settle(() => resolve(value)),
      (error) => settle(() => reject(error)),
    );
  });
}

/** The error of a call that was cancelled. */
export function cancelled(): ModelError {
  return new ModelError("cancelled", "the call was cancelled");
}

function allFailed(failures: readonly Failure[]): ModelError {
  const decisive =
    failures.findLast(({ error }) => error.kind === "rate_limited") ??
    failures.findLast(({ error }) => retryableKinds.has(error.kind)) ??
    failures.at(-1);
  if (decisive === undefined) return new ModelError("unknown_model", "The request names no model.");
  const reasons = failures.map(({ model, attempts, error }) => {
    const times = attempts === 1 ? "" : ` after ${attempts} attempts`;
    return `${model}: ${error.kind}${times}, ${error.message}`;
  });
  const { status, isTooLong } = decisive.error.details;
  const waits = failures.flatMap(({ error }) => error.details.retryAfterMs ?? []);
  return new ModelError(decisive.error.kind, `No model gave a usable reply. ${reasons.join("; ")}.`, {
    model: decisive.model,
    ...defined({ status, isTooLong, retryAfterMs: waits.length === 0 ? undefined : Math.min(...waits) }),
    ...(failures.some(({ error }) => error.details.toolsRefused) ? { toolsRefused: true } : {}),
  });
}

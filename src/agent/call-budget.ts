/** What calls of models may cost in some work, where its tenant has limits of tokens or money. */

/** The most that a call can come to, as it is known before it is made. */
export interface PlannedCall {
  /** Any of these may answer. */
  readonly models: readonly string[];
  readonly inputTokens: number;
  readonly maxOutputTokens: number;
}

/** What a call took, where its provider said so. */
export interface CallTaken {
  readonly model: string;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
}

/** A call that may be made. Until somebody says what it took, it counts as the most that it can come to. */
export interface ReservedCall {
  /** @param taken nothing where it cost nothing: its provider refused it */
  settle(taken: CallTaken | undefined): void;
}

/** Why a call may not be made. */
export interface RefusedCall {
  /** No room in a limit, or a limit of money and a model that nobody has priced. */
  readonly code: "limit_reached" | "unpriced_model";
  /** For operators. */
  readonly refused: string;
  readonly userMessage?: string | undefined;
  readonly retryAfterMs?: number | undefined;
}

export interface CallBudget {
  /** What a reply may have at most, where nothing is said: a call without an end has no price. */
  readonly maxOutputTokens: number;
  /** Reserves what a call may cost. */
  reserve(call: PlannedCall): Promise<ReservedCall | RefusedCall>;
}

/** Of a reply of which nobody has said how long it may be, in tokens. */
export const defaultMaxOutputTokens = 4_096;
/** Estimates of what is sent err by so much and more. */
const inputMargin = 1.1;

/** What is counted of an estimate of what is sent. */
export function countedInput(estimatedTokens: number): number {
  return Math.ceil(estimatedTokens * inputMargin);
}

/** One write under an `Idempotency-Key`, as it is tried twice. */
import type { Answer } from "./conclave.js";

type Call = readonly [method: string, path: string, body?: unknown];

/** One write, ready to be sent. */
export interface KeyedWrite {
  readonly call: Call;
  /** The same write with another body. */
  readonly other?: unknown;
  /** What somebody else does between the first time and the second: it has to stand. */
  readonly between?: () => Promise<unknown>;
  /** All that the write may have done. */
  readonly effects: () => Promise<unknown>;
  /** What both answers have to say alike. */
  readonly same?: (body: Answer["body"]) => unknown;
  readonly headers?: Record<string, string>;
  /** The deployment's secret, where it isn't the tenant's own. */
  readonly key?: string;
}

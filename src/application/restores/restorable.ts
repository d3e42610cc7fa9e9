/** What can be put back to an earlier state, whatever it is. */
import type { Result } from "../../conversation/problem.js";
import type { Numbers } from "../../gateways/root-gateway.js";
import type { Restore } from "../../stores/restore-store.js";
import type { Erasure } from "../../tenancy/erasures.js";

export interface Restorable {
  isThere(): Promise<boolean>;
  /** What its own record says was erased since a time. */
  erased(since: number): Promise<Erasure[]>;
  numbers(): Promise<Numbers>;
  prepareRestore(target: Restore["target"]): Promise<Result<string>>;
  restart(): Promise<void>;
  restored(numbers: Numbers, at: string): Promise<boolean>;
  /** @returns false where it isn't of this one */
  eraseAgain(erasure: Erasure): Promise<boolean>;
  /** What is kept of it elsewhere becomes what it is now. Again changes nothing. */
  follow?(restore: Restore): Promise<void>;
}

/** New ids of everything that has one. */
import { encodeTime, monotonicFactory } from "ulid";
import { hexOf } from "./bytes.js";

const ulid = monotonicFactory(randomFractions());

/** Fractions from 0 to less than 1 that nobody can guess, drawn from the platform many at once: the library asks for sixteen an id. */
export function randomFractions(): () => number {
  let drawn: Iterator<number> = [].values();
  return () => {
    let next = drawn.next();
    if (next.done === true) {
      drawn = crypto.getRandomValues(new Uint8Array(512)).values();
      next = drawn.next();
    }
    return next.value / 256;
  };
}

export type IdPrefix =
  | "ten"
  | "key"
  | "per"
  | "grt"
  | "ses"
  | "run"
  | "rt"
  | "trn"
  | "msg"
  | "req"
  | "vlt"
  | "mem"
  | "ent"
  | "dlq"
  | "chn"
  | "dlv"
  | "whd"
  | "bat"
  | "try"
  | "rst"
  | "sjb"
  | "psn"
  | "soc";

/** A new id, such as `ses_01k…`: prefixed, and sorting by time. */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${ulid().toLowerCase()}`;
}

/** Ids that were made before a time come before this one. @param at milliseconds since the epoch */
export function idAt(prefix: IdPrefix | "ask", at: number): string {
  return `${prefix}_${encodeTime(Math.max(0, at), 10).toLowerCase()}`;
}

/** The part of an address that nobody can guess: 24 random bytes. */
export function newAddressId(): string {
  return hexOf(crypto.getRandomValues(new Uint8Array(24)));
}

/** A short name that nobody can guess, where there is room for few characters. */
export function newShortToken(): string {
  return hexOf(crypto.getRandomValues(new Uint8Array(10)));
}

/** The id of a debate within a session's turn or a run says which object holds it. */
export function newDebateId(ownerId: string): string {
  return `${newId("rt")}_${ownerId}`;
}

/** The id of an eval says over which dataset it is. */
export function newEvalId(dataset: string): string {
  return `evl_${ulid().toLowerCase()}_${dataset}`;
}

/** An ask's id says which object owns it. */
export function newAskId(ownerId: string): string {
  return `ask_${ulid().toLowerCase()}_${ownerId}`;
}

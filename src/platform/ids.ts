/** New ids of everything that has one. */
import { monotonicFactory } from "ulid";

const ulid = monotonicFactory();

export type IdPrefix = "ten" | "key" | "ses" | "run" | "rt" | "trn" | "msg" | "req" | "vlt" | "mem" | "ent" | "dlq";

/** A new id, such as `ses_01k…`: prefixed, and sorting by time. */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${ulid().toLowerCase()}`;
}

/** An ask's id says which object owns it. */
export function newAskId(ownerId: string): string {
  return `ask_${ulid().toLowerCase()}_${ownerId}`;
}

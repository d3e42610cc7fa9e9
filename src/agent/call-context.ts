/** What a call that leaves the system says of where it comes from: a receiver can check on whose behalf it is made. */
import { z } from "zod";
import { ownValue } from "../conversation/own-value.js";

/** What is known of the work that makes calls. */
export interface CallOrigin {
  readonly sessionId?: string | undefined;
  readonly runId?: string | undefined;
  readonly roundtableId?: string | undefined;
  readonly turnId?: string | undefined;
  /** The session's agent. */
  readonly agent?: string | undefined;
  /** The run's team. */
  readonly team?: string | undefined;
  /** The end user, by the application's own name. */
  readonly subject?: string | undefined;
  /** Somebody tries a supervisor: nothing is to come of the call. */
  readonly trial?: true;
  readonly metadata: Readonly<Record<string, string | number | boolean>>;
}

/** What is known of the end user. */
export type AboutUser = Pick<CallOrigin, "subject" | "metadata">;

export const noOrigin: CallOrigin = { metadata: {} };

/** What of the end user a receiver is told, named by the resource: `subject`, `metadata.<key>`. */
export const contextKeys = z
  .array(z.string().regex(/^(subject|metadata\.[^{}]{1,100})$/, "is `subject` or `metadata.<key>`"))
  .max(50)
  .optional();

/**
 * The context of one call, as it is signed and sent: ids always, of the end user what the resource lists and the work has.
 * @example
 * callContext({ sessionId: "ses_1", agent: "shop", subject: "ana", metadata: { plan: "gold", age: 40 } }, ["subject", "metadata.plan"])
 * // { sessionId: "ses_1", agent: "shop", subject: "ana", metadata: { plan: "gold" } }
 */
export function callContext(origin: CallOrigin, keys: readonly string[] = []): Readonly<Record<string, unknown>> {
  const { metadata, subject, ...ids } = origin;
  const listed = Object.entries(metadata).filter(([key]) => keys.includes(`metadata.${key}`));
  return {
    ...ids,
    ...(subject === undefined || !keys.includes("subject") ? {} : { subject }),
    ...(listed.length === 0 ? {} : { metadata: Object.fromEntries(listed) }),
  };
}

/** The listed keys that the work has a value for, as a prompt shows them. */
export function contextFacts(
  origin: AboutUser,
  keys: readonly string[] = [],
): readonly { name: string; value: string }[] {
  return [...new Set(keys)].flatMap((name) => {
    const value = contextValue(origin, name);
    return value === undefined ? [] : [{ name, value }];
  });
}

/** The value of one key as a text; `undefined` when the work has none. */
export function contextValue({ subject, metadata }: AboutUser, key: string): string | undefined {
  if (key === "subject") return subject;
  const name = key.slice("metadata.".length);
  const value = ownValue(metadata, name);
  return value === undefined ? undefined : String(value);
}

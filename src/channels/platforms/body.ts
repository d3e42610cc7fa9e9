/** Bodies of platforms: JSON of the shapes that we know; anything else is none of ours. */
import type { z } from "zod";
import { issuesOf } from "../../conversation/issues.js";
import { readJson } from "../../text/json.js";
import type { Received } from "../adapter.js";

export type ReadBody<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly detail: string };

/** @param body JSON text, or what it is the text of, where that was read already */
export function readBody<T>(schema: z.ZodType<T>, body: string): ReadBody<T> {
  const { value, problem } = readJson(body);
  return problem === undefined ? readValue(schema, value) : { ok: false, detail: `the body isn't JSON: ${problem}` };
}

export function readValue<T>(schema: z.ZodType<T>, value: unknown): ReadBody<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return { ok: true, value: parsed.data };
  const [{ path, message } = { path: "", message: "not as expected" }] = issuesOf(parsed.error);
  return { ok: false, detail: `${path === "" ? "the body" : path}: ${message}` };
}

/** Signed, and not as we know it: the platform is to be content, and operators see it. */
export function unreadable({ detail }: Extract<ReadBody<unknown>, { readonly ok: false }>): Received {
  return { kind: "answered", answer: {}, unreadable: unreadableBecause(detail) };
}

export function unreadableBecause(detail: string): string {
  return `something that was sent couldn't be read: ${detail}`;
}

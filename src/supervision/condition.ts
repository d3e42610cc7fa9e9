/** When a supervisor is asked at all: a condition on the text, or a sample of messages, spares the call of a model or an endpoint. */
import { z } from "zod";
import { itemName } from "../conversation/names.js";
import type { Environment } from "./environment.js";
import { rulesLimits } from "./rules/limits.js";
import { compilePattern } from "./rules/patterns.js";
import { type Subject, segmentsOf } from "./subject.js";

export const conditionSchema = z
  .strictObject({
    /** Texts that are shorter, arguments and outputs counted, it isn't asked about. */
    minCharacters: z.int().min(1).max(1_000_000).optional(),
    /** In RE2 syntax: texts in which it isn't found, it isn't asked about. */
    pattern: z.string().min(1).max(rulesLimits.patternLength).optional(),
    /** The share of messages, calls and replies that it is asked about; which they are, their ids decide. */
    sample: z.number().gt(0).max(1).optional(),
    /** A rules supervisor with an `injection` rule: texts that it isn't in doubt about, it isn't asked about. */
    inDoubt: itemName.optional(),
  })
  .refine(
    (when) => Object.values(when).some((value) => value !== undefined),
    "say at least one of minCharacters, pattern, sample and inDoubt",
  )
  .superRefine(({ pattern }, context) => {
    if (pattern === undefined) return;
    try {
      compilePattern(pattern);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      context.addIssue({ code: "custom", path: ["pattern"], message });
    }
  });

export interface Condition {
  /** Whether it can only be told of the whole text. */
  readonly needsText: boolean;
  /** The rules supervisor that has to be in doubt. */
  readonly inDoubt: string | undefined;
  /** Whether what has this id is in the sample: always the same of the same id. */
  includes(id: string): boolean;
  /** Why the supervisor isn't asked about the subject, apart from doubts of others; nothing if it is. */
  unmet(subject: Subject, id: string): string | undefined;
}

/**
 * @param name of the supervisor: each draws a sample of its own.
 * @example
 * condition("judge", { sample: 0.1 }).unmet(subject, "msg_1"); // "it isn't in the sample of 0.1"
 */
export function condition(name: string, when: z.infer<typeof conditionSchema>): Condition {
  const { minCharacters, pattern, sample = 1, inDoubt } = when;
  const expression = pattern === undefined ? undefined : compilePattern(pattern);
  const includes = (id: string): boolean => sample === 1 || shareOf(`${name}\n${id}`) < sample;
  return {
    inDoubt,
    needsText: minCharacters !== undefined || pattern !== undefined,
    includes,
    unmet(subject, id) {
      if (!includes(id)) return `it isn't in the sample of ${sample}`;
      const texts = segmentsOf(subject).map(({ text }) => text);
      const characters = texts.reduce((sum, text) => sum + text.length, 0);
      if (minCharacters !== undefined && characters < minCharacters)
        return `it is shorter than ${minCharacters} characters`;
      const isFound = expression === undefined || texts.some((text) => expression.matcher(text).find());
      return isFound ? undefined : "the pattern isn't found in it";
    },
  };
}

/** By which id a sample takes a subject or leaves it. */
export function sampledId(subject: Subject, { replyId, workId = "" }: Environment = {}): string {
  switch (subject.hook) {
    case "request":
      return subject.message.messageId;
    case "response":
      return replyId ?? workId;
    case "tool_call":
    case "tool_result":
      return subject.call.toolCallId;
    case "hop":
      return [workId, subject.from, subject.to].join("\n");
  }
}

/** A number from 0 to below 1, spread evenly over ids (FNV-1a, then the finalizer of MurmurHash3). */
function shareOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

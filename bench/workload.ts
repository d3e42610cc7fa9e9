/** What is measured with: rules as a tenant would write them, and a reply of a given length. */
import type { RulesConfig } from "../src/supervision/rules/config.js";

/** Rules of every kind in turn; none of them finds anything in the workload. */
export function rulesOf(index: number): RulesConfig["rules"] {
  const kinds: RulesConfig["rules"] = [
    {
      match: {
        type: "phrases",
        phrases: [`project kestrel ${index}`, `internal only ${index}`, "not for distribution"],
      },
      action: "block",
      reason: "A forbidden phrase.",
    },
    { match: { type: "personalData" }, action: "redact", reason: "Personal data." },
    { match: { type: "pattern", pattern: `CASE-\\d{4}-${index}` }, action: "redact", reason: "A case number." },
    { match: { type: "secrets" }, action: "block", reason: "A credential." },
    { match: { type: "injection" }, action: "block", reason: "It looks like an injection." },
  ];
  const rule = kinds[index % kinds.length];
  return rule === undefined ? [] : [rule];
}

/** So many configurations of one rule each. */
export function manyRules(count: number): RulesConfig[] {
  return Array.from({ length: count }, (_, index) => ({ rules: rulesOf(index) }));
}

const sentence = "Your parcel left the warehouse on Monday, and 3 of its 4 items arrive within two days. ";

export function reply(length: number): string {
  return sentence.repeat(Math.ceil(length / sentence.length)).slice(0, length);
}

/** A turn as a client gets it. */
export function turnOf(text: string) {
  const messageId = "msg_01m805t0s83chc4gsc6t8ed0ma";
  return {
    turnId: "trn_01m805t0s83chc4gsc6t8ed0m8",
    status: "completed" as const,
    message: { messageId: "msg_01m805t0s83chc4gsc6t8ed0m9", role: "user" as const, content: "Where is my parcel?" },
    reply: {
      messageId,
      role: "assistant" as const,
      modelReply: {
        timestamp: "2026-11-21T23:07:05.384Z",
        turns: [{ turnId: `${messageId}.0`, message: text, inputTokens: 20, outputTokens: 500 }],
      },
    },
    supervision: { status: "ok" as const, request: { action: "allow" }, response: { action: "allow" }, degraded: [] },
    asks: [],
    usage: { inputTokens: 20, outputTokens: 500 },
  };
}

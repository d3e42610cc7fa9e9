/** Supervisors that say what a test tells them to, and the ports of a pass. */
import { Superseded } from "../../src/agent/journal.js";
import type { ModelReply } from "../../src/conversation/message.js";
import type { PassPorts } from "../../src/supervision/evaluation.js";
import { rulesSupervisor } from "../../src/supervision/kinds/rules.js";
import { rulesConfigSchema } from "../../src/supervision/rules/config.js";
import { canonicalText, type Subject, segmentsOf } from "../../src/supervision/subject.js";
import type { Supervisor } from "../../src/supervision/supervisor.js";
import type { Verdict } from "../../src/supervision/verdict.js";
import { never } from "../agent/support.js";
import { MemoryJournal } from "../support/memory-journal.js";

export function request(content: string): Extract<Subject, { hook: "request" }> {
  return { hook: "request", message: { messageId: "msg_1", role: "user", content } };
}

export function response(...turns: ModelReply["turns"]): Extract<Subject, { hook: "response" }> {
  return { hook: "response", reply: { timestamp: "2030-01-01T00:00:00.000Z", turns } };
}

export function textOf(subject: Subject): string {
  return segmentsOf(subject)
    .map(({ text }) => text)
    .join("|");
}

export type Opinion = Verdict | Error | ((text: string) => Verdict);

export function supervisor(
  name: string,
  opinion: Opinion,
  more: Partial<Supervisor> = {},
): Supervisor & { saw: string[] } {
  const saw: string[] = [];
  return {
    saw,
    name,
    kind: "scripted",
    hooks: new Set(["request", "response", "tool_call", "tool_result", "hop"] as const),
    order: 0,
    onFailure: "allow",
    timeoutMs: 1_000,
    mode: "enforce",
    mayModify: false,
    pure: false,
    async judge(subject) {
      saw.push(textOf(subject));
      if (opinion instanceof Error) throw opinion;
      return typeof opinion === "function" ? opinion(textOf(subject)) : opinion;
    },
    ...more,
  };
}

export function replaces(from: string, to: string): (text: string) => Verdict {
  return (text) =>
    text.includes(from)
      ? { action: "modify", reasons: [`no ${from}`], change: { kind: "content", content: text.replaceAll(from, to) } }
      : { action: "allow", reasons: [] };
}

export function rules(
  name: string,
  list: readonly unknown[],
  more: Partial<Parameters<typeof rulesSupervisor>[0]> = {},
) {
  const config = rulesConfigSchema.parse({ rules: list });
  return rulesSupervisor({
    name,
    hooks: new Set(["request", "response", "tool_call", "tool_result", "hop"] as const),
    order: 0,
    mode: "enforce",
    onFailure: "block",
    permission: "modify_messages",
    config,
    ...more,
  });
}

export function passPorts(more: Partial<PassPorts> = {}): PassPorts {
  return {
    now: () => 0,
    hash: async (subject) => `#${canonicalText(subject)}`,
    withDeadline: (timeoutMs, work) =>
      timeoutMs === 13 ? Promise.reject(new Error("no result within 13 ms")) : work(never),
    strict: false,
    journal: new MemoryJournal(),
    ...more,
  };
}

export { Superseded };

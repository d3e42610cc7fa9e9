/** What is recorded of a pass: what was judged, and what each supervisor said of it. */
import type { ContextChange, Environment } from "./environment.js";
import type { PassSubject, SupervisionState, SupervisionStep, SupervisorCall } from "./state.js";
import { readableText, type Subject } from "./subject.js";
import type { Supervisor } from "./supervisor.js";
import type { Verdict } from "./verdict.js";

/** A supervisor that was asked, or skipped, and what came of it. */
export interface Consulted {
  readonly name: string;
  readonly mode: Supervisor["mode"];
  readonly before: Subject;
  readonly after: Subject;
  readonly verdict: Verdict;
  /** Its reasons as it gave them, if the verdict's are others. */
  readonly wholeReasons?: readonly string[];
  readonly calls: readonly SupervisorCall[];
  /** Made while it judged; they hold even if it failed afterwards. */
  readonly contextChanges: readonly ContextChange[];
  readonly failed?: string;
  /** Why it wasn't asked. */
  readonly skipped?: string;
  /** The rules supervisor that wasn't sure of the text, where this one is it or was asked because of it. */
  readonly inDoubt?: string | undefined;
  readonly latencyMs: number;
}

/** What a record says of the subject. Which message a reply is, knows who keeps it. */
export function passSubject(subject: Subject): PassSubject {
  switch (subject.hook) {
    case "request":
      return { messageId: subject.message.messageId };
    case "tool_call":
    case "tool_result": {
      const { server, tool, toolCallId } = subject.call;
      return { toolCallId, tool: `${server}/${tool}` };
    }
    case "hop":
      return { from: subject.from, to: subject.to };
    case "response":
      return {};
  }
}

/** The texts of what isn't a message: messages keep their own. */
export function restrictedTexts(before: Subject, after: Subject): Pick<SupervisionState, "texts"> {
  if (before.hook === "request" || before.hook === "response") return {};
  return { texts: { before: readableText(before), after: readableText(after) } };
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

export async function stepOf(
  said: Consulted,
  ports: { readonly hash: (subject: Subject) => Promise<string> },
): Promise<SupervisionStep> {
  const beforeHash = await ports.hash(said.before);
  return {
    supervisor: said.name,
    action: said.verdict.action,
    reasons: [...said.verdict.reasons],
    ...(said.wholeReasons === undefined ? {} : { wholeReasons: [...said.wholeReasons] }),
    ...(said.verdict.faults === undefined ? {} : { faults: [...said.verdict.faults] }),
    ...(said.calls.length === 0 ? {} : { calls: [...said.calls] }),
    beforeHash,
    afterHash: said.after === said.before ? beforeHash : await ports.hash(said.after),
    latencyMs: said.latencyMs,
    mode: said.mode,
    ...(said.verdict.usage === undefined ? {} : { usage: said.verdict.usage }),
    ...(said.failed === undefined ? {} : { failed: said.failed }),
    ...(said.skipped === undefined ? {} : { skipped: said.skipped }),
    ...(said.inDoubt === undefined ? {} : { inDoubt: said.inDoubt }),
  };
}

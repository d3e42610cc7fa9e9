/** What became of an ask, as a sentence: who asked, who answered and after how long, and whether it was approved. */
import type { ActorRecord } from "../conversation/actor-record.js";
import { oneLine } from "../text/one-line.js";
import type { Ask } from "./ask.js";

/** @example askOpened(ask) // "billing asked the user: “Which invoice?”" */
export function askOpened({ kind, question, audience, from }: Ask): string {
  const who = from.agent ?? "The agent";
  const whom = audience === "staff" ? "the staff" : "the user";
  switch (kind) {
    case "human":
      return `${who} asked ${whom}: “${oneLine(question)}”`;
    case "approval":
      return `${who} wanted to call ${from.tool ?? "a tool"}; ${whom} had to approve that first.`;
    case "review":
      return `Supervision (${from.supervisors?.join(", ") ?? "a supervisor"}) held a text for a review by ${whom}: “${oneLine(question)}”`;
    case "context":
      return `${who} asked for context: “${oneLine(question)}”`;
    case "handover":
      return `A person of the staff was asked to go on: “${oneLine(question)}”`;
  }
}

/**
 * What is awaited, for those who wait: the answer, and who can give it.
 * @example awaitedAnswer({ askId: "ask_1", audience: "staff" }) // "staff to answer ask_1"
 */
export function awaitedAnswer({ askId, audience }: Pick<Ask, "askId" | "audience">): string {
  return audience === "staff" ? `staff to answer ${askId}` : `an answer to ${askId}, at POST /v1/asks/${askId}/answer`;
}

/** @example askClosed(ask) // "“Which invoice?” was answered by key key_1 (operator) after 12 s: the last one" */
export function askClosed(ask: Ask): string {
  const { kind, status, question, from } = ask;
  const about = kind === "approval" ? `The call of ${from.tool ?? "a tool"}` : `“${oneLine(question)}”`;
  const after = `after ${duration(ask)}`;
  switch (status) {
    case "open":
      return `${about} is still open.`;
    case "answered":
      return `${about} was ${answered(ask)} by ${actorInWords(ask.closedBy)} ${after}${answerText(ask)}`;
    case "expired":
      return kind === "approval"
        ? `${about} was ${answered(ask)}, because nobody decided ${after}.`
        : `${about} was answered by nobody ${after}${ask.answer === undefined ? "." : `; assumed${answerText(ask)}`}`;
    case "cancelled":
      return `${about} was cancelled by ${actorInWords(ask.closedBy)} ${after}.`;
  }
}

/** What the answer decided. What reviewers wrote isn't cleared yet, and stands in the versions. */
function answered({ answer }: Ask): string {
  if (answer === undefined || !("decision" in answer)) return answer === undefined ? "not approved" : "answered";
  switch (answer.decision) {
    case "once":
      return "approved (once)";
    case "session":
      return "approved (for all of the session)";
    case "deny":
      return "denied";
    case "accept":
      return "accepted";
    case "edit":
      return "edited";
    case "reject":
      return "rejected";
    case "take":
      return "taken over";
    case "return":
      return "handed back";
  }
}

/** The words that were answered, where those who follow the work may read them. */
function answerText({ answer, audience }: Ask): string {
  const text = answer !== undefined && "response" in answer && audience === "user" ? answer.response : undefined;
  return text === undefined ? "." : `: ${oneLine(text)}`;
}

/** @example actorInWords({ kind: "key", id: "key_1", role: "operator" }) // "key key_1 (operator)" */
export function actorInWords(actor: ActorRecord | undefined): string {
  if (actor === undefined) return "somebody";
  const { kind, id, role, subject } = actor;
  switch (kind) {
    case "deadline":
      return "its deadline";
    case "system":
      return "the system";
    case "token":
    case "channel":
      return subject === undefined ? `${kind} ${id}` : `${subject} (${kind})`;
    case "person":
    case "key":
    case "supervisor":
    case "agent":
      return role === undefined ? `${kind} ${id}` : `${kind} ${id} (${role})`;
  }
}

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
] as const;

/** How long it was open, in its two largest units. */
function duration({ openedAt, closedAt }: Ask): string {
  let left = Math.max(0, Date.parse(closedAt ?? openedAt) - Date.parse(openedAt));
  if (left < 1_000) return `${left} ms`;
  const parts: string[] = [];
  for (const [unit, length] of units) {
    if (left >= length && parts.length < 2) parts.push(`${Math.floor(left / length)} ${unit}`);
    left %= length;
  }
  return parts.join(" ");
}

/** The text that supervisors are tried on, and what stands around it. */
import type { HistoryMessage } from "../../agent/prompt.js";
import { type ChatMessage, messageText } from "../../conversation/message.js";
import { need, problem } from "../../conversation/problem.js";
import type { Subject } from "../../supervision/subject.js";
import type { Hook } from "../../supervision/verdict.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { isRecord, readJson } from "../../text/json.js";
import { recordRead } from "../audit/record-read.js";
import type { Services } from "../services.js";
import { readOriginals } from "../sessions/turn-for.js";
import type { TriedOn } from "./trial-schemas.js";

export interface TriedText {
  readonly subject: Subject;
  readonly transcript: readonly HistoryMessage[];
}

/** @param hook of a text that doesn't say where it stands */
export async function triedText(on: TriedOn, hook: Hook, actor: Actor, services: Services): Promise<TriedText> {
  if ("text" in on) return { subject: subjectAt(on.hook ?? hook, on.text, services.now()), transcript: [] };
  if ("messages" in on) {
    const last = on.messages.at(-1);
    const at = last?.role === "assistant" ? "response" : "request";
    return { subject: subjectAt(at, last?.content ?? "", services.now()), transcript: on.messages.slice(0, -1) };
  }
  return ofTurn(on, actor, services);
}

/** Of a call and its result the tool has no name; a hop has no ends. */
export function subjectAt(hook: Hook, text: string, now: number): Subject {
  const call = { toolCallId: "call_trial", server: "trial", tool: "trial" };
  switch (hook) {
    case "request":
      return { hook, message: { messageId: "msg_trial", role: "user", content: text } };
    case "response":
      return {
        hook,
        reply: { timestamp: new Date(now).toISOString(), turns: [{ turnId: "turn_0", message: text }] },
      };
    case "tool_call": {
      const args = readJson(text).value;
      if (!isRecord(args)) throw wrongText("at the hook tool_call the text has to be the arguments, as a JSON object");
      return { hook, call: { ...call, args } };
    }
    case "tool_result":
      return { hook, call: { ...call, args: {} }, output: text };
    case "hop":
      return { hook, from: "trial", to: "trial", content: text };
  }
}

function wrongText(message: string) {
  return problem("invalid", "The text can't stand at that hook; see errors.", {
    errors: [{ path: "on.text", message }],
  });
}

/** A text of a turn as it was before any supervisor saw it: on record, as each reading of an original is. */
async function ofTurn(
  { sessionId, turnId, hook }: Extract<TriedOn, { turnId: string }>,
  actor: Actor,
  services: Services,
): Promise<TriedText> {
  need(authorize(actor, readOriginals));
  const { messageId, ...read } = await originalOfTurn(actor.tenantId, { sessionId, turnId, hook }, services);
  const subject = { messageId };
  await recordRead(actor, services, { type: "originals.read", ownerId: sessionId, workId: turnId, subject });
  return read;
}

/** The same for who has asked whether it may be read, and notes that it is. @throws {ProblemError} where there is no such text */
export async function originalOfTurn(
  tenantId: string,
  { sessionId, turnId, hook }: Extract<TriedOn, { turnId: string }>,
  services: Services,
): Promise<TriedText & { readonly messageId: string | undefined }> {
  const turn = need(await services.sessions.turn(tenantId, sessionId, turnId, 0));
  const messageId = hook === "request" ? turn.message?.messageId : (turn.reply ?? turn.error)?.messageId;
  const versions =
    messageId === undefined ? [] : need(await services.sessions.versions(tenantId, sessionId, messageId));
  const original = versions[0]?.message;
  const subject = original && subjectOf(original, hook);
  if (subject === undefined) {
    throw problem("not_found", `The turn has no ${hook} that could be judged: there was none yet, or it was erased.`);
  }
  return { messageId, subject, transcript: await saidBefore(tenantId, sessionId, turn.message?.messageId, services) };
}

function subjectOf(message: ChatMessage, hook: "request" | "response"): Subject | undefined {
  if (hook === "response") return message.role === "assistant" ? { hook, reply: message.modelReply } : undefined;
  return message.role === "user" && message.erased !== true ? { hook, message } : undefined;
}

/** Messages that are looked through at most, and of them how many before the text a supervisor may read. */
const mostRead = 2_000;
const mostShown = 100;

/** As the model read it: effective texts, without calls. */
async function saidBefore(
  tenantId: string,
  sessionId: string,
  messageId: string | undefined,
  { sessions }: Services,
): Promise<HistoryMessage[]> {
  const before: HistoryMessage[] = [];
  let after = 0;
  for (let read = 0; read < mostRead; ) {
    const page = need(await sessions.messages(tenantId, sessionId, after, 200));
    for (const message of page.items) {
      if (message.messageId === messageId) return before.slice(-mostShown);
      if (message.role === "user" || message.role === "assistant")
        before.push({ role: message.role, content: messageText(message) });
    }
    if (page.next === null) break;
    after = page.next;
    read += page.items.length;
  }
  return before.slice(-mostShown);
}

/**
 * What a reader of a reply sees of the questions that its agents put to staff: one rule for every way in which replies are shown. Who may
 * answer such questions reads them with their answers, an application's other keys the questions alone, and an end user that there are any.
 */
import { isAskHuman } from "../agent/built-in/ask-human.js";
import { defined } from "../conversation/defined.js";
import type { EventAudience } from "../conversation/event.js";
import type { AssistantMessage, ChatMessage, ToolCallRequest, ToolCallResult } from "../conversation/message.js";

/** @param reader `operator`: who may answer what staff is asked */
export function messageShownTo(reader: EventAudience, message: ChatMessage): ChatMessage {
  return message.role === "assistant" ? replyShownTo(reader, message) : message;
}

/** @returns the reply itself where nothing of it is hidden. @param reader `operator`: who may answer what staff is asked */
export function replyShownTo(reader: EventAudience, whole: AssistantMessage): AssistantMessage {
  const reply = withoutPerson(reader, whole);
  const { turns, pendingToolCalls, metadata } = reply.modelReply;
  if (reader === "operator") return reply;
  const calls = [...turns.flatMap(({ toolCalls = [] }) => toolCalls), ...(pendingToolCalls ?? [])];
  const namesWorkers = reader === "user" && metadata?.workers !== undefined;
  if (!namesWorkers && !calls.some((call) => isForStaff(reader, call))) return reply;
  const { workers: _, activeWorker: __, ...withoutWorkers } = metadata ?? {};
  const modelReply = {
    ...reply.modelReply,
    ...(namesWorkers ? { metadata: withoutWorkers } : {}),
    turns: turns.map(({ toolCalls, ...turn }) =>
      toolCalls === undefined ? turn : { ...turn, toolCalls: toolCalls.map((call) => resultShownTo(reader, call)) },
    ),
    ...defined({ pendingToolCalls: pendingToolCalls?.map((call) => callShownTo(reader, call)) }),
  };
  return { ...reply, modelReply };
}

/** That a person wrote it is everybody's to know; which one, staff's. */
function withoutPerson(reader: EventAudience, reply: AssistantMessage): AssistantMessage {
  return reply.author === undefined || reader === "operator"
    ? reply
    : { ...reply, author: { kind: "person", id: "staff" } };
}

function callShownTo<C extends ToolCallRequest>(reader: "user" | "client", call: C): C {
  return reader === "user" && isForStaff(reader, call) ? { ...call, args: {} } : call;
}

function resultShownTo(reader: "user" | "client", call: ToolCallResult): ToolCallResult {
  const { output: _, error: __, ...question } = callShownTo(reader, call);
  return isForStaff(reader, call) ? question : call;
}

/** Replies of versions before don't say who was asked: as far as end users go, that was staff. */
function isForStaff(reader: "user" | "client", call: ToolCallRequest): boolean {
  return isAskHuman(call) && (call.audience === "staff" || (reader === "user" && call.audience === undefined));
}

/**
 * What an end user's token may send in OpenAI's forms: messages of its user, and what names or limits the answer. What the agent is told,
 * offered or said to have said and done is its tenant's word, and its backends'.
 */
import { type TurnRequest, turnRequestSchema } from "../../chat/turn-request.js";
import { ok, type Result, refuse } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { ChatInput } from "./chat-input.js";

type Field = keyof TurnRequest;

interface BackendField {
  readonly isSent: (request: TurnRequest) => boolean;
  /** As it is called in the forms. */
  readonly called: string;
}

const fromAnybody = undefined;
/** What the system itself puts there. */
const ours = undefined;

/** A field more has to be placed here before it compiles. */
const backendFields: Readonly<Record<Field, BackendField | undefined>> = {
  instructions: {
    isSent: ({ instructions }) => instructions !== undefined,
    called: "`system` and `developer` messages and `instructions`",
  },
  // Replies in it are looked at where they would be read: see mayTell.
  history: fromAnybody,
  results: { isSent: ({ results }) => results.length > 0, called: "what came of tool calls" },
  tools: { isSent: ({ tools }) => tools.length > 0, called: "`tools`" },
  toolChoice: {
    isSent: ({ toolChoice = "auto" }) => toolChoice !== "auto" && toolChoice !== "none",
    called: "a `tool_choice` that demands a call",
  },
  output: { isSent: ({ output }) => output !== undefined, called: "a format of the answer" },
  temperature: { isSent: ({ temperature }) => temperature !== undefined, called: "`temperature`" },
  sampling: { isSent: ({ sampling }) => sampling !== undefined, called: "`top_p`, `seed` and `stop`" },
  // They limit the answer.
  parallelCalls: fromAnybody,
  maxOutputTokens: fromAnybody,
  carried: ours,
  follows: ours,
  ownSession: ours,
  note: ours,
};

/** All but the replies that are told: of a conversation that is kept here nobody's telling counts, so those are looked at later. */
export function maySend(actor: Actor, { request, speaker, sentAt }: ChatInput): Result<void> {
  if (authorize(actor, "instructAgent").ok) return ok(undefined);
  for (const field of turnRequestSchema.keyof().options) {
    const of = backendFields[field];
    if (of?.isSent(request) === true) return notWithToken(of.called, sentAt?.[field] ?? field);
  }
  return speaker === undefined
    ? ok(undefined)
    : notWithToken("the speaker's name", sentAt?.speaker ?? "speaker", "The user of a token is its subject.");
}

/** Whether the conversation may be told by the caller: replies that were looked up here are the agent's own. */
export function mayTell(actor: Actor, { request, isLookedUp, sentAt }: ChatInput): Result<void> {
  const isTold = request.history.some(({ role }) => role === "assistant") && isLookedUp !== true;
  if (!isTold || authorize(actor, "instructAgent").ok) return ok(undefined);
  const how = "Name the conversation in its place: a session, or the previous response.";
  return notWithToken("`assistant` messages and function calls", sentAt?.history ?? "messages", how);
}

function notWithToken(
  what: string,
  path: string,
  how = "Store it in the agent, or have your backend send it with its key.",
): Result<never> {
  const detail = `An end user's token can't instruct the agent, it sends its user's messages alone: leave ${what} out. ${how}`;
  return refuse("forbidden", detail, {
    errors: [{ path, message: "it can't be sent with a token" }],
  });
}

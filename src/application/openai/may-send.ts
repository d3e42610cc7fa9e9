/**
 * What an end user's token may send in OpenAI's forms: messages of its user, and what names or limits the answer. What the agent is told,
 * offered or said to have said and done is its tenant's word, and its backends'.
 */
import type { AgentDefinition } from "../../agent/definition.js";
import { type TurnRequest, turnRequestSchema } from "../../chat/turn-request.js";
import { type ProblemError, problem } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { permission } from "../act.js";
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
  // Replies in it are looked at where they would be read: see checkTold.
  history: fromAnybody,
  results: { isSent: ({ results }) => results.length > 0, called: "what came of tool calls" },
  tools: { isSent: ({ tools }) => tools.length > 0, called: "`tools`" },
  toolChoice: {
    isSent: ({ toolChoice = "auto" }) => toolChoice !== "auto" && toolChoice !== "none",
    called: "a `tool_choice` that demands a call",
  },
  output: { isSent: ({ output }) => output !== undefined, called: "a format of the answer" },
  temperature: { isSent: ({ temperature }) => temperature !== undefined, called: "`temperature`" },
  sampling: {
    isSent: ({ sampling }) => sampling !== undefined,
    called: "`top_p`, `seed`, `stop`, `reasoning_effort`, `verbosity` and `logit_bias`",
  },
  // They limit the answer.
  parallelCalls: fromAnybody,
  maxOutputTokens: fromAnybody,
  carried: ours,
  follows: ours,
  ownSession: ours,
  note: ours,
};

/** Instructions of the caller's own, behind those that are stored. */
export const instructAgent = permission("instructAgent", { role: "client" });

/** Checks all but the earlier replies that come along: where the conversation is kept here they don't count, so they are checked later. */
export function checkSent(actor: Actor, { request, speaker, sentAt }: ChatInput): void {
  if (authorize(actor, instructAgent).ok) return;
  for (const field of turnRequestSchema.keyof().options) {
    const of = backendFields[field];
    if (of?.isSent(request) === true) throw notWithToken(of.called, sentAt?.[field] ?? field);
  }
  if (speaker === undefined) return;
  throw notWithToken("the speaker's name", sentAt?.speaker ?? "speaker", "The user of a token is its subject.");
}

/** Whether the conversation may be told by the caller: replies that were looked up here are the agent's own. */
export function checkTold(actor: Actor, { request, isLookedUp, sentAt }: ChatInput): void {
  const isTold = request.history.some(({ role }) => role === "assistant") && isLookedUp !== true;
  if (!isTold || authorize(actor, instructAgent).ok) return;
  const how = "Name the conversation in its place: a session, or the previous response.";
  throw notWithToken("`assistant` messages and function calls", sentAt?.history ?? "messages", how);
}

function notWithToken(
  what: string,
  path: string,
  how = "Store it in the agent, or have your backend send it with its key.",
): ProblemError {
  const detail = `An end user's token can't instruct the agent, it sends its user's messages alone: leave ${what} out. ${how}`;
  return problem("forbidden", detail, { errors: [{ path, message: "it can't be sent with a token" }] });
}

/** What only an agent that is a model passes on to one. */
const ofModels = { reasoningEffort: "reasoning_effort", verbosity: "verbosity", logitBias: "logit_bias" } as const;

/**
 * What is sent and nobody can do here is refused, or left out, as the agent says.
 * @param body the agent. What is left out is out of the input already, or nobody reads it.
 */
export function checkUnsupported({ agent, unsupported = [], request }: ChatInput, body: AgentDefinition): void {
  if (body.unsupported === "ignore") return;
  const [first] = unsupported;
  if (first !== undefined) {
    const message = `an agent that is stored with "unsupported": "ignore" goes on without`;
    throw problem("invalid", first.message, { errors: [{ ...first, message }] });
  }
  if (body.kind === "model") return;
  for (const [field, path] of Object.entries(ofModels)) {
    if (!Object.hasOwn(request.sampling ?? {}, field)) continue;
    const detail = `"${agent}" is a ${body.kind}: those who work in it answer as they do. Leave \`${path}\` out, or store the agent with "unsupported": "ignore".`;
    throw problem("invalid", detail, { errors: [{ path, message: `an agent of kind ${body.kind} takes none` }] });
  }
}

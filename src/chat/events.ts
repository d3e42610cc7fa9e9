/** The events of sessions: their turns, the reply while it is written, and what people change. */
import { z } from "zod";
import { askSchema } from "../asks/ask.js";
import { askForUsers } from "../asks/views.js";
import { actorRecordSchema } from "../conversation/actor-record.js";
import type { EventAudience, EventDefinitions } from "../conversation/event.js";
import { assistantMessageSchema } from "../conversation/message.js";
import { turnSchema } from "./session.js";
import { replyShownTo } from "./shown-reply.js";
import { waitsForSchema } from "./waits-for.js";

/** Questions to staff stand in a turn as they do among the events, and in its reply as they do in the transcript. */
const withAsks = z.looseObject({ asks: z.array(askSchema.transform(askForUsers)).catch([]) });
const withReply = z.looseObject({ reply: assistantMessageSchema.optional().catch(undefined) });
const viewFor = (reader: EventAudience, data: unknown): unknown => {
  const { reply, ...turn } = withReply.parse(reader === "user" ? withAsks.parse(data) : data);
  return reply === undefined ? turn : { ...turn, reply: replyShownTo(reader, reply) };
};

const turn = z.object({ turnId: z.string() });
const message = z.object({ messageId: z.string() });
const staffMessage = message.extend({ turnId: turn.shape.turnId });
const holdState = waitsForSchema.pick({ held: true }).required();
const nothing = z.object({});
const contextVersion = z.object({
  version: z.int(),
  /** The turn that changed it; absent when a caller did. */
  turnId: z.string().optional(),
});

const waits = turn.extend({ waitsFor: waitsForSchema });
/** What its end user may be told meanwhile. */
const userMessage = z.string();

export const chatEvents = {
  "turn.queued": {
    description:
      "A message waits in the queue: for the turn before it, and for the answers that this one waits for. Told again when that changes.",
    audience: "user",
    roots: ["session"],
    data: waits.extend({ userMessage }),
    stored: waits,
  },
  "turn.started": {
    description: "A turn left the queue and is worked on.",
    audience: "user",
    roots: ["session"],
    data: turn,
  },
  "turn.waiting": {
    description: "Nothing more can be done in the turn before an ask is answered; what there is of its reply by then.",
    audience: "user",
    roots: ["session"],
    /** The text as the response supervisors leave it; absent where they hold it back, and once the turn has ended. */
    data: waits
      .partial({ waitsFor: true })
      .extend({ reply: z.string().optional(), userMessage: userMessage.optional() }),
    // Logs of versions before don't say for what.
    stored: waits.partial({ waitsFor: true }),
  },
  "turn.completed": {
    description: "The turn ended, however it did: the turn as it is when the event is read.",
    audience: "user",
    roots: ["session"],
    viewFor,
    data: turnSchema,
    stored: turn,
  },
  "reply.delta": {
    description:
      "A further piece of the reply, cleared by supervision. `offset` is its place in the reply of this `attempt`.",
    audience: "user",
    roots: ["session"],
    data: turn.extend({ text: z.string(), attempt: z.int(), offset: z.int() }),
    live: true,
  },
  "reply.retracted": {
    description: "What was shown of the reply is void; what follows belongs to this `attempt`.",
    audience: "user",
    roots: ["session"],
    data: turn.extend({ attempt: z.int() }),
    live: true,
  },
  "message.staff": {
    description: "A person of the staff wrote to the conversation: the reply of this turn is theirs.",
    audience: "user",
    roots: ["session"],
    data: staffMessage,
  },
  "session.held": {
    description:
      "A person has taken the conversation over (`taken`), or somebody asked for one (`asked`): no agent answers meanwhile.",
    audience: "user",
    roots: ["session"],
    data: holdState,
  },
  "session.released": {
    description: "The conversation was handed back: agents answer again.",
    audience: "user",
    roots: ["session"],
    data: nothing,
  },
  "message.edited": {
    description: "A person edited a reply.",
    audience: "user",
    roots: ["session"],
    data: message,
  },
  "message.restored": {
    description: "A person made an earlier version of a message hold again.",
    audience: "user",
    roots: ["session"],
    data: message,
  },
  "message.erased": {
    description: "A person erased every text of a message.",
    audience: "user",
    roots: ["session"],
    data: message,
  },
  "context.changed": {
    description: "The session's context has a new version: its number, who made it and why.",
    audience: "operator",
    roots: ["session"],
    data: contextVersion.extend({ author: actorRecordSchema.optional(), reason: z.string(), at: z.iso.datetime() }),
    stored: contextVersion,
  },
} as const satisfies EventDefinitions;

/** Where an ask comes from: the work that waits, whom it is for, who asks, and what it is about. */
import { z } from "zod";
import { defined } from "../conversation/defined.js";
import { metadataSchema } from "../conversation/names.js";

const text = z.string().optional();
const texts = z.array(z.string()).optional();

export const askOriginSchema = z.object({
  sessionId: text,
  runId: text,
  roundtableId: text,
  turnId: text,
  /** The end user whose session or run it is. */
  subject: text,
  externalId: text,
  metadata: metadataSchema.optional(),
  /** The stored agent, or within a team the worker (or `supervisor`). Only asks of versions before have none. */
  agent: text,
  /** The team's name; `inline` for one that was sent along. */
  team: text,
  /** The ids of the workers that are teams around the team that asks, outermost first. */
  path: texts,
  /** The tool that is called: `server/tool`. */
  tool: text,
  toolCallId: text,
  /** Of a review: the supervisors that want it. */
  supervisors: texts,
  about: z.object({
    /** The effective message or input that the work is about, clipped; absent while that is under review itself. */
    message: text,
    /** Of what passes between two agents: from whom, and to whom. */
    from: text,
    to: text,
  }),
});
export type AskOrigin = z.infer<typeof askOriginSchema>;

/** What the asker knows of it; the object that owns the ask knows the rest. */
export type AskSource = Readonly<
  Partial<Pick<AskOrigin, "agent" | "team" | "path" | "tool" | "toolCallId" | "supervisors">>
> & { readonly between?: { readonly from: string; readonly to: string } | undefined };

/** What the object that owns an ask knows of the work that waits on it. */
export type AskWork = Readonly<Omit<AskOrigin, "about" | "path" | "supervisors" | "tool" | "toolCallId">> & {
  readonly message?: string | undefined;
};

/** The most of a message that an ask holds, in characters. */
const longestMessage = 2_000;

/** @example originOf({ runId, message: "Route it." }, { agent: "supervisor", team: "support" }) */
export function originOf({ message, ...work }: AskWork, { between, ...source }: AskSource): AskOrigin {
  const about = { ...between, ...defined({ message: message === undefined ? undefined : clipped(message) }) };
  return askOriginSchema.parse({ ...defined({ ...work, ...source }), about });
}

/** The origin when the message that it is about was erased. */
export function withoutMessage(from: AskOrigin): AskOrigin {
  const { message: _, ...about } = from.about;
  return { ...from, about };
}

function clipped(message: string): string {
  return message.length <= longestMessage ? message : `${message.slice(0, longestMessage)} …`;
}

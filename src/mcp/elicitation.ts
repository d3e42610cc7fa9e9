/**
 * Questions to the user of a host of the protocol before (2025-06-18, 2025-11-25): `elicitation/create`, over the stream of the call that waits. No
 * process is kept between a question and its answer: the session's id says that the host can ask, the question's id names the ask, and whichever
 * process the answer comes to answers the ask, under the caller's authority. The call that waits sees that it is
 * closed, or that the user declined, and goes on.
 */
import { z } from "zod";
import { answerAsk } from "../application/asks/answer-ask.js";
import { declineAsk } from "../application/asks/decline-ask.js";
import { readAsk } from "../application/asks/read-ask.js";
import { askOwner } from "../asks/ask.js";
import { attempt } from "../conversation/problem.js";
import { lazily } from "../text/lazily.js";
import type { AskingState, Call } from "./call.js";
import { type Asking, formFor, withoutEmpty } from "./questions.js";
import { awaitEnd } from "./waiting.js";

/** How a session's id begins whose host can ask its user; and a question's, before the id of its ask. */
const canAsk = "asks-";
const questionMark = "question ";

/** How often the ask is looked at, in milliseconds. */
const lookMs = 1_000;

const schemas = lazily(() => ({
  beginning: z.object({
    method: z.literal("initialize"),
    params: z.object({ capabilities: z.object({ elicitation: z.record(z.string(), z.unknown()) }) }),
  }),
  answer: z.object({
    // A request of the host's own has a method, and ids as it likes.
    method: z.undefined().optional(),
    id: z.string().startsWith(questionMark),
    // An error leaves the ask as it is.
    result: z.object({ action: z.string(), content: z.record(z.string(), z.unknown()).default({}) }).optional(),
  }),
}));

/** What a host that says that it can show forms is to send along from now on; nothing of others, and of other messages. */
export function sessionIdFor(message: unknown): string | undefined {
  const read = schemas().beginning.safeParse(message);
  if (!read.success) return undefined;
  const { elicitation } = read.data.params.capabilities;
  return "form" in elicitation || !("url" in elicitation) ? `${canAsk}${crypto.randomUUID()}` : undefined;
}

/** Whether the host of a request said so when it began. */
export function canBeElicited(request: Request): boolean {
  return request.headers.get("mcp-session-id")?.startsWith(canAsk) ?? false;
}

/** Takes an answer to a question of ours. @returns whether the message was one */
export async function takeAnswer(
  message: unknown,
  { actor, services }: Pick<Call, "actor" | "services">,
): Promise<boolean> {
  const read = schemas().answer.safeParse(message);
  if (!read.success) return false;
  const { id, result } = read.data;
  const askId = id.slice(questionMark.length);
  if (askOwner(askId) === undefined) return false;
  // What isn't taken (somebody was first, or it isn't an answer) leaves the ask to who waits for it.
  if (result?.action === "accept")
    await attempt(() => answerAsk(actor, { askId, answer: withoutEmpty(result.content) }, services));
  // Declined, or closed: it stays open, and whoever waits sees it.
  else if (result !== undefined) await attempt(() => declineAsk(actor, { askId }, services));
  return true;
}

/**
 * Asks the host's user, and waits for the ask to be closed, by whoever it is, or for the user to decline.
 * @param waitMs how long this call waits for it, in milliseconds: what is answered later goes to the ask all the same
 * @returns what to go on with; nothing where nobody was asked, or nobody said anything
 */
export async function elicited({ work, asks }: Asking, call: Call, waitMs: number): Promise<AskingState | undefined> {
  const { elicit, actor, services, context } = call;
  const ask = asks.find(({ audience, answerable }) => audience === "user" && answerable);
  if (elicit === undefined || ask === undefined || waitMs === 0) return undefined;
  const { askId, declinedAt } = ask;
  await elicit({ id: `${questionMark}${askId}`, params: formFor(ask) }, context);
  const look = async (forMs: number) => {
    const until = services.now() + forMs;
    let running = true;
    while (running && services.now() < until && !context.mcpReq.signal.aborted) {
      await new Promise((later) => setTimeout(later, Math.min(lookMs, until - services.now())));
      const seen = await attempt(() => readAsk(actor, { askId }, services));
      // What couldn't be read just now is looked at again.
      running = seen.ok
        ? seen.value.status === "open" && seen.value.declinedAt === declinedAt
        : seen.problem.code !== "not_found";
    }
    return { status: "waiting", running };
  };
  const root =
    "runId" in work ? ({ kind: "run", id: work.runId } as const) : ({ kind: "session", id: work.sessionId } as const);
  const { running } = await awaitEnd(call, { root, ...("turnId" in work && { turnId: work.turnId }) }, waitMs, look);
  return running ? undefined : { work, askId };
}

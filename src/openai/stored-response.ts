/** What is shown again of a response's request: as it is kept with a stored one, or as it came with this call. */
import type { ChatPlace } from "../application/openai/chat-input.js";
import type { StoredResponse } from "../application/openai/read-response.js";
import { echoSchema } from "./response-echo.js";
import type { ResponseHead } from "./response-object.js";

/** Nothing where what was noted of its request is none of ours. */
export function headOf({ ref, session, turn, request }: StoredResponse): ResponseHead | undefined {
  const { data: echo } = echoSchema.safeParse(request.note);
  if (echo === undefined) return undefined;
  return { ref, model: session.agent, createdAt: turn.createdAt, echo, instructions: null };
}

/**
 * Of the response that a call gets: one whose question it answers is the same as it was.
 * @param createdAt where the place doesn't say it
 */
export function headAt(
  place: ChatPlace,
  sent: Omit<ResponseHead, "ref" | "createdAt">,
  createdAt: string,
): ResponseHead {
  const { sessionId, turnId, asked } = place;
  const own = asked === undefined ? undefined : headOf(asked);
  return own ?? { ...sent, ref: { sessionId, turnId }, createdAt: place.createdAt ?? createdAt };
}

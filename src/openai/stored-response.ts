/** A stored response, read for showing it. */
import type { StoredResponse } from "../application/openai/read-response.js";
import type { ResponseHead } from "./response-object.js";
import { echoSchema } from "./response-request.js";

/** Nothing where what was noted of its request is none of ours. */
export function headOf({ ref, session, turn, request }: StoredResponse): ResponseHead | undefined {
  const { data: echo } = echoSchema.safeParse(request.note);
  if (echo === undefined) return undefined;
  return { ref, model: session.agent, createdAt: turn.createdAt, echo, instructions: null };
}

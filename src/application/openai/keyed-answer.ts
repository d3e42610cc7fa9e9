/**
 * Calls under an Idempotency-Key that answer a question: which question that is, is settled before it is answered. A call that is
 * repeated after a crash answers the same one, and is no new message, whatever the turn has come to since.
 */
import type { Actor } from "../../tenancy/actor.js";
import { claimId, commandedCreation } from "../creation.js";
import type { Services } from "../services.js";
import type { ChatInput } from "./chat-input.js";

type KeyedInput = Pick<ChatInput, "agent" | "content" | "sessionId" | "previousId">;

/** Has the call answer this ask. @throws {ProblemError} where its key stood for another request before */
export async function claimAsk(
  actor: Actor,
  input: KeyedInput,
  askId: string,
  services: Pick<Services, "claims">,
): Promise<void> {
  await claimId(actor, askId, answerOf(input), services);
}

/** The ask that a call with this key has answered, or was about to; undefined where it is no answer, or comes for the first time. */
export async function askUnderKey(
  actor: Actor,
  input: KeyedInput,
  { claims }: Pick<Services, "claims">,
): Promise<string | undefined> {
  const key = await commandedCreation(actor, answerOf(input));
  const known = key && (await claims.find(key));
  return known?.kind === "claimed" && known.id.startsWith("ask_") ? known.id : undefined;
}

function answerOf({ agent, content, sessionId, previousId }: KeyedInput): unknown {
  return { answers: previousId ?? sessionId ?? "", agent, content };
}

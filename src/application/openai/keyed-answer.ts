/**
 * Calls under an Idempotency-Key that answer a question: which question that is, is settled before it is answered. A call that is
 * repeated after a crash answers the same one, and is no new message, whatever the turn has come to since.
 */
import { ok, type Result } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { claimId, creationKey } from "../creation.js";
import type { Services } from "../services.js";
import type { ChatInput } from "./chat-input.js";

type KeyedInput = Pick<ChatInput, "agent" | "content" | "sessionId" | "previousId" | "idempotencyKey">;

/** The ask that the call answers: this one, unless its key stood for another one before. */
export function claimAsk(
  actor: Actor,
  input: KeyedInput,
  askId: string,
  services: Pick<Services, "claims">,
): Promise<Result<string>> {
  return claimId(actor, askId, { request: answerOf(input), idempotencyKey: input.idempotencyKey }, services);
}

/** The ask that a call with this key has answered, or was about to; undefined where it is no answer, or comes for the first time. */
export async function askUnderKey(
  actor: Actor,
  input: KeyedInput,
  { claims }: Pick<Services, "claims">,
): Promise<Result<string | undefined>> {
  const { idempotencyKey } = input;
  if (idempotencyKey === undefined) return ok(undefined);
  const known = await claims.find(await creationKey(actor, { request: answerOf(input), idempotencyKey }));
  return ok(known?.kind === "claimed" && known.id.startsWith("ask_") ? known.id : undefined);
}

function answerOf({ agent, content, sessionId, previousId }: KeyedInput): unknown {
  return { answers: previousId ?? sessionId ?? "", agent, content };
}

/** What a caller of OpenAI's API says, in our words, and where it is worked on. */
import type { TurnRequest } from "../../chat/turn-request.js";
import type { Metadata } from "../../conversation/names.js";

export interface ChatInput {
  readonly agent: string;
  /** Without it the conversation is what `request` says. */
  readonly sessionId?: string | undefined;
  readonly subject?: string | undefined;
  readonly metadata: Metadata;
  readonly content: string;
  readonly speaker?: string | undefined;
  readonly request: TurnRequest;
  /** The ask that the agent's last message in the conversation was. */
  readonly askId?: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

/** Where a conversation is worked on. */
export interface ChatPlace {
  readonly sessionId: string;
  readonly turnId: string;
  /** The session was made for this turn alone. */
  readonly isStateless: boolean;
}

/** What a caller of OpenAI's API says, in our words, and where it is worked on. */
import type { TurnRequest } from "../../chat/turn-request.js";
import type { MemoryChoice } from "../../conversation/memory-binding.js";
import type { Metadata } from "../../conversation/names.js";
import type { Problem } from "../../conversation/problem.js";
import type { StoredResponse } from "./read-response.js";

export interface ChatInput {
  readonly agent: string;
  /** Without it the conversation is what `request` says. */
  readonly sessionId?: string | undefined;
  readonly subject?: string | undefined;
  readonly metadata: Metadata;
  /** What the session of this call is bound to; of a session that is named nothing can be said. */
  readonly memory?: MemoryChoice | undefined;
  readonly content: string;
  readonly speaker?: string | undefined;
  readonly request: TurnRequest;
  /** Where the caller's own form has what of the request can be refused: `tools`, `messages[2]`. */
  readonly sentAt?: { readonly [Part in keyof TurnRequest | "speaker"]?: string | undefined } | undefined;
  /** What was left out of it because it isn't done here: an agent that doesn't say `"unsupported": "ignore"` refuses it. */
  readonly unsupported?: Problem["errors"];
  /** The replies in the request's history were looked up here: the caller tells nothing itself. */
  readonly isLookedUp?: boolean | undefined;
  /** The ask that the agent's last message in the conversation was. */
  readonly askId?: string | undefined;
  /** The call has answered that ask before, under its key: it is no new message, whatever the turn has come to since. */
  readonly isRepeated?: boolean | undefined;
  /** Without a session: the response that it goes on from. */
  readonly previousId?: string | undefined;
  /** Without a session: whether the one that is made stays, so that the answer can be read again and gone on from. */
  readonly isStored?: boolean | undefined;
  /** An open question of that response is left to others: the content is no answer to it. */
  readonly isAside?: boolean | undefined;
  /** A conversation that is longer than a model is shown is refused, and not shown without its beginning. */
  readonly isWhole?: boolean | undefined;
}

/** Where a conversation is worked on. */
export interface ChatPlace {
  readonly sessionId: string;
  readonly turnId: string;
  /** The session was made for this turn alone, and goes after it. */
  readonly isStateless: boolean;
  /** When the turn was accepted. */
  readonly createdAt?: string | undefined;
  /** The response whose question this call answers: it goes on, and what it came with holds still. */
  readonly asked?: StoredResponse | undefined;
}

/** Sessions that would go with their answer, and that a caller keeps a while longer to go on from. */
export interface KeptSessions {
  has(sessionId: string): boolean;
  keep(sessionId: string): void;
}

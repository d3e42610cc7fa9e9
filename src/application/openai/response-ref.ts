/** The id of a response: it names the session and the turn that the response is. */
import type { TurnRef } from "../../chat/turn-request.js";

/** @example responseId({ sessionId: "ses_01a…", turnId: "trn_01b…" }); // "resp_ses_01a…_01b…" */
export function responseId({ sessionId, turnId }: TurnRef): string {
  return `resp_${sessionId}_${turnId.slice("trn_".length)}`;
}

/** What an id names; nothing where it can't be a response's. */
export function readResponseId(id: string): TurnRef | undefined {
  const [, sessionId, turn] = /^resp_(ses_[0-9a-z]{26})_([0-9a-z]{26})$/.exec(id) ?? [];
  return sessionId === undefined || turn === undefined ? undefined : { sessionId, turnId: `trn_${turn}` };
}

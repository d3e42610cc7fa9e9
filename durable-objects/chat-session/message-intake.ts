/** Messages on their way into a session: each becomes a turn, in order, or the answer to a question of the turn that waits. */
import { admit, type NewSession } from "../../src/chat/session.js";
import type { PlainMessage } from "../../src/conversation/message.js";
import { ok, type Result, refuse } from "../../src/conversation/problem.js";
import type { SendCommand } from "../../src/gateways/session-gateway.js";
import { newId } from "../../src/platform/ids.js";
import type { Kit } from "../kit/kit.js";
import type { AnswerSupervision } from "./answer-supervision.js";
import type { ChatSessionStore } from "./store.js";
import type { TurnRecord } from "./turn-rows.js";

export interface IntakePorts {
  readonly store: ChatSessionStore;
  readonly kit: Kit;
  readonly supervision: AnswerSupervision;
  readonly now: () => number;
  readonly cancelTurn: (turn: TurnRecord) => void;
  /** Puts an effective message into the outbox for the memory, in the write that is under way. */
  readonly remember: (messageId: string) => void;
  /** Brings the session's copy up to date, in the write that is under way. */
  readonly indexed: () => void;
  /** The turn was made just now, and is what the driver does next, in the very stretch that made it. */
  readonly begins: (turnId: string) => void;
}

export class MessageIntake {
  constructor(private readonly ports: IntakePorts) {}

  /** Gives the id of the turn that the message began, or that it answered. The same key gives the same turn. */
  async accept(command: SendCommand, whileWaiting: NewSession["whileWaiting"]): Promise<Result<string>> {
    const { store, kit, cancelTurn } = this.ports;
    for (;;) {
      const known = this.sentBefore(command);
      if (known !== undefined) return known;
      const current = store.turns.current();
      const openAsks = current === undefined ? [] : kit.asks.openOfWork(current.turnId);
      const admission = admit({ whileWaiting, queued: store.turns.queued(), openAsks });
      if (!admission.ok) return admission;
      switch (admission.value.kind) {
        case "queue":
          return ok(this.enqueue(command));
        case "cancel_current":
          // In one synchronous stretch with the new turn: both are stored, or neither.
          if (current !== undefined) cancelTurn(current);
          return ok(this.enqueue(command));
        case "answer": {
          const answered = await this.answer(admission.value.askId, command);
          // Closed meanwhile: what becomes of the message is decided anew.
          if (answered !== undefined) return answered;
        }
      }
    }
  }

  private sentBefore({ idempotencyKey, requestHash }: SendCommand): Result<string> | undefined {
    const known = this.ports.store.sentUnder(idempotencyKey);
    if (known === undefined) return undefined;
    // The hash of a message that was erased is gone: any text counts as the same.
    return known.requestHash === "" || known.requestHash === requestHash
      ? ok(known.turnId)
      : refuse("idempotency_conflict", "This Idempotency-Key came with another message before. Use a new key.");
  }

  private enqueue(command: SendCommand): string {
    const { store, kit, now, indexed } = this.ports;
    const idempotencyKey = command.turnId === undefined ? command.idempotencyKey : undefined;
    const ids = { turnId: command.turnId ?? newId("trn"), messageId: newId("msg"), replyId: newId("msg") };
    const salts = { messageSalt: crypto.randomUUID(), replySalt: crypto.randomUUID() };
    const isFirst = store.turns.current() === undefined;
    const isDriven = kit.write(() => {
      const isWaiting = store.turns.current()?.status === "waiting";
      store.turns.add({ ...command, ...ids, ...salts, idempotencyKey, at: now() });
      // A turn that begins at once brings the copy up to date itself.
      if (isWaiting) indexed();
      return kit.kick();
    });
    if (isFirst && isDriven) this.ports.begins(ids.turnId);
    return ids.turnId;
  }

  /** Nothing when the ask was closed meanwhile. All supervisors of requests look at the message first. */
  private async answer(askId: string, command: SendCommand): Promise<Result<string> | undefined> {
    const { store, kit, supervision, now, remember } = this.ports;
    const at = now();
    const { content, speaker, metadata, idempotencyKey, requestHash, sender } = command;
    const sent: PlainMessage = {
      ...{ messageId: newId("msg"), role: "user", content },
      ...{ answers: askId, createdAt: new Date(at).toISOString() },
    };
    const turnId = kit.asks.workOf(askId);
    const turn = turnId === undefined ? undefined : store.turns.get(turnId);
    if (turnId === undefined || turn === undefined) return undefined;
    const judged = await supervision.judge(sent, { speaker, metadata, sentBy: sender }, turn);
    const known = this.sentBefore(command);
    if (known !== undefined || judged === undefined) return known;
    if (!judged.message.ok) {
      kit.write(judged.record);
      return judged.message;
    }
    const message = judged.message.value;
    return kit.write((): Result<string> | undefined => {
      const outcome = kit.asks.answer(askId, { response: message.content }, { by: sender, asStaff: false });
      if (outcome === undefined) return undefined;
      switch (outcome.kind) {
        case "accepted":
          judged.record();
          store.messages.add(message, turnId, true);
          store.answers.add({
            turnId,
            askId,
            messageId: sent.messageId,
            original: content,
            idempotencyKey,
            requestHash,
            at,
          });
          remember(sent.messageId);
          return ok(turnId);
        case "invalid": {
          const errors = outcome.issues.map((issue) => ({ ...issue, path: "content" }));
          return refuse("invalid", "The message is no answer that the question accepts; see errors.", { errors });
        }
        case "forbidden":
          return refuse("forbidden", "This question is for somebody else.");
        case "same":
        case "already_closed":
          return undefined;
      }
    });
  }
}

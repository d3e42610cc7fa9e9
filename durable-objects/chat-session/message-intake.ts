/** Messages on their way into a session: each becomes a turn, in order, or the answer to a question of the turn that waits. */
import type { AdmittedWork } from "../../src/application/limits/admit-work.js";
import type { RootPlatform } from "../../src/application/root-platform.js";
import { admit } from "../../src/chat/session.js";
import type { PlainMessage } from "../../src/conversation/message.js";
import { ok, type Result, refuse } from "../../src/conversation/problem.js";
import type { SendCommand } from "../../src/gateways/session-object.js";
import { newId } from "../../src/platform/ids.js";
import type { Amounts } from "../../src/tenancy/limits/demand.js";
import { loaded } from "../../src/text/lazily.js";
import type { Kit } from "../kit/kit.js";
import type { AnswerSupervision } from "./answer-supervision.js";
import { limitFactsOf } from "./limit-facts.js";
import { erasedKey } from "./message-versions.js";
import type { SessionOutbox } from "./session-outbox.js";
import type { ChatSessionStore } from "./store.js";
import type { TurnRecord } from "./turn-rows.js";
import { recordQueued } from "./turn-view.js";

export interface IntakePorts {
  readonly store: ChatSessionStore;
  readonly kit: Kit;
  readonly supervision: AnswerSupervision;
  readonly platform: RootPlatform;
  readonly cancelTurn: (turn: TurnRecord) => void;
  readonly outbox: SessionOutbox;
}

const admission = loaded(() => import("../../src/application/limits/admit-work.js"));
/** What a message takes of limits, and one that begins a turn; its tokens and money are worked out. */
const ofMessage = { messages: 1 };
const ofTurnAlone = { turns: 1, concurrentTurns: 1, openAsks: 1, tokens: 1, money: 1 };
const ofTurn = { ...ofMessage, ...ofTurnAlone };

/** @param before as what it has been admitted already */
function takenAs(what: "answer" | "turn", before: "answer" | "turn" | undefined): Amounts {
  if (what === "answer") return ofMessage;
  return before === undefined ? ofTurn : ofTurnAlone;
}

export class MessageIntake {
  private admitting: Promise<unknown> = Promise.resolve();
  /** How many messages were taken in this instance. */
  private enqueued = 0;

  constructor(private readonly ports: IntakePorts) {}

  /** Returns the id of the turn that the message began, or that it answered. The same key gives the same turn. */
  async accept(command: SendCommand): Promise<Result<string>> {
    const { store, kit, cancelTurn } = this.ports;
    const { whileWaiting } = store.session().definition;
    // Nothing is computed, and nobody waits, where no message was ever erased.
    const erased = store.versions.hasErased() ? await erasedKey(command.idempotencyKey) : undefined;
    const turnId = command.turnId ?? newId("trn");
    let admitted: AdmittedWork | undefined;
    let admittedAs: "answer" | "turn" | undefined;
    for (let looked = -1; ; ) {
      // Nothing came in since somebody looked: it isn't known now either.
      const known = looked === this.enqueued ? undefined : this.sentBefore(command, erased);
      looked = this.enqueued;
      if (known !== undefined) {
        this.giveBack(admitted);
        return known;
      }
      const current = store.turns.current();
      const openAsks = current === undefined ? [] : kit.asks.openOfWork(current.turnId);
      const isHeld = store.session().hold !== undefined;
      const admission = admit({ whileWaiting, queued: store.turns.queued(), openAsks, isHeld });
      if (!admission.ok) {
        this.giveBack(admitted);
        return admission;
      }
      const asWhat = admission.value.kind === "answer" ? "answer" : "turn";
      // The question that it answers may be closed meanwhile: then it begins a turn after all, and takes what that takes.
      const isTaken = admittedAs === "turn" || admittedAs === asWhat;
      const asked = isTaken ? undefined : this.admit(turnId, command, takenAs(asWhat, admittedAs));
      if (asked !== undefined) {
        const room = await asked;
        if (!room.ok) return room;
        admitted = room.value;
        admittedAs = asWhat;
        // Meanwhile others may have sent something: what becomes of it is decided anew.
        continue;
      }
      switch (admission.value.kind) {
        case "queue":
          return ok(this.enqueue(turnId, command, admitted));
        case "cancel_current":
          // In one synchronous section with the new turn: both are stored, or neither.
          if (current !== undefined) cancelTurn(current);
          return ok(this.enqueue(turnId, command, admitted));
        case "answer": {
          const answered = await this.answer(admission.value.askId, command);
          // Closed meanwhile: what becomes of the message is decided anew.
          if (answered !== undefined) {
            this.giveBack(admitted);
            return answered;
          }
        }
      }
    }
  }

  private sentBefore({ idempotencyKey, requestHash }: SendCommand, erased?: string): Result<string> | undefined {
    const known = this.ports.store.sentUnder(idempotencyKey, erased);
    if (known === undefined) return undefined;
    // The hash of a message that was erased is gone: any text counts as the same.
    return known.requestHash === "" || known.requestHash === requestHash
      ? ok(known.turnId)
      : refuse("idempotency_conflict", "This Idempotency-Key came with another message before. Use a new key.");
  }

  /** One after another, so that messages keep their order; nothing where the tenant has no such limits, and nobody waits then. */
  private admit(
    turnId: string,
    { measures, keyId, content: text, revision }: SendCommand,
    takes: Amounts,
  ): Promise<Result<AdmittedWork>> | undefined {
    if (measures !== undefined && !measures.some((measure) => Object.hasOwn(takes, measure))) return undefined;
    const { store, platform } = this.ports;
    const facts = limitFactsOf(store.session(), keyId);
    const next = this.admitting.then(async () =>
      (await admission()).admitWork(
        { work: turnId, facts, text, revision, inDoubt: (reservation) => this.settleUnbegun(reservation) },
        takes,
        platform,
      ),
    );
    this.admitting = next.catch(() => undefined);
    return next;
  }

  /** It became no turn. */
  private giveBack(admitted: AdmittedWork | undefined): void {
    if (admitted?.reserved !== undefined) this.settleUnbegun(admitted.reservation);
  }

  private settleUnbegun(reservation: string): void {
    const { kit } = this.ports;
    kit.write(() => kit.budgets.giveBack(reservation));
    kit.deliverSoon();
  }

  private enqueue(turnId: string, command: SendCommand, admitted: AdmittedWork | undefined): string {
    const { store, kit, platform, outbox } = this.ports;
    const idempotencyKey = command.turnId === undefined ? command.idempotencyKey : undefined;
    const ids = { turnId, messageId: newId("msg"), replyId: newId("msg") };
    const salts = { messageSalt: crypto.randomUUID(), replySalt: crypto.randomUUID() };
    kit.write(() => {
      const current = store.turns.current();
      const isWaiting = current?.status === "waiting";
      store.turns.add({
        ...{ ...command, ...ids, ...salts, idempotencyKey, at: platform.now() },
        firstEvent: kit.events.lastNumber() + 1,
        firstPass: store.passes.lastNumber() + 1,
        firstTry: current === undefined && !kit.loop.isRunning(),
      });
      if (admitted?.reserved !== undefined) kit.budgets.begin(turnId, admitted.reserved, admitted.reservation);
      recordQueued(turnId, store, kit);
      // A turn that begins at once brings the copy up to date itself.
      if (isWaiting) {
        outbox.updateIndex();
        kit.budgets.park(turnId);
      }
      // A turn that waits for others finds out itself what holds when it begins.
      kit.loop.kick({ id: turnId, revision: admitted?.revision ?? command.revision });
    });
    // Nothing goes on that would send off what it gives back.
    if (admitted?.reserved !== undefined) kit.deliverSoon();
    this.enqueued++;
    return turnId;
  }

  /** Nothing when the ask was closed meanwhile. All supervisors of requests look at the message first. */
  private async answer(askId: string, command: SendCommand): Promise<Result<string> | undefined> {
    const { store, kit, supervision, platform, outbox } = this.ports;
    const at = platform.now();
    const { content, speaker, metadata, idempotencyKey, requestHash, sender } = command;
    const sent: PlainMessage = {
      messageId: newId("msg"),
      role: "user",
      content,
      answers: askId,
      createdAt: new Date(at).toISOString(),
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
          this.enqueued++;
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
          outbox.remember(sent.messageId);
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

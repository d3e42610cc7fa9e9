/**
 * A conversation between its agent and people of the staff: taken over, written in, handed back. While it is held nothing an agent does
 * is begun or shown (`isPaused`); what customers write is supervised, kept, and waits for a person.
 */
import { decisionOf } from "../../src/asks/answer.js";
import type { Ask } from "../../src/asks/ask.js";
import { handedBackText, type StoredHold, silenceMs } from "../../src/chat/hold.js";
import { isFinal, type SettledOutcome } from "../../src/chat/session.js";
import { staffMessage, withId } from "../../src/chat/staff-message.js";
import type { ActorRecord } from "../../src/conversation/actor-record.js";
import type { CommandKey } from "../../src/conversation/command-key.js";
import { defined } from "../../src/conversation/defined.js";
import type { AssistantMessage } from "../../src/conversation/message.js";
import { ok, type Result, refuse } from "../../src/conversation/problem.js";
import { newId } from "../../src/platform/ids.js";
import { otherCommand } from "../kit/commands.js";
import type { Kit } from "../kit/kit.js";
import type { MessageVersions } from "./message-versions.js";
import type { SessionOutbox } from "./session-outbox.js";
import type { ChatSessionStore } from "./store.js";
import { endTurn } from "./turn-end.js";
import type { TurnRecord } from "./turn-rows.js";
import { recordQueued } from "./turn-view.js";

export interface HandOverPorts {
  readonly store: ChatSessionStore;
  readonly kit: Kit;
  readonly outbox: SessionOutbox;
  readonly now: () => number;
  readonly throughRules: MessageVersions["throughRules"];
  /** Takes back what is shown of a reply that is being written. */
  readonly withdrawReply: () => void;
}

/** The deadline at which a person who says nothing is asked for. */
export const silenceDeadline = "silence";

export class HandOver {
  constructor(private readonly ports: HandOverPorts) {}

  /** Whether a turn may begin nothing now: its message was judged, and a person has the conversation. */
  isPaused(turnId: string): boolean {
    const { store, kit } = this.ports;
    if (store.session().hold === undefined) return false;
    // That its message was judged may be about to be written with its next step.
    kit.works.flush(turnId);
    const turn = store.turns.get(turnId);
    return turn !== undefined && this.isJudged(turn);
  }

  /** The turn that can be driven now, the oldest first: while the conversation is held each message is judged, whatever waits before it. */
  nextTurn(): TurnRecord | undefined {
    const { turns, session } = { turns: this.ports.store.turns, session: this.ports.store.session() };
    if (session.hold !== undefined) return turns.unfinished().find(({ status }) => status !== "waiting");
    const current = turns.current();
    return current?.status === "waiting" ? undefined : current;
  }

  /** Takes the conversation over, from its agent or from another person. Again by the same person changes nothing. */
  hold(by: ActorRecord, command?: CommandKey): Result<void> {
    const { kit } = this.ports;
    const done = kit.commands.once<void>(
      command,
      () => ok(this.takeOver(by)),
      () => ok(undefined),
    );
    kit.deliverSoon();
    return done;
  }

  /** Asks for a person, until one comes: nothing where one is there. */
  request(by: ActorRecord, who: string | undefined, command?: CommandKey): Result<void> {
    const { store, kit } = this.ports;
    const ask = (): Result<void> => {
      if (store.session().hold === undefined) {
        this.setHold({ state: "asked", by, since: this.ports.now() });
        this.raise(who === undefined ? "A person is asked for." : `${who} asks for a person.`);
      }
      return ok(undefined);
    };
    const done = kit.commands.once<void>(command, ask, () => ok(undefined));
    kit.deliverSoon();
    return done;
  }

  /** Takes the request for a person back, as long as nobody has come. */
  withdraw(by: ActorRecord, command?: CommandKey): Result<void> {
    const { store, kit } = this.ports;
    const withdraw = (): Result<void> => {
      const { hold } = store.session();
      if (hold === undefined) return ok(undefined);
      if (hold.state === "taken")
        return refuse("conflict", "A person has taken the conversation over: they hand it back.");
      for (const { askId } of this.openAsks()) kit.asks.cancel(askId, by);
      this.handBack(by, true);
      return ok(undefined);
    };
    const done = kit.commands.once<void>(command, withdraw, () => ok(undefined));
    kit.deliverSoon();
    return done;
  }

  /** Hands the conversation back. @param answers whether the agent answers what came meanwhile and no person answered */
  release(by: ActorRecord, answers: boolean, command?: CommandKey): Result<void> {
    const { kit } = this.ports;
    const release = (): Result<void> => {
      for (const { askId } of this.openAsks()) kit.asks.cancel(askId, by);
      this.handBack(by, answers);
      return ok(undefined);
    };
    const done = kit.commands.once<void>(command, release, () => ok(undefined));
    kit.deliverSoon();
    return done;
  }

  /** Writes as the staff: the reply to all that was written since, or where nothing was, a message of its own. Returns its turn. */
  async write(content: string, by: ActorRecord, command?: CommandKey): Promise<Result<string>> {
    const { store, kit, now, throughRules } = this.ports;
    const before = this.writtenBefore(command);
    if (before !== undefined) return before;
    if (store.session().hold === undefined) return notHeld;
    const at = new Date(now()).toISOString();
    const drafted = staffMessage(newId("msg"), content, by, at);
    const passed = await throughRules(drafted);
    if (!passed.ok) return passed;
    const { value: cleared } = passed;
    // Nothing is awaited from here on.
    const meanwhile = this.writtenBefore(command);
    if (meanwhile !== undefined) return meanwhile;
    if (store.session().hold === undefined || cleared.role !== "assistant") return notHeld;
    const turnId = kit.write(() => {
      if (this.openAsks().length > 0) this.takeOver(by);
      this.awaitSilence();
      const written = this.answerWith(cleared, by);
      kit.commands.claim(command, written);
      return written;
    });
    kit.loop.kick();
    kit.deliverSoon();
    return ok(turnId);
  }

  /** A person was asked for, and somebody has decided. In the write that closes the ask. */
  decided(ask: Ask): void {
    const decision = ask.status === "answered" ? decisionOf(ask)?.decision : undefined;
    const by = ask.closedBy ?? { kind: "system" as const, id: ask.askId };
    if (decision === "take") this.take(by);
    if (decision === "return") this.handBack(by, true);
  }

  /** Nobody of the staff has written for long. */
  silent(): void {
    const { store, kit } = this.ports;
    kit.write(() => {
      kit.deadlines.move(silenceDeadline, undefined);
      if (store.session().hold?.state === "taken" && this.openAsks().length === 0)
        this.raise("Staff took this conversation over and has written nothing for 30 minutes. Does somebody go on?");
    });
    kit.deliverSoon();
  }

  private takeOver(by: ActorRecord): void {
    const [ask] = this.openAsks();
    // What the ask decides is done in its own write.
    if (ask === undefined) this.take(by);
    else this.ports.kit.asks.answer(ask.askId, { decision: "take" }, { by, asStaff: true });
  }

  private take(by: ActorRecord): void {
    const { hold } = this.ports.store.session();
    const isTheirs = hold?.state === "taken" && hold.by.kind === by.kind && hold.by.id === by.id;
    if (!isTheirs) this.setHold({ state: "taken", by, since: hold?.since ?? this.ports.now() });
    this.awaitSilence();
  }

  private setHold(hold: StoredHold): void {
    const { store, kit, outbox } = this.ports;
    store.setHold(hold);
    kit.events.append("session.held", undefined, { held: hold.state });
    this.record("session.held", hold.state, hold.by);
    // What was shown of a reply is taken back: nothing of it is said as long as a person speaks.
    this.ports.withdrawReply();
    for (const turn of store.turns.unfinished()) if (turn.status !== "running") recordQueued(turn.turnId, store, kit);
    outbox.updateIndex();
  }

  private raise(question: string): void {
    const { store, kit } = this.ports;
    const request = { kind: "handover" as const, question, audience: "staff" as const, source: {} };
    const { sessionId } = store.session();
    kit.asks.open(sessionId, `handover ${kit.asks.ofWork(sessionId).length}`, request);
  }

  /** Asks for a person that are open: at most one. */
  private openAsks(): Ask[] {
    const { store, kit } = this.ports;
    return kit.asks.openOfWork(store.session().sessionId);
  }

  private awaitSilence(): void {
    this.ports.kit.deadlines.move(silenceDeadline, this.ports.now() + silenceMs);
  }

  /** @returns the turn whose reply it is */
  private answerWith(message: AssistantMessage, by: ActorRecord): string {
    const { store, kit, outbox } = this.ports;
    const waiting = store.turns.unfinished().filter((turn) => this.isJudged(turn));
    const answered = waiting.at(-1) ?? this.addTurn(by);
    for (const turn of waiting) if (turn !== answered) this.end(turn, { answeredIn: answered.turnId });
    const { turnId, replyId } = answered;
    this.end(answered, { reply: withId(message, replyId) });
    kit.events.append("message.staff", turnId, { messageId: replyId, turnId });
    this.record("message.staff", "written", by, { workId: turnId, messageId: replyId });
    outbox.updateIndex();
    return turnId;
  }

  /** A turn that nobody's message began. */
  private addTurn(by: ActorRecord): TurnRecord {
    const { store, kit, now } = this.ports;
    const turnId = newId("trn");
    store.turns.add({
      turnId,
      messageId: newId("msg"),
      replyId: newId("msg"),
      messageSalt: crypto.randomUUID(),
      replySalt: crypto.randomUUID(),
      idempotencyKey: undefined,
      requestHash: "",
      content: "",
      sender: by,
      at: now(),
      firstEvent: kit.events.lastNumber() + 1,
      firstPass: store.passes.lastNumber() + 1,
      firstTry: false,
    });
    const added = store.turns.get(turnId);
    if (added === undefined) throw new Error("a turn that was added isn't there");
    return added;
  }

  private end(turn: TurnRecord, outcome: Pick<SettledOutcome, "reply" | "answeredIn">): void {
    const { store, kit } = this.ports;
    const request = store.passes.ofTurn(turn.turnId).findLast(({ hook }) => hook === "request");
    const judged = request && { action: request.decision, reasons: [...request.reasons] };
    kit.loop.cancel(turn.turnId);
    endTurn(turn, "completed", { ...outcome, ...defined({ request: judged }), degraded: [] }, this.ports);
  }

  private handBack(by: ActorRecord, answers: boolean): void {
    const { store, kit, outbox, now } = this.ports;
    const { hold } = store.session();
    if (hold === undefined) return;
    store.setHold(undefined);
    kit.deadlines.move(silenceDeadline, undefined);
    if (hold.state === "taken") {
      const createdAt = new Date(now()).toISOString();
      store.messages.add({ messageId: newId("msg"), role: "system", content: handedBackText, createdAt }, "", true);
    }
    kit.events.append("session.released", undefined, {});
    this.record("session.released", answers ? "answered" : "left", by);
    const waiting = store.turns.unfinished().filter(({ status }) => status === "waiting");
    const kept = waiting.filter(({ acceptedAt }) => acceptedAt >= hold.since);
    const last = kept.at(-1);
    for (const turn of kept) {
      if (!answers) endTurn(turn, "cancelled", { degraded: [], cancelledBy: by }, this.ports);
      else if (last !== undefined && turn !== last) this.end(turn, { answeredIn: last.turnId });
    }
    // Those that wait for an ask find that out again.
    for (const { turnId } of waiting)
      if (!isFinal(store.turns.get(turnId)?.status ?? "cancelled")) store.turns.setStatus(turnId, "queued");
    outbox.updateIndex();
    kit.loop.kick();
  }

  private isJudged({ messageId }: TurnRecord): boolean {
    return this.ports.store.messages.get(messageId) !== undefined;
  }

  /** The turn of what was written under this key. */
  private writtenBefore(command: CommandKey | undefined): Result<string> | undefined {
    const known = this.ports.kit.commands.find(command);
    return known && (known.kind === "done" ? ok(known.note) : otherCommand);
  }

  private record(
    type: "session.held" | "session.released" | "message.staff",
    decision: string,
    actor: ActorRecord,
    { workId, messageId }: { readonly workId?: string; readonly messageId?: string } = {},
  ): void {
    const about = { ...defined({ workId }), subject: defined({ messageId }), reasons: [], at: this.ports.now() };
    this.ports.kit.outbox.put("act", type, { type, decision, actor, ...about });
  }
}

const notHeld = refuse(
  "conflict",
  "The conversation isn't held: take it over first, with POST /v1/sessions/{sessionId}/hold. Its agent would answer beside you otherwise.",
);

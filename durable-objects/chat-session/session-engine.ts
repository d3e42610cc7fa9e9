/** A session at work: the kit's parts put together, and what happens when a message, an answer or an alarm comes. */

import type { EndedStatus } from "../../src/agent/work.js";
import type { RootPlatform } from "../../src/application/root-platform.js";
import { loadRules } from "../../src/application/turn-setup.js";
import { askForAll } from "../../src/asks/ask.js";
import type { EventData } from "../../src/catalogues/events.js";
import type { ContextChangeBody, ContextView } from "../../src/chat/context.js";
import { chatEvents } from "../../src/chat/events.js";
import type { ReplyDelta } from "../../src/chat/reply-stream.js";
import {
  isFinal,
  mayAccept,
  type NewSession,
  type Session,
  type SettledOutcome,
  type Turn,
} from "../../src/chat/session.js";
import { replyText } from "../../src/conversation/message.js";
import { ok, type Result, refuse } from "../../src/conversation/problem.js";
import type { SendCommand } from "../../src/gateways/session-gateway.js";
import { newId } from "../../src/platform/ids.js";
import type { Lease, StepOutcome } from "../kit/driver.js";
import type { StreamOptions } from "../kit/event-stream.js";
import type { LiveEvent } from "../kit/events.js";
import { Kit } from "../kit/kit.js";
import type { RootEngine } from "../kit/root.js";
import { MessageVersions } from "./message-versions.js";
import { deliverOutbox } from "./outbox-delivery.js";
import { VersionedContext } from "./session-context.js";
import { ChatSessionStore, type TurnRecord } from "./store.js";
import { TurnRun } from "./turn-runner.js";
import { crashOutcome, turnView } from "./turn-view.js";

export class SessionEngine implements RootEngine {
  readonly store: ChatSessionStore;
  readonly kit: Kit;
  readonly context: VersionedContext;
  readonly versions: MessageVersions;
  private run: TurnRun | undefined;

  constructor(
    private readonly ctx: DurableObjectState,
    private readonly platform: RootPlatform,
  ) {
    this.store = new ChatSessionStore(ctx.storage.sql);
    this.kit = new Kit(ctx, {
      now: platform.now,
      owner: () => {
        const { tenantId, sessionId } = this.store.session();
        return { tenantId, id: sessionId };
      },
      deliver: (messages) => deliverOutbox(messages, this.store, platform),
      step: (lease) => this.step(lease),
      present: (type, data) => this.present(type, data),
      askClosed: (turnId) => this.askClosed(turnId),
    });
    this.versions = new MessageVersions({
      storage: ctx.storage,
      store: this.store,
      kit: this.kit,
      now: platform.now,
      changed: (messageId, change) => this.remember(messageId, change),
      rules: () => loadRules({ ...this.store.session(), context: () => this.context.current().context }, platform),
    });
    this.context = new VersionedContext({
      storage: ctx.storage,
      kit: this.kit,
      now: platform.now,
      changed: () => this.kit.outbox.put("session", "session", this.view()),
    });
  }

  create(identity: { tenantId: string; sessionId: string }, definition: NewSession): void {
    const createdAt = this.platform.now();
    this.ctx.storage.transactionSync(() => {
      this.store.createSession({ ...identity, definition, salt: crypto.randomUUID(), createdAt });
      this.context.begin(definition.context);
      this.kit.outbox.put("session", "session", this.view());
      if (definition.memory !== undefined) this.kit.outbox.put("memory", "memory", {});
    });
    this.kit.deliverSoon();
  }

  /** Takes a message into the queue; gives its turn's id. The same key gives the same turn. */
  accept(command: SendCommand): Result<string> {
    const known = this.store.turnByKey(command.idempotencyKey);
    if (known !== undefined) {
      // The hash of a message that was erased is gone: any text counts as the same.
      return known.requestHash === "" || known.requestHash === command.requestHash
        ? ok(known.turnId)
        : refuse("idempotency_conflict", "This Idempotency-Key came with another message before. Use a new key.");
    }
    const current = this.store.currentTurn();
    const waitingOn =
      current?.status === "waiting" ? this.kit.asks.openOfWork(current.turnId).map((ask) => ask.askId) : [];
    const may = mayAccept({ queued: this.store.queuedTurns(), waitingOn });
    if (!may.ok) return may;

    const { content, idempotencyKey, requestHash } = command;
    const ids = { turnId: newId("trn"), messageId: newId("msg"), replyId: newId("msg") };
    const salts = { messageSalt: crypto.randomUUID(), replySalt: crypto.randomUUID() };
    this.ctx.storage.transactionSync(() => {
      this.store.addTurn({ ...ids, ...salts, content, idempotencyKey, requestHash, at: this.platform.now() });
      this.kit.kick();
    });
    return ok(ids.turnId);
  }

  /** Changes the context, for the turn under way too. */
  async changeContext(change: ContextChangeBody, author: string): Promise<Result<ContextView>> {
    const changed = this.context.changeBy(change, author);
    await this.run?.refresh();
    return changed;
  }

  async restoreContext(version: number, author: string): Promise<Result<ContextView>> {
    const restored = this.context.restore(version, author);
    await this.run?.refresh();
    return restored;
  }

  cancelTurn(turn: TurnRecord): void {
    if (isFinal(turn.status)) return;
    if (this.run?.turn.turnId === turn.turnId) this.kit.cancel();
    this.end(turn, "cancelled", { degraded: [] });
    this.kit.kick();
  }

  /** Resolves when the turn has ended or waits for an ask, at the latest after `waitMs`. */
  async settled(turnId: string, waitMs: number): Promise<void> {
    await this.kit.waiters.until(() => !this.active(turnId), waitMs);
  }

  /** Whether the session, or one turn, goes on without anybody doing anything. */
  active(turnId?: string): boolean {
    const status = turnId === undefined ? this.store.currentTurn()?.status : this.store.turn(turnId)?.status;
    return status === "queued" || status === "running";
  }

  /** Somebody who follows one message gets its reply as text, even when it was complete before they listened. */
  forLatecomers(turnId: string | undefined): Pick<StreamOptions, "catchUp" | "unseen"> {
    return {
      catchUp: this.catchUp(turnId),
      unseen: turnId === undefined ? undefined : (event) => this.wholeReply(event),
    };
  }

  /** What was released of the reply that is being written, for somebody who comes late. */
  private catchUp(turnId: string | undefined): LiveEvent | undefined {
    const running = this.run;
    const delta = running?.stream?.soFar();
    if (running === undefined || delta === undefined) return undefined;
    const { turnId: work } = running.turn;
    return turnId === undefined || turnId === work ? this.deltaEvent(work, delta) : undefined;
  }

  /** The reply that an ended turn came to, as one delta. */
  private wholeReply({ type, work }: LiveEvent): LiveEvent | undefined {
    const reply = type === "turn.completed" && work !== undefined ? this.store.turn(work)?.outcome?.reply : undefined;
    if (work === undefined || reply === undefined) return undefined;
    return this.deltaEvent(work, { text: replyText(reply.modelReply), attempt: 0, offset: 0 });
  }

  private deltaEvent(work: string, delta: ReplyDelta): LiveEvent {
    return this.kit.events.live("reply.delta", work, { turnId: work, ...delta });
  }

  view(): Session {
    const { sessionId, definition, createdAt } = this.store.session();
    const { memory } = definition;
    const { version, context } = this.context.current();
    const current = this.store.currentTurn();
    return {
      ...definition,
      ...(memory === undefined ? {} : { memory: { ...memory, threadId: memory.threadId ?? sessionId } }),
      context,
      sessionId,
      contextVersion: version,
      status: current === undefined ? "idle" : current.status === "waiting" ? "waiting" : "running",
      createdAt: new Date(createdAt).toISOString(),
    };
  }

  turn(turnId: string): Result<Turn> {
    const turn = this.store.turn(turnId);
    return turn === undefined
      ? refuse("not_found", "There is no such turn in this session.")
      : ok(turnView(turn, this.store, this.kit.asks, this.kit.usage(turnId)));
  }

  /** Ends what runs and waits, so that nothing is written after an erasure. */
  async stop(): Promise<void> {
    for (let turn = this.store.currentTurn(); turn !== undefined; turn = this.store.currentTurn())
      this.cancelTurn(turn);
    await this.kit.stopped();
  }

  /** Goes on with the oldest turn that isn't done, if it can go on. */
  private async step(lease: Lease): Promise<StepOutcome> {
    const turn = this.store.currentTurn();
    if (turn === undefined || turn.status === "waiting") return "idle";
    const { turnId } = turn;
    if (turn.status === "queued") {
      this.ctx.storage.transactionSync(() => {
        this.store.setStatus(turnId, "running");
        this.kit.events.append("turn.started", turnId, { turnId });
      });
    }
    const { store, kit, platform, context } = this;
    const remember = (messageId: string): void => this.remember(messageId);
    this.run = new TurnRun(turn, store.session(), { store, kit, platform, context, remember });
    try {
      const { status, outcome } = await this.run.drive(lease);
      // Cancelled between its last step and its end: whoever did that has ended it.
      if (lease.isHeld()) this.end(turn, status, outcome);
    } catch (error) {
      const then = kit.afterThrow(turnId, error, lease);
      if (then === "failed") this.end(turn, "failed", crashOutcome(turn));
      if (then === "waiting") {
        store.setStatus(turnId, "waiting");
        kit.events.append("turn.waiting", turnId, { turnId });
      }
    } finally {
      this.run = undefined;
    }
    return "again";
  }

  private end(turn: TurnRecord, status: EndedStatus, outcome: SettledOutcome): void {
    const { turnId, acceptedAt } = turn;
    this.kit.end(turnId, { kind: "turn", outcome: status, since: acceptedAt }, (usage, endedAt) => {
      this.store.endTurn(turnId, status, { ...outcome, usage }, endedAt);
      if (outcome.reply !== undefined) {
        this.store.addMessage(outcome.reply, turnId, true);
        this.remember(outcome.reply.messageId);
      }
      if (outcome.error !== undefined) this.store.addMessage(outcome.error, turnId, false);
      this.kit.events.append("turn.completed", turnId, { turnId });
      // A team's workers that were interrupted must not count as busy for ever.
      if (status === "cancelled" || status === "failed")
        this.kit.outbox.put("work_ended", turnId, { work: turnId, at: this.platform.now() });
    });
  }

  /** For the memory, by id: the outbox holds no text, and what is delivered is what the message says by then. */
  private remember(messageId: string, change?: number | "erased"): void {
    if (this.store.session().definition.memory !== undefined) {
      const edit = change === "erased" ? undefined : change;
      this.kit.outbox.put("memory", "memory", { messageId, edit, at: this.platform.now() });
    }
    // The end of a turn sends off what it left; a change stands alone.
    if (change !== undefined) this.kit.deliverSoon();
  }

  private askClosed(turnId: string): void {
    if (this.store.turn(turnId)?.status !== "waiting") return;
    this.store.setStatus(turnId, "running");
    this.kit.kick();
  }

  /** What the log stores are ids; what is shown of them is what holds now. */
  private present(type: string, data: unknown): unknown {
    if (type === "context.changed") return this.presentContext(data) ?? data;
    return (type === "turn.completed" ? this.presentTurn(data) : undefined) ?? data;
  }

  private presentContext(data: unknown): EventData<"context.changed"> | undefined {
    const { data: stored } = chatEvents["context.changed"].stored.safeParse(data);
    const version = stored === undefined ? undefined : this.context.version(stored.version);
    if (stored === undefined || version === undefined) return undefined;
    const { author, reason, at } = version;
    return { ...stored, author, reason, at };
  }

  private presentTurn(data: unknown): EventData<"turn.completed"> | undefined {
    const { data: stored } = chatEvents["turn.completed"].stored.safeParse(data);
    const turn = stored === undefined ? undefined : this.turn(stored.turnId);
    return turn?.ok ? { ...turn.value, asks: turn.value.asks.map(askForAll) } : undefined;
  }
}

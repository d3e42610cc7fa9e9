/** A session at work: the kit's parts put together, and what happens when a message, an answer or an alarm comes. */
import type { ContextChangeBody, ContextView } from "../../src/chat/context.js";
import { replyText } from "../../src/chat/message.js";
import type { ReplyDelta } from "../../src/chat/reply-stream.js";
import {
  isFinal,
  mayAccept,
  type NewSession,
  type Session,
  type StoredOutcome,
  type Turn,
  type TurnStatus,
} from "../../src/chat/session.js";
import { newId } from "../../src/platform/ids.js";
import { describeError, log } from "../../src/platform/logging.js";
import type { SendCommand } from "../../src/platform/session-gateway.js";
import type { SessionPlatform } from "../../src/platform/session-platform.js";
import { loadRules } from "../../src/platform/turn-setup.js";
import { ok, type Result, refuse } from "../../src/problem.js";
import type { LiveEvent } from "../kit/events.js";
import { forgetSteps, StepAbandonedError } from "../kit/journal.js";
import { Kit } from "../kit/kit.js";
import { deliverOutbox } from "./outbox-delivery.js";
import { ReplyEdits } from "./reply-edits.js";
import { VersionedContext } from "./session-context.js";
import { ChatSessionStore, type TurnRecord } from "./store.js";
import { TurnRun } from "./turn-runner.js";
import { askForAll, crashOutcome, idsIn, turnView } from "./turn-view.js";

/** The turn fails at its so manieth unforeseen exception. The first is tried again at once, the others when the lease runs out. */
const maxCrashes = 4;

export class SessionAtWork {
  readonly store: ChatSessionStore;
  readonly kit: Kit;
  readonly context: VersionedContext;
  readonly edits: ReplyEdits;
  private run: TurnRun | undefined;
  /** Who waits for a turn to end or to wait itself. */
  private readonly waiters = new Map<string, Set<() => void>>();

  constructor(
    private readonly ctx: DurableObjectState,
    private readonly platform: SessionPlatform,
  ) {
    this.store = new ChatSessionStore(ctx.storage.sql);
    this.kit = new Kit(ctx, {
      now: platform.now,
      ownerId: () => this.store.session().sessionId,
      deliver: (messages) => deliverOutbox(messages, this.store, platform),
      step: () => this.step(),
      present: (type, data) => this.present(type, data),
      askClosed: (turnId) => this.askClosed(turnId),
    });
    this.edits = new ReplyEdits({
      storage: ctx.storage,
      store: this.store,
      kit: this.kit,
      now: platform.now,
      edited: (messageId, edit) => this.remember(messageId, edit),
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
      return known.requestHash === command.requestHash
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
    this.ctx.storage.transactionSync(() => {
      this.store.addTurn({ ...ids, content, idempotencyKey, requestHash, at: this.platform.now() });
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

  /** A new instance goes on at once with what the one before it left, whoever woke it. */
  resume(): void {
    if (this.active()) this.kit.kick();
  }

  cancelTurn(turn: TurnRecord): void {
    if (isFinal(turn.status)) return;
    if (this.run?.turn.turnId === turn.turnId) this.run.cancel();
    this.end(turn, "cancelled", { degraded: [], usage: { inputTokens: 0, outputTokens: 0 } });
    this.kit.kick();
  }

  /** Resolves when the turn has ended or waits for an ask, at the latest after `waitMs`. */
  async settled(turnId: string, waitMs: number): Promise<void> {
    if (waitMs <= 0 || !this.isActive(turnId)) return;
    await new Promise<void>((resolve) => {
      const waiting = this.waiters.get(turnId) ?? new Set();
      this.waiters.set(turnId, waiting);
      const done = (): void => {
        clearTimeout(timer);
        waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, waitMs);
      waiting.add(done);
    });
  }

  /** Whether a turn goes on without anybody doing anything. */
  isActive(turnId: string): boolean {
    const status = this.store.turn(turnId)?.status;
    return status === "queued" || status === "running";
  }

  active(): boolean {
    const current = this.store.currentTurn();
    return current !== undefined && current.status !== "waiting";
  }

  /** What was released of the reply that is being written, for somebody who comes late. */
  catchUp(turnId: string | undefined): LiveEvent | undefined {
    const running = this.run;
    const delta = running?.stream?.soFar();
    if (running === undefined || delta === undefined) return undefined;
    const { turnId: work } = running.turn;
    return turnId === undefined || turnId === work ? this.deltaEvent(work, delta) : undefined;
  }

  /** The reply that an ended turn came to, as one delta. */
  wholeReply({ type, work }: LiveEvent): LiveEvent | undefined {
    const reply = type === "turn.completed" && work !== undefined ? this.store.turn(work)?.outcome?.reply : undefined;
    if (work === undefined || reply === undefined) return undefined;
    return this.deltaEvent(work, { text: replyText(reply.modelReply), attempt: 0, offset: 0 });
  }

  private deltaEvent(work: string, delta: ReplyDelta): LiveEvent {
    const at = new Date(this.platform.now()).toISOString();
    return { type: "reply.delta", work, at, data: JSON.stringify({ turnId: work, ...delta }) };
  }

  view(): Session {
    const { sessionId, definition, createdAt } = this.store.session();
    const { version, context } = this.context.current();
    const current = this.store.currentTurn();
    return {
      ...definition,
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
      : ok(turnView(turn, this.store, this.kit.asks));
  }

  /** Ends what runs and waits, so that nothing is written after an erasure. */
  async stop(): Promise<void> {
    for (let turn = this.store.currentTurn(); turn !== undefined; turn = this.store.currentTurn())
      this.cancelTurn(turn);
    await this.kit.stopped();
  }

  /** Runs the oldest turn that isn't done, if it can go on. */
  private async step(): Promise<boolean> {
    const turn = this.store.currentTurn();
    if (turn === undefined || turn.status === "waiting") return false;
    const { turnId } = turn;
    if (turn.status === "queued") {
      this.ctx.storage.transactionSync(() => {
        this.store.setStatus(turnId, "running");
        this.kit.events.append("turn.started", turnId, { turnId });
      });
    }
    this.run = new TurnRun(turn, this.store.session(), {
      store: this.store,
      kit: this.kit,
      platform: this.platform,
      context: this.context,
      audit: (entry) => this.kit.outbox.put("audit", `audit/${turnId}`, { ...entry, at: this.platform.now() }),
      remember: (messageId) => this.remember(messageId),
      ended: (ended, status, outcome) => this.end(ended, status, outcome),
    });
    try {
      await this.run.run();
    } catch (error) {
      log("error", "turn.crashed", { turnId, error: describeError(error) });
      const crashes = this.isActive(turnId) ? this.store.countCrash(turnId) : 0;
      if (crashes >= maxCrashes || (crashes > 0 && error instanceof StepAbandonedError))
        this.end(turn, "failed", crashOutcome(turn));
      // Whatever is broken gets time to mend: the lease stays, and the alarm goes on.
      else if (crashes > 1) throw error;
    } finally {
      this.run = undefined;
    }
    if (!this.isActive(turnId)) this.wake(turnId);
    this.kit.deliverSoon();
    return true;
  }

  /** Ends a turn: everything about it in one write. */
  private end(turn: TurnRecord, status: TurnStatus, outcome: StoredOutcome): void {
    const { turnId } = turn;
    this.ctx.storage.transactionSync(() => {
      this.kit.asks.cancelOfWork(turnId);
      this.store.endTurn(turnId, status, outcome, this.platform.now());
      if (outcome.reply !== undefined) {
        this.store.addMessage(outcome.reply, turnId, true);
        this.remember(outcome.reply.messageId);
      }
      if (outcome.error !== undefined) this.store.addMessage(outcome.error, turnId, false);
      forgetSteps(this.ctx.storage.sql, turnId);
      this.kit.events.append("turn.completed", turnId, { turnId });
      // A team's workers that were interrupted must not count as busy for ever.
      if (status === "cancelled" || status === "failed")
        this.kit.outbox.put("work_ended", turnId, { work: turnId, at: this.platform.now() });
    });
    this.wake(turnId);
    this.kit.deliverSoon();
  }

  /** The memory is told by id: the outbox holds no text, and what is told is what the message says by then. */
  private remember(messageId: string, edit?: number): void {
    if (this.store.session().definition.memory === undefined) return;
    this.kit.outbox.put("memory", "memory", { messageId, edit, at: this.platform.now() });
    // The end of a turn sends off what it left; an edit stands alone.
    if (edit !== undefined) this.kit.deliverSoon();
  }

  private askClosed(turnId: string): void {
    if (this.store.turn(turnId)?.status !== "waiting") return;
    this.store.setStatus(turnId, "running");
    this.kit.kick();
  }

  private wake(turnId: string): void {
    for (const done of this.waiters.get(turnId) ?? []) done();
    this.waiters.delete(turnId);
  }

  /** What the log stores are ids; what is shown of them is what holds now. */
  private present(type: string, data: unknown): unknown {
    const { turnId, askId, version } = idsIn(data);
    if (type === "context.changed" && version !== undefined) {
      const { author, reason, at } = this.context.version(version) ?? {};
      return { version, ...(turnId === undefined ? {} : { turnId }), author, reason, at };
    }
    if (type === "turn.completed" && turnId !== undefined) {
      const turn = this.turn(turnId);
      return turn.ok ? { ...turn.value, asks: turn.value.asks.map(askForAll) } : data;
    }
    const ask = type.startsWith("ask.") && askId !== undefined ? this.kit.asks.get(askId) : undefined;
    return ask === undefined ? data : askForAll(ask);
  }
}

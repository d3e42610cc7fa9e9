/** The parts of the kit put together, as every object that does work has them. */
import { addUsage, noUsage, type Usage } from "../../src/agent/work.js";
import { validateArguments } from "../../src/application/argument-check.js";
import type { Ask } from "../../src/asks/ask.js";
import { newAskId } from "../../src/platform/ids.js";
import { describeError, log } from "../../src/platform/logging.js";
import type { Level, LogFields } from "../../src/platform/metrics.js";
import { dispatchAlarm } from "./alarm.js";
import { ApprovalBook } from "./approvals.js";
import { isAskEvent, presentAskEvent, recordAskChange, recordDeferral, recordTakeOver } from "./ask-changes.js";
import { AskBook } from "./asks.js";
import type { Attempts } from "./attempts.js";
import { CommandBook } from "./commands.js";
import type { Crashes } from "./crashes.js";
import { Deadlines } from "./deadlines.js";
import { DebateBook } from "./debates.js";
import { Deliveries } from "./deliveries.js";
import { drivenWork } from "./driven-work.js";
import { EventLog } from "./events.js";
import { FreeSpace, overwriteDeadline } from "./free-space.js";
import { SupervisorHealth } from "./health.js";
import { SqlJournal } from "./journal.js";
import type { KitPorts, WorkEnd } from "./kit-ports.js";
import { ObjectWrites } from "./object-writes.js";
import { Outbox } from "./outbox.js";
import { Shadows, shadowDeadline } from "./shadows.js";
import { Waiters } from "./waiters.js";
import { WorkBook } from "./work-book.js";
import { WorkBudgets } from "./work-budgets.js";
import type { WorkLoop } from "./work-loop.js";

/**
 * What every object has. A root (an object with work of its own) makes one, kicks its loop whenever it made work, and says in `next`
 * what is to be done and how.
 * @example
 * this.kit = new Kit(ctx, {
 *   now: platform.now,
 *   owner: () => ({ tenantId, id: panelId }),
 *   deliver: (messages) => platform.deliver({ tenantId, ownerId: panelId, messages }),
 *   next: () => {
 *     const round = store.nextRound();
 *     return round && {
 *       id: round.roundId,
 *       drive: async ({ isHeld }) => {
 *         const positions = await speak(round, this.kit.journal(round.roundId, isHeld));
 *         return () => this.end(round, "completed", positions);
 *       },
 *       park: () => store.setStatus(round, "waiting"),
 *       fail: (why) => this.end(round, "failed", why),
 *     };
 *   },
 *   present: (_type, data) => data,
 *   askClosed: () => this.kit.loop.kick(),
 * });
 */
export class Kit {
  readonly deadlines: Deadlines;
  private readonly deadlineActs = new Map<string, () => void>([
    [shadowDeadline, () => this.shadows.resume()],
    [overwriteDeadline, () => this.overwrite()],
  ]);
  readonly events: EventLog;
  readonly asks: AskBook;
  readonly commands: CommandBook;
  /** Of panels within its work. */
  readonly debates: DebateBook;
  readonly outbox: Outbox;
  readonly waiters = new Waiters();
  /** What is left of erased texts in the object's file. */
  readonly freeSpace: FreeSpace;
  readonly health: SupervisorHealth;
  readonly approvals: ApprovalBook;
  /** Supervisors that judge beside its work. */
  readonly shadows: Shadows;
  /** The steps of the work that is under way. */
  readonly works: WorkBook;
  /** What its works may spend, where the tenant has such limits. */
  readonly budgets: WorkBudgets;
  /** The tries of its work. */
  readonly attempts: Attempts;
  /** What drives its work. */
  readonly loop: WorkLoop;
  private readonly crashes: Crashes;
  private readonly writes: ObjectWrites;
  /** Does a write, all of it or nothing; a write within a write is a part of it. See {@link ObjectWrites}. */
  readonly write: ObjectWrites["do"];
  private readonly deliveries: Deliveries;

  constructor(
    private readonly ctx: DurableObjectState,
    private readonly ports: KitPorts,
  ) {
    const { storage } = ctx;
    const { now } = ports;
    this.deadlines = new Deadlines(storage);
    this.freeSpace = new FreeSpace(storage, this.deadlines, now);
    this.health = new SupervisorHealth(storage.sql);
    this.approvals = new ApprovalBook(storage.sql);
    const present = (type: string, data: unknown): unknown => this.present(type, data);
    this.events = new EventLog(storage.sql, now, present, (work) => this.works.flush(work), ports.eventSpans);
    this.writes = new ObjectWrites({
      storage,
      gathered: () => [this.events, this.outbox],
      onRollback: () => this.onRollback(),
    });
    const { do: write } = this.writes;
    this.write = write;
    this.commands = new CommandBook({ sql: storage.sql, now, write });
    this.debates = new DebateBook(storage.sql);
    this.budgets = new WorkBudgets({ sql: storage.sql, write, outbox: () => this.outbox });
    this.works = new WorkBook({ sql: storage.sql, now, write });
    this.asks = new AskBook({
      sql: storage.sql,
      write,
      now,
      newAskId: () => newAskId(ports.owner().id),
      describe: (work) => ports.describeWork?.(work) ?? {},
      changed: (ask, work) => this.askChanged(ask, work),
      rewritten: (ask) => this.outbox.put("ask", ask.askId, ask),
      checkArguments: validateArguments,
      claimed: (ask) => {
        this.outbox.put("ask", ask.askId, ask);
        this.deliverSoon();
      },
      deferred: (...deferred) => recordDeferral(deferred, this.outbox, now()),
      takenOver: (...taken) => recordTakeOver(taken, this.outbox, now()),
    });
    this.outbox = new Outbox({
      sql: storage.sql,
      now,
      write,
      deliver: (messages) => ports.deliver(messages, ports.owner()),
      wakeAt: (at) => this.deliveries.wakeAt(at),
      wakeBy: (at) => this.deliveries.wakeBy(at),
      failed: (error, attempts) => this.log("warn", "outbox.failed", { attempts, ...describeError(error) }),
      parked: (topic, attempts) => this.log("error", "outbox.parked", { subject: topic, attempts }),
    });
    this.deliveries = new Deliveries({
      now,
      outbox: this.outbox,
      deadlines: this.deadlines,
      sharesAlarm: ports.active !== undefined,
      isBusy: () => this.loop.isRunning(),
      afterwards: (next) => this.writes.afterwards(next),
      waitUntil: (work) => ctx.waitUntil(work),
    });
    this.shadows = new Shadows(ctx, this, ports.owner, now, ports.shadows);
    const { deliveries, works, asks, waiters, budgets, deadlines } = this;
    const parts = { deliveries, works, asks, waiters, budgets, deadlines, log: this.log.bind(this) };
    ({ attempts: this.attempts, crashes: this.crashes, loop: this.loop } = drivenWork(ctx, ports, parts));
  }

  /** For an instance that wakes up: goes on with what the one before it left. */
  resume(): void {
    if (this.ports.active?.() === true) this.loop.kick();
    if (!this.outbox.isEmpty()) this.deliverSoon();
  }

  /** Erases everything that the object holds. Nothing of it may be driven any more: see {@link Kit.stop}. */
  async empty(): Promise<void> {
    this.freeSpace.stop();
    await this.ctx.storage.deleteAll();
    this.deliveries.stop();
    this.forget();
    this.events.onErased();
    this.deadlines.onErased();
    this.works.clear();
    this.waiters.rejectAll();
  }

  /** Whose it is. */
  owner(): ReturnType<KitPorts["owner"]> {
    return this.ports.owner();
  }

  /** What is stored was not written by this instance: all of it is read anew. The alarm is the caller's to set. */
  reread(): void {
    this.forget();
    this.deadlines.onErased();
  }

  private onRollback(): void {
    this.forget();
    this.deadlines.onRollback();
  }

  /** What was read is read anew. */
  private forget(): void {
    this.events.onRollback();
    this.outbox.onRollback();
    this.asks.onRollback();
    this.budgets.onRollback();
    this.crashes.onRollback();
    this.ports.onRollback?.();
  }

  /**
   * Ends work, everything about it in one write: nobody asks for it any more, and its steps are forgotten. The write gets what
   * all models in it have taken.
   * @throws where work was completed or blocked and some of what it did could not be written
   */
  end(work: string, ended: WorkEnd, write: (usage: Usage, endedAt: number) => void): void {
    const { kind, outcome, since, agent, subject, keyId } = ended;
    const degraded = ended.degraded !== undefined && ended.degraded.length > 0;
    const endedAt = this.ports.now();
    const usage = this.write(() => {
      const models = this.works.stepsOf(work).end(outcome === "completed" || outcome === "blocked");
      const taken = models.reduce(addUsage, noUsage);
      this.asks.cancelOfWork(work, ended.by ?? { kind: "system", id: work });
      write(taken, endedAt);
      const status = outcome;
      this.outbox.put("usage", work, { work, kind, agent, subject, keyId, models, at: endedAt, status, degraded });
      this.budgets.end(work);
      this.crashes.forget(work);
      this.attempts.forget(work);
      return taken;
    });
    this.works.ended(work);
    const level = outcome === "failed" ? "warn" : "info";
    this.log(level, `${kind}.ended`, { work, outcome, latencyMs: endedAt - since, ...usage });
    this.waiters.check();
    this.deliveries.deliverAfterWork();
  }

  /** Has nothing driven or delivered any more: once this resolves, what is erased stays erased. */
  async stop(): Promise<void> {
    this.shadows.stop();
    await this.loop.stop();
    this.deliveries.stop();
    await this.outbox.drain();
  }

  /** The journal of work; `isHeld` says whether its try may still write. */
  journal(work: string, isHeld: () => boolean): SqlJournal {
    const { oneAtATime } = this.attempts;
    const { now } = this.ports;
    const budget = () => this.budgets.of(work);
    const isPaused = () => this.ports.isPaused?.(work) === true;
    const ports = { storage: this.ctx.storage, asks: this.asks, now, isHeld, isPaused, oneAtATime, budget };
    return new SqlJournal(work, ports, this.works.stepsOf(work));
  }

  /** To be called in the write that ends work: its steps go, its outcome and its events stay. */
  forgetSteps(work: string): void {
    this.works.forget(work);
    this.budgets.end(work);
  }

  /** Sends off what the outbox holds, in the background; the alarm sees to it if this instance dies. */
  deliverSoon(): void {
    this.deliveries.deliverSoon();
  }

  /** What the alarm rang for. Never throws, never waits. */
  onAlarm(): void {
    const { ports, deadlines } = this;
    dispatchAlarm(deadlines, ports.now(), {
      drive: () => this.loop.kick(),
      deliver: () => this.deliverSoon(),
      expireAsk: (askId) => this.asks.expire(askId),
      passed: (name) => this.deadlinePassed(name),
      failed: (subject, error) => this.log("error", "alarm.failed", { subject, ...describeError(error) }),
    });
  }

  /** What is done when a deadline of this name has passed. */
  whenPassed(name: string, act: () => void): void {
    this.deadlineActs.set(name, act);
  }

  private deadlinePassed(name: string): void {
    const act = this.deadlineActs.get(name);
    if (act === undefined) this.ports.deadlinePassed?.(name);
    else act();
  }

  private overwrite(): void {
    const failed = (error: unknown): void => this.log("warn", "overwrite.failed", describeError(error));
    this.ctx.waitUntil(this.freeSpace.overwrite().catch(failed));
  }

  private present(type: string, data: unknown): unknown {
    return isAskEvent(type) ? presentAskEvent(data, this.asks) : this.ports.present(type, data);
  }

  /** A line of the log about this object's work. */
  log(level: Level, event: string, fields: LogFields): void {
    const { tenantId, id } = this.ports.owner();
    log(level, event, { tenantId, objectId: id, ...fields });
  }

  private askChanged(ask: Ask, work: string): void {
    recordAskChange(ask, work, this);
    if (ask.status !== "open") this.ports.askClosed(work);
    this.ports.askChanged?.(ask);
    this.deliverSoon();
  }
}

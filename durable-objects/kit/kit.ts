/** The parts of the kit put together, as every object that does work has them. */
import type { Usage } from "../../src/agent/work.js";
import type { Ask } from "../../src/asks/ask.js";
import { newAskId } from "../../src/platform/ids.js";
import { IsolateLoad } from "../../src/platform/isolate-load.js";
import { describeError, log } from "../../src/platform/logging.js";
import type { Level, LogFields } from "../../src/platform/metrics.js";
import { dispatchAlarm, retryDeadline } from "./alarm.js";
import { ApprovalBook } from "./approvals.js";
import { isAskEvent, presentAskEvent, recordAskChange } from "./ask-changes.js";
import { AskBook } from "./asks.js";
import { Attempts } from "./attempts.js";
import { CommandBook } from "./commands.js";
import { Crashes } from "./crashes.js";
import { Deadlines } from "./deadlines.js";
import { DebateBook } from "./debates.js";
import { Deliveries } from "./deliveries.js";
import { Driver, type Lease, type StepOutcome } from "./driver.js";
import { EventLog } from "./events.js";
import { SupervisorHealth } from "./health.js";
import { SqlJournal } from "./journal.js";
import type { KitPorts, WorkEnd } from "./kit-ports.js";
import { ObjectWrites } from "./object-writes.js";
import { Outbox } from "./outbox.js";
import { Waiters } from "./waiters.js";
import { WorkBook } from "./work-book.js";
import { sumOfUsage } from "./work-steps.js";

/**
 * What every object has. A root (an object with work of its own) makes one, kicks it whenever it made work, and does one work
 * after another in `step`, under the lease that it is given.
 * @example
 * this.kit = new Kit(ctx, {
 *   now: platform.now,
 *   owner: () => ({ tenantId, id: panelId }),
 *   deliver: (messages) => platform.deliver({ tenantId, ownerId: panelId, messages }),
 *   step: async (lease) => {
 *     const round = store.nextRound();
 *     if (round === undefined) return "idle";
 *     await speak(round, this.kit.journal(round.roundId, lease.isHeld));
 *     return "again";
 *   },
 *   present: (_type, data) => data,
 *   askClosed: () => this.kit.kick(),
 * });
 */
export class Kit {
  readonly deadlines: Deadlines;
  readonly events: EventLog;
  readonly asks: AskBook;
  readonly commands: CommandBook;
  /** Of panels within its work. */
  readonly debates: DebateBook;
  readonly outbox: Outbox;
  readonly waiters = new Waiters();
  readonly health: SupervisorHealth;
  readonly approvals: ApprovalBook;
  /** The steps of the work that is under way. */
  readonly works: WorkBook;
  /** Asked before each try of some work: see {@link Attempts.begin}. */
  readonly attempts: Attempts;
  private readonly driver: Driver;
  private readonly crashes: Crashes;
  private readonly writes: ObjectWrites;
  private readonly deliveries: Deliveries;

  constructor(
    private readonly ctx: DurableObjectState,
    private readonly ports: KitPorts,
  ) {
    const { storage } = ctx;
    const { now } = ports;
    this.deadlines = new Deadlines(storage);
    this.health = new SupervisorHealth(storage.sql);
    this.approvals = new ApprovalBook(storage.sql);
    const present = (type: string, data: unknown): unknown => this.present(type, data);
    this.events = new EventLog(storage.sql, now, present, (work) => this.works.flush(work));
    this.writes = new ObjectWrites({
      storage,
      gathered: () => [this.events, this.outbox],
      undone: () => this.undone(),
    });
    const write = <T>(change: () => T): T => this.write(change);
    this.commands = new CommandBook({ sql: storage.sql, now, write });
    this.debates = new DebateBook(storage.sql);
    this.works = new WorkBook({ sql: storage.sql, now, write });
    this.asks = new AskBook({
      sql: storage.sql,
      write,
      now,
      newAskId: () => newAskId(ports.owner().id),
      describe: (work) => ports.describeWork?.(work) ?? {},
      changed: (ask, work) => this.askChanged(ask, work),
      rewritten: (ask) => this.outbox.put("ask", ask.askId, ask),
    });
    this.outbox = new Outbox({
      sql: storage.sql,
      now,
      write,
      deliver: ports.deliver,
      wakeAt: (at) => this.deliveries.wakeAt(at),
      wakeBy: (at) => this.deliveries.wakeBy(at),
      failed: (error, attempts) => this.log("warn", "outbox.failed", { attempts, ...describeError(error) }),
      parked: (topic, attempts) => this.log("error", "outbox.parked", { subject: topic, attempts }),
    });
    this.driver = new Driver({
      waitUntil: (work) => ctx.waitUntil(work),
      now,
      setLease: (at) => {
        if (ports.active === undefined) this.deadlines.move("lease", at);
        else this.deadlines.moveBrief("lease", at);
      },
      step: (lease) => this.step(lease),
      crashed: ports.crashed ?? ((error) => this.log("error", "driver.crashed", describeError(error))),
    });
    this.deliveries = new Deliveries({
      now,
      outbox: this.outbox,
      deadlines: this.deadlines,
      sharesAlarm: ports.active !== undefined,
      isBusy: () => this.driver.isDriving(),
      afterwards: (next) => this.writes.afterwards(next),
      waitUntil: (work) => ctx.waitUntil(work),
    });
    this.attempts = new Attempts({
      storage,
      objectId: ctx.id.toString(),
      now,
      random: Math.random,
      load: ports.load ?? new IsolateLoad(now),
      died: (work, { deaths, deathsAlone }) =>
        this.log("warn", "work.died", { work, attempts: deaths, alone: deathsAlone }),
      retryAt: (at) => this.deadlines.move(retryDeadline, at),
      begins: (work, isNew) => this.works.begins(work, isNew),
    });
    this.crashes = new Crashes({
      sql: storage.sql,
      now,
      postpone: (work, at) => this.attempts.postpone(work, at),
      hasOpenAsks: (work, askIds) => this.asks.openOfWork(work).some(({ askId }) => askIds.includes(askId)),
      crashed: (work, error) => this.log("error", "work.crashed", { work, ...describeError(error) }),
    });
  }

  /** Does a write, all of it or nothing; a write within a write is a part of it. See {@link ObjectWrites}. */
  write<T>(change: () => T): T {
    return this.writes.do(change);
  }

  /** For an instance that wakes up: goes on with what the one before it left. */
  resume(): void {
    if (this.ports.active?.() === true) this.kick();
    if (!this.outbox.isEmpty()) this.deliverSoon();
  }

  /** Everything was erased. */
  emptied(): void {
    this.deliveries.stop();
    this.forget();
    this.events.emptied();
    this.deadlines.emptied();
    this.works.clear();
  }

  private undone(): void {
    this.forget();
    this.deadlines.undone();
  }

  /** What was read is read anew. */
  private forget(): void {
    this.events.undone();
    this.outbox.undone();
    this.asks.undone();
    this.crashes.undone();
    this.ports.undone?.();
  }

  /**
   * Makes sure that somebody drives the work. In the same synchronous stretch as the write that made it.
   * @returns whether it begins right after this stretch: nobody is driving yet
   */
  kick(): boolean {
    return this.driver.kick();
  }

  /** What the driving came to, once nobody drives any more; throws what the work threw. */
  driven(): Promise<StepOutcome> {
    return this.driver.driven();
  }

  /** What becomes of work that threw under its lease. */
  afterThrow(work: string, error: unknown, lease: Lease): "waiting" | "failed" | "again" {
    const then = this.crashes.after(work, this.works.flushAfter(work, error), lease);
    if (then === "waiting") this.attempts.forget(work);
    return then;
  }

  /** The same for steps that aren't of the work's own try: those that come after begin anew. @returns what is to be thrown */
  afterThrowBeside(work: string, error: unknown): unknown {
    return this.works.flushAfter(work, error);
  }

  /**
   * Ends work, everything about it in one write: nobody asks for it any more, and its steps are forgotten. The write gets what
   * its models have taken, whoever in it called them.
   * @throws where work was completed or blocked and some of what it did could not be written
   */
  end(work: string, ended: WorkEnd, write: (usage: Usage, endedAt: number) => void): void {
    const { kind, outcome, since, agent, subject, keyId } = ended;
    const endedAt = this.ports.now();
    const usage = this.write(() => {
      const models = this.works.stepsOf(work).end(outcome === "completed" || outcome === "blocked");
      const taken = sumOfUsage(models);
      this.asks.cancelOfWork(work, ended.by ?? { kind: "system", id: work });
      write(taken, endedAt);
      this.outbox.put("usage", work, { work, kind, agent, subject, keyId, models, at: endedAt });
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

  /** Takes the lease from the work that is driven now. Ending it is up to whoever cancels. */
  cancel(): void {
    this.driver.cancel();
  }

  /** Waits until nothing is driven or delivered any more: what is erased then stays erased. */
  async stopped(): Promise<void> {
    await this.driver.stopped();
    this.deliveries.stop();
    await this.outbox.drain();
  }

  /** The journal of work; `isHeld` says whether its driver may still write. */
  journal(work: string, isHeld: () => boolean): SqlJournal {
    const { oneAtATime } = this.attempts;
    const ports = { storage: this.ctx.storage, asks: this.asks, now: this.ports.now, isHeld, oneAtATime };
    return new SqlJournal(work, ports, this.works.stepsOf(work));
  }

  /** To be called in the write that ends work: its steps go, its outcome and its events stay. */
  forgetSteps(work: string): void {
    this.works.forget(work);
  }

  /** Sends off what the outbox holds, in the background; the alarm sees to it if this instance dies. */
  deliverSoon(): void {
    this.deliveries.deliverSoon();
  }

  /** What the alarm rang for. Never throws, never waits. */
  onAlarm(): void {
    const { ports, deadlines } = this;
    dispatchAlarm(deadlines, ports.now(), {
      drive: () => this.driver.kick(),
      deliver: () => this.deliverSoon(),
      expireAsk: (askId) => this.asks.expire(askId),
      passed: (name) => ports.deadlinePassed?.(name),
      failed: (subject, error) => this.log("error", "alarm.failed", { subject, ...describeError(error) }),
    });
  }

  private async step(lease: Lease): Promise<StepOutcome> {
    let outcome: StepOutcome | undefined;
    try {
      outcome = await this.ports.step(lease);
    } finally {
      if (outcome === "gone") this.attempts.leave();
      else this.attempts.over();
    }
    if (outcome !== "gone") this.waiters.check();
    if (outcome === "yielded") this.deliverSoon();
    if (outcome === "again") this.deliveries.deliverAfterWork();
    return outcome;
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

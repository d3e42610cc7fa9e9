/** The parts of the kit put together, as every object that does work has them. */
import type { EndedStatus, Usage } from "../../src/agent/work.js";
import { type Ask, askForAll } from "../../src/asks/ask.js";
import { askEvents } from "../../src/asks/events.js";
import { newAskId } from "../../src/platform/ids.js";
import { describeError, log } from "../../src/platform/logging.js";
import type { Level, LogFields } from "../../src/platform/metrics.js";
import { ApprovalBook } from "./approvals.js";
import { AskBook } from "./asks.js";
import { Deadlines } from "./deadlines.js";
import { Driver } from "./driver.js";
import { EventLog } from "./events.js";
import { SupervisorHealth } from "./health.js";
import { forgetSteps, SqlJournal, usageOf } from "./journal.js";
import { Outbox, type OutboxMessage } from "./outbox.js";
import { Waiters } from "./waiters.js";
import { type WorkItem, WorkRunner } from "./work-runner.js";

export interface KitPorts {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Whose the object is, and its id: `ses_…`, `run_…`. Only asked for once it exists. */
  readonly owner: () => { readonly tenantId: string; readonly id: string };
  /** Brings outbox messages where they belong; all or throws. */
  readonly deliver: (messages: readonly OutboxMessage[]) => Promise<void>;
  /** Does the next piece of work to its end, its wait or its failure; false when there is none. */
  readonly step: () => Promise<boolean>;
  /** What is shown of a stored event of the object's own: the log stores ids and no texts. */
  readonly present: (type: string, data: unknown) => unknown;
  /** An ask of this piece of work was closed, in this very write: let it go on. */
  readonly askClosed: (work: string) => void;
  /** A deadline of the object's own has passed. */
  readonly deadlinePassed?: (name: string) => void;
}

/** When the alarm looks after a delivery that an instance began and may have died over, in milliseconds. */
const deliveryLeaseMs = 15_000;
const askDeadline = "ask:";

/** How a piece of work ended, as it is logged. */
export interface WorkEnd {
  readonly kind: "turn" | "run";
  readonly outcome: EndedStatus;
  /** When it was accepted; milliseconds since the epoch. */
  readonly since: number;
}

export class Kit {
  readonly deadlines: Deadlines;
  readonly events: EventLog;
  readonly asks: AskBook;
  readonly outbox: Outbox;
  readonly waiters = new Waiters();
  readonly health: SupervisorHealth;
  readonly approvals: ApprovalBook;
  private readonly driver: Driver;
  private readonly pieces: WorkRunner;

  constructor(
    private readonly ctx: DurableObjectState,
    private readonly ports: KitPorts,
  ) {
    const { storage } = ctx;
    const { now } = ports;
    this.deadlines = new Deadlines(storage);
    this.health = new SupervisorHealth(storage.sql);
    this.approvals = new ApprovalBook(storage.sql);
    this.events = new EventLog(storage.sql, now, (type, data) => this.present(type, data));
    this.asks = new AskBook({
      storage,
      now,
      newAskId: () => newAskId(ports.owner().id),
      changed: (ask, work) => this.askChanged(ask, work),
      rewritten: (ask) => this.outbox.put("ask", ask.askId, ask),
    });
    this.outbox = new Outbox({
      sql: storage.sql,
      now,
      deliver: ports.deliver,
      wakeAt: (at) => this.deadlines.move("outbox", at),
      failed: (error, attempts) => this.log("warn", "outbox.failed", { attempts, ...describeError(error) }),
    });
    this.driver = new Driver({
      waitUntil: (work) => ctx.waitUntil(work),
      now,
      setLease: (at) => this.deadlines.move("lease", at),
      step: ports.step,
      crashed: (error) => this.log("error", "driver.crashed", describeError(error)),
    });
    this.pieces = new WorkRunner({
      hasOpenAsks: (work) => this.asks.openOfWork(work).length > 0,
      crashed: (work, error) => this.log("error", "work.crashed", { work, ...describeError(error) }),
    });
  }

  /** Makes sure that somebody drives the work. In the same synchronous stretch as the write that made it. */
  kick(): void {
    this.driver.kick();
  }

  /** Drives a piece of work once: to its end or its wait. What it throws is counted, and tried again. */
  async drive(piece: WorkItem): Promise<void> {
    await this.pieces.run(piece);
    this.waiters.check();
    this.deliverSoon();
  }

  /**
   * Ends a piece of work, everything about it in one write: nobody asks for it any more, and its steps are forgotten. What its
   * models have taken, whoever in it called them, is told to the write.
   */
  end(work: string, ended: WorkEnd, write: (usage: Usage, endedAt: number) => void): void {
    const { kind, outcome, since } = ended;
    const endedAt = this.ports.now();
    const usage = this.usage(work);
    this.ctx.storage.transactionSync(() => {
      this.asks.cancelOfWork(work);
      write(usage, endedAt);
      this.forgetSteps(work);
    });
    const level = outcome === "failed" ? "warn" : "info";
    this.log(level, `${kind}.ended`, { work, outcome, latencyMs: endedAt - since, ...usage });
    this.waiters.check();
    this.deliverSoon();
  }

  /** Stops a piece of work that is driven now. Ending it is up to whoever cancels. */
  cancel(work: string): void {
    this.pieces.cancel(work);
  }

  /** Waits until nothing is driven or delivered any more: what is erased then stays erased. */
  async stopped(): Promise<void> {
    await this.driver.stopped();
    await this.outbox.drain();
  }

  /** The journal of a piece of work; `holds` says whether its driver may still write. */
  journal(work: string, holds: () => boolean): SqlJournal {
    return new SqlJournal(work, { storage: this.ctx.storage, asks: this.asks, now: this.ports.now, holds });
  }

  /** What the models of a piece of work have taken so far. */
  usage(work: string): Usage {
    return usageOf(this.ctx.storage.sql, work);
  }

  /** To be called in the write that ends a piece of work: its steps go, its outcome and its events stay. */
  forgetSteps(work: string): void {
    forgetSteps(this.ctx.storage.sql, work);
  }

  /** Sends off what the outbox holds, in the background; the alarm sees to it if this instance dies. */
  deliverSoon(): void {
    this.deadlines.move("outbox", this.ports.now() + deliveryLeaseMs);
    this.ctx.waitUntil(this.outbox.drain());
  }

  /** What the alarm rang for. Never throws, never waits. */
  onAlarm(): void {
    for (const name of this.deadlines.due(this.ports.now())) {
      try {
        if (name === "lease") this.driver.kick();
        else if (name === "outbox") this.deliverSoon();
        else {
          this.deadlines.move(name, undefined);
          if (name.startsWith(askDeadline)) this.asks.expire(name.slice(askDeadline.length));
          else this.ports.deadlinePassed?.(name);
        }
      } catch (error) {
        this.log("error", "alarm.failed", {
          subject: name.startsWith(askDeadline) ? "ask" : name,
          ...describeError(error),
        });
      }
    }
    this.deadlines.rearm();
  }

  private present(type: string, data: unknown): unknown {
    if (!type.startsWith("ask.")) return this.ports.present(type, data);
    const { data: event } = askEvents["ask.opened"].stored.safeParse(data);
    const ask = event === undefined ? undefined : this.asks.get(event.askId);
    return ask === undefined ? data : askForAll(ask);
  }

  /** A line of the log about this object's work. */
  log(level: Level, event: string, fields: LogFields): void {
    const { tenantId, id } = this.ports.owner();
    log(level, event, { tenantId, objectId: id, ...fields });
  }

  private askChanged(ask: Ask, work: string): void {
    const open = ask.status === "open";
    this.outbox.put("ask", ask.askId, ask);
    this.events.append(open ? "ask.opened" : "ask.closed", work, { askId: ask.askId });
    this.log("info", open ? "ask.opened" : "ask.closed", {
      askId: ask.askId,
      subject: ask.kind,
      outcome: ask.status,
      latencyMs: Date.parse(ask.closedAt ?? ask.openedAt) - Date.parse(ask.openedAt),
    });
    this.deadlines.move(
      askDeadline + ask.askId,
      open && ask.deadline !== undefined ? Date.parse(ask.deadline) : undefined,
    );
    if (!open) this.ports.askClosed(work);
    this.deliverSoon();
  }
}

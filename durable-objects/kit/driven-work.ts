/** The tries of an object's work and the loop that drives them, put together. */
import { IsolateLoad } from "../../src/platform/isolate-load.js";
import { describeError } from "../../src/platform/logging.js";
import type { Level, LogFields } from "../../src/platform/metrics.js";
import { retryDeadline } from "./alarm.js";
import type { AskBook } from "./asks.js";
import { Attempts } from "./attempts.js";
import { Crashes } from "./crashes.js";
import type { Deadlines } from "./deadlines.js";
import type { Deliveries } from "./deliveries.js";
import type { KitPorts } from "./kit-ports.js";
import type { Waiters } from "./waiters.js";
import type { WorkBook } from "./work-book.js";
import type { WorkBudgets } from "./work-budgets.js";
import { WorkLoop } from "./work-loop.js";

/** Parts of an object that its work touches. */
interface Parts {
  readonly works: WorkBook;
  readonly asks: AskBook;
  readonly waiters: Waiters;
  readonly budgets: WorkBudgets;
  readonly deadlines: Deadlines;
  readonly deliveries: Deliveries;
  readonly log: (level: Level, event: string, fields: LogFields) => void;
}

/** What drives an object's work: its tries, what becomes of crashes, and the loop. */
export function drivenWork(ctx: DurableObjectState, ports: KitPorts, parts: Parts) {
  const { storage } = ctx;
  const { now } = ports;
  const { works, asks, waiters, budgets, deadlines, deliveries, log } = parts;
  const attempts = new Attempts({
    storage,
    objectId: ctx.id.toString(),
    now,
    random: Math.random,
    load: ports.load ?? new IsolateLoad(now),
    died: (work, { deaths, deathsAlone }) => log("warn", "work.died", { work, attempts: deaths, alone: deathsAlone }),
    retryAt: (at) => deadlines.move(retryDeadline, at),
    begins: (work, isNew) => works.begins(work, isNew),
    firstTry: ports.firstTry,
  });
  const crashes = new Crashes({
    sql: storage.sql,
    now,
    postpone: (work, at) => attempts.postpone(work, at),
    hasToWait: (work, askIds) =>
      ports.isPaused?.(work) === true || asks.openOfWork(work).some(({ askId }) => askIds.includes(askId)),
    crashed: (work, error) => log("error", "work.crashed", { work, ...describeError(error) }),
  });
  const loop = new WorkLoop({
    waitUntil: (work) => ctx.waitUntil(work),
    now,
    setLease: (at) => {
      if (ports.active === undefined) deadlines.move("lease", at);
      else deadlines.moveBrief("lease", at);
    },
    next: ports.next,
    attempts: attempts,
    crashes: crashes,
    works: works,
    stepped: (outcome) => {
      waiters.check();
      if (outcome === "yielded") deliveries.deliverSoon();
      if (outcome === "again") deliveries.deliverAfterWork();
    },
    parked: (work) => budgets.park(work),
    givenUp: (work, why) => log("error", "work.given_up", { work, error: why }),
    crashed: ports.crashed ?? ((error) => log("error", "driver.crashed", describeError(error))),
  });
  return { attempts, crashes, loop };
}

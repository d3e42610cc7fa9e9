/**
 * Jobs of flushes: one bounded slice for each thread of a batch; threads don't wait for one another. A job that was tried to the end is
 * kept with the reason, to be listed and sent again.
 */
import { type FlushDelivery, flushThread } from "../application/memory/flush-thread.js";
import type { Result } from "../conversation/problem.js";
import type { FlushJob } from "../memory/memory.js";
import { describeError, log } from "../platform/logging.js";
import { type Actor, systemActor } from "../tenancy/actor.js";
import type { JobMessage, Message } from "./job-message.js";

const firstRetrySeconds = 2;
const maxRetrySeconds = 600;
/** A job that is delivered more often is dead. The queue itself has to deliver it once more at least (`max_retries`). */
const maxTries = 6;
/** How long a dead job waits that could not be kept, in seconds. */
const keepAgainSeconds = 60;

export interface FlushPorts {
  readonly threads: FlushDelivery;
  /** Keeps a job that is dead. */
  readonly keepDead: (actor: Actor, letter: { messageId: string; job: FlushJob }) => Promise<Result<void>>;
}

/** The messages of a batch that are about one thread. */
interface ThreadGroup {
  readonly job: FlushJob;
  readonly messages: Message[];
}

/** Handles a batch: the order and number of its messages make no difference, since each only says that there is something to do. */
export async function consumeFlushes(jobs: readonly JobMessage<FlushJob>[], ports: FlushPorts): Promise<void> {
  const isDead = ({ message }: JobMessage<FlushJob>) => message.attempts > maxTries;
  const alive = jobs.filter((one) => !isDead(one));
  await Promise.all([
    ...groupByThread(alive).map((group) => flushGroup(group, ports)),
    ...jobs.filter(isDead).map((one) => bury(one, ports)),
  ]);
}

function groupByThread(jobs: readonly JobMessage<FlushJob>[]): ThreadGroup[] {
  const groups = new Map<string, ThreadGroup>();
  for (const { message, job } of jobs) {
    const { tenantId, memoryId, threadId } = job;
    const name = `${tenantId}/${memoryId}/${threadId}`;
    const group = groups.get(name) ?? { job, messages: [] };
    group.messages.push(message);
    groups.set(name, group);
  }
  return [...groups.values()];
}

async function flushGroup({ job, messages }: ThreadGroup, { threads }: FlushPorts): Promise<void> {
  const { tenantId } = job;
  try {
    const flushed = await flushThread(systemActor(tenantId, "queue"), job, threads);
    if (!flushed.ok) log("error", "queue.flush_refused", { tenantId, code: flushed.problem.code });
    for (const message of messages) message.ack();
  } catch (error) {
    const attempts = messages[0]?.attempts;
    log("warn", "queue.slice_failed", { tenantId, attempts, ...describeError(error) });
    // One message stands for the group: the others would only end alike.
    const [kept, ...others] = messages.toSorted((a, b) => b.attempts - a.attempts);
    kept?.retry({ delaySeconds: Math.min(maxRetrySeconds, firstRetrySeconds * 2 ** (kept.attempts - 1)) });
    for (const message of others) message.ack();
  }
}

async function bury({ message, job }: JobMessage<FlushJob>, { keepDead }: FlushPorts): Promise<void> {
  const { tenantId, threadId } = job;
  try {
    const kept = await keepDead(systemActor(tenantId, "queue"), { messageId: message.id, job });
    if (kept.ok) log("error", "queue.dead_letter", { tenantId, threadId });
    else log("error", "queue.dead_letter_refused", { tenantId, code: kept.problem.code });
    message.ack();
  } catch (error) {
    log("error", "queue.dead_letter_failed", { tenantId, ...describeError(error) });
    message.retry({ delaySeconds: keepAgainSeconds });
  }
}

/**
 * Jobs of flushes: one bounded slice for each thread of a batch; threads don't wait for one another. A job that was tried to the end is
 * kept with the reason, to be listed and sent again.
 */
import { doublingWaits } from "../conversation/delivery.js";
import type { FlushJob } from "../memory/memory.js";
import { describeError, log } from "../platform/logging.js";
import type { JobMessage, Message } from "./job-message.js";

/** A job that is delivered behind the last is dead. The queue itself has to deliver it so often at least (`max_retries`). */
const waits = doublingWaits(2_000, 600_000, 7);
/** How long a dead job waits that could not be kept. */
const keepAgain = { delaySeconds: 60 };

export interface FlushPorts {
  /** Does a slice of a thread's work. */
  readonly flush: (job: FlushJob) => Promise<unknown>;
  /** Keeps a job that is dead. */
  readonly keepDead: (letter: { messageId: string; job: FlushJob }) => Promise<void>;
}

/** The messages of a batch that are about one thread. */
interface ThreadGroup {
  readonly job: FlushJob;
  readonly messages: Message[];
}

/** Handles a batch: the order and number of its messages make no difference, since each only says that there is something to do. */
export async function consumeFlushes(jobs: readonly JobMessage<FlushJob>[], ports: FlushPorts): Promise<void> {
  const isDead = ({ message }: JobMessage<FlushJob>) => message.attempts > waits.length;
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

async function flushGroup({ job, messages }: ThreadGroup, { flush }: FlushPorts): Promise<void> {
  const { tenantId } = job;
  try {
    await flush(job);
    for (const message of messages) message.ack();
  } catch (error) {
    const attempts = messages[0]?.attempts;
    log("warn", "queue.slice_failed", { tenantId, attempts, ...describeError(error) });
    // One message stands for the group: the others would only end alike.
    const [kept, ...others] = messages.toSorted((a, b) => b.attempts - a.attempts);
    if (kept !== undefined) kept.retry({ delaySeconds: (waits[kept.attempts - 1] ?? 0) / 1_000 });
    for (const message of others) message.ack();
  }
}

async function bury({ message, job }: JobMessage<FlushJob>, { keepDead }: FlushPorts): Promise<void> {
  const { tenantId, threadId } = job;
  try {
    await keepDead({ messageId: message.id, job });
    log("error", "queue.dead_letter", { tenantId, threadId });
    message.ack();
  } catch (error) {
    log("error", "queue.dead_letter_failed", { tenantId, ...describeError(error) });
    message.retry(keepAgain);
  }
}

/** The queue of flushes: one bounded slice for each thread of a batch; threads don't wait for one another. */
import { type FlushDelivery, flushThread } from "../application/memory/flush-thread.js";
import { type FlushJob, flushJobSchema } from "../memory/memory.js";
import { describeError, log } from "../platform/logging.js";
import { systemActor } from "../tenancy/actor.js";

type Message = Pick<MessageBatch["messages"][number], "id" | "body" | "attempts" | "ack" | "retry">;

/** The messages of a batch that are about one thread. */
interface ThreadGroup {
  readonly job: FlushJob;
  readonly messages: Message[];
}

const firstRetrySeconds = 2;
const maxRetrySeconds = 600;

/** Handles a batch: the order and number of its messages make no difference, since each only says that there is something to do. */
export async function consumeFlushes(messages: readonly Message[], threads: FlushDelivery): Promise<void> {
  await Promise.all(groupByThread(messages).map((group) => flushGroup(group, threads)));
}

/** Messages that aren't jobs are acknowledged and left out. */
function groupByThread(messages: readonly Message[]): ThreadGroup[] {
  const groups = new Map<string, ThreadGroup>();
  for (const message of messages) {
    const job = flushJobSchema.safeParse(message.body);
    if (!job.success) {
      log("error", "queue.malformed", { messageId: message.id });
      message.ack();
      continue;
    }
    const { tenantId, memoryId, threadId } = job.data;
    const name = `${tenantId}/${memoryId}/${threadId}`;
    const group = groups.get(name) ?? { job: job.data, messages: [] };
    group.messages.push(message);
    groups.set(name, group);
  }
  return [...groups.values()];
}

async function flushGroup({ job, messages }: ThreadGroup, threads: FlushDelivery): Promise<void> {
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

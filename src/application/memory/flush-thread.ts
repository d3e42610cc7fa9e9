/** Do one bounded slice of the work that waits in a thread. */
import type { FlushJob } from "../../memory/memory.js";
import { act } from "../act.js";

/** A job only says that there is something to do: repeated or out of order it does no harm. */
export const flushThread = act("flushThread", {
  role: "system",
  run: (_actor, job: FlushJob, { memory }) => memory.ports.threads.deliver(job),
});

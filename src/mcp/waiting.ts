/** Waiting for work to end, with a word to the host now and then, so that it doesn't take silence for death. */
import type { Result } from "../conversation/problem.js";
import type { Call } from "./call.js";

/** How long one look waits, in milliseconds: the host hears of progress that often. */
const lookMs = 5_000;

/**
 * Looks at work until it no longer runs, or the time is over.
 * @param waitMs how long its end is waited for, in milliseconds
 */
export async function awaitEnd<T extends { readonly status: string; readonly running?: boolean }>(
  { context, services }: Pick<Call, "context" | "services">,
  waitMs: number,
  look: (waitMs: number) => Promise<Result<T>>,
): Promise<Result<T>> {
  const until = services.now() + waitMs;
  for (let looks = 1; ; looks++) {
    const left = until - services.now();
    const seen = await look(Math.max(0, Math.min(lookMs, left)));
    if (!seen.ok || !isUnderWay(seen.value) || left <= lookMs || context.mcpReq.signal.aborted) return seen;
    await reportProgress(context, looks, seen.value.status);
  }
}

function isUnderWay({ status, running }: { readonly status: string; readonly running?: boolean }): boolean {
  return running ?? (status === "running" || status === "queued");
}

/** Tells a host that asked for it how far a call is. */
async function reportProgress({ mcpReq }: Call["context"], progress: number, message: string): Promise<void> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, message } });
}

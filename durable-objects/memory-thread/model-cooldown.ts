/** A model that doesn't answer is left alone for a while; what was written without it is written again later. */
import { noUsableSummary } from "../../src/memory/memory-agent.js";
import type { WorkPorts } from "./work-ports.js";

/** How long nobody asks a model that didn't answer, in milliseconds. */
const modelCooldownMs = 60_000;
const maxRewriteDelayMs = 6 * 3_600_000;

/** What was written without a model is written again with one: soon, then ever later, for as long as the model is down. */
export function recordModelFailure(
  result: { degraded: boolean; failure?: string | undefined },
  ports: WorkPorts,
): void {
  const { store, platform } = ports;
  if (!result.degraded) return;
  ports.kit.log("warn", "memory.degraded", {
    outcome: result.failure === noUsableSummary ? "uncalled" : "model_failed",
  });
  const { rewriteAt, rewriteDelay } = store.thread();
  if (rewriteAt !== undefined) return;
  scheduleRewrite(ports, {
    at: platform.now() + Math.max(modelCooldownMs, rewriteDelay),
    delay: Math.max(modelCooldownMs, rewriteDelay),
    modelDownUntil: result.failure === noUsableSummary ? 0 : platform.now() + modelCooldownMs,
  });
}

export function postponeRewrite(ports: WorkPorts): void {
  const now = ports.platform.now();
  const delay = Math.min(maxRewriteDelayMs, Math.max(modelCooldownMs, ports.store.thread().rewriteDelay * 2));
  scheduleRewrite(ports, { at: now + delay, delay, modelDownUntil: now + Math.min(delay, modelCooldownMs) });
}

export function scheduleRewrite(
  ports: WorkPorts,
  rewrite: { at: number | undefined; delay: number; modelDownUntil: number },
): void {
  ports.store.scheduleRewrite(rewrite);
  ports.kit.deadlines.move("rewrite", rewrite.at);
}

export function modelCooldown({ store, platform }: WorkPorts): string | undefined {
  return store.thread().modelDownUntil > platform.now() ? "the model didn't answer shortly before" : undefined;
}

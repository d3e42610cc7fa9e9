/** A model that doesn't answer is left alone for a while; what was written without it is due again later. */
import { uncalled } from "../../src/memory/capture.js";
import type { WorkPorts } from "./work-ports.js";

/** How long nobody asks a model that didn't answer, in milliseconds. */
const modelRestMs = 60_000;
const maxRedoDelayMs = 6 * 3_600_000;

/** After a work without a model, one with it is due: soon, then ever later, for as long as the model is down. */
export function noteModel(result: { degraded: boolean; failure?: string | undefined }, ports: WorkPorts): void {
  const { store, platform } = ports;
  if (!result.degraded) return;
  ports.kit.log("warn", "memory.degraded", { outcome: result.failure === uncalled ? "uncalled" : "model_failed" });
  const { redoAt, redoDelay } = store.thread();
  if (redoAt !== undefined) return;
  setRedo(ports, {
    at: platform.now() + Math.max(modelRestMs, redoDelay),
    delay: Math.max(modelRestMs, redoDelay),
    modelDownUntil: result.failure === uncalled ? 0 : platform.now() + modelRestMs,
  });
}

export function postponeRedo(ports: WorkPorts): void {
  const now = ports.platform.now();
  const delay = Math.min(maxRedoDelayMs, Math.max(modelRestMs, ports.store.thread().redoDelay * 2));
  setRedo(ports, { at: now + delay, delay, modelDownUntil: now + Math.min(delay, modelRestMs) });
}

export function setRedo(
  ports: WorkPorts,
  redo: { at: number | undefined; delay: number; modelDownUntil: number },
): void {
  ports.store.setRedo(redo);
  ports.kit.deadlines.move("redo", redo.at);
}

export function restingModel({ store, platform }: WorkPorts): string | undefined {
  return store.thread().modelDownUntil > platform.now() ? "the model didn't answer shortly before" : undefined;
}

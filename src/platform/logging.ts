/** The log: one JSON line an event, which is a data point of the metrics too. */
import { type DataPoint, dataPoint, type Level, type LogFields } from "./metrics.js";

interface Dataset {
  writeDataPoint(point: DataPoint): void;
}

let dataset: Dataset | undefined;

/** Where data points go from now on; the same for everything that runs in this isolate. Without one there are none. */
export function measureWith(into: Dataset | undefined): void {
  dataset = into;
}

/**
 * One JSON line per event of the system, and one data point: what is logged is measured, so that no failure can be in the one
 * and not in the other. Never texts of users or models, never a credential. Fields that the metrics know by name: `metrics.ts`.
 */
export function log(level: Level, event: string, fields: LogFields = {}): void {
  console[level](JSON.stringify({ level, event, ...fields }));
  try {
    dataset?.writeDataPoint(dataPoint(level, event, fields));
  } catch (error) {
    // Nothing that is measured may fail because of it.
    console.warn(JSON.stringify({ level: "warn", event: "metrics.failed", ...describeError(error) }));
  }
}

/** What may be logged of an exception: its name and message, not what it carries. The name alone is measured. */
export function describeError(error: unknown): { readonly error: string; readonly code: string } {
  if (!(error instanceof Error)) return { error: "unknown error", code: "unknown" };
  return { error: `${error.name}: ${error.message}`.slice(0, 500), code: error.name };
}

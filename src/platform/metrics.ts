/**
 * What the metrics keep of a log line: which event, whose, how it ended and how long it took. The columns are a closed list of
 * names, codes and numbers: a text (`error`, a path, an id of a message) is in none of them.
 */
export type Level = "info" | "warn" | "error";
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** In the order in which Analytics Engine knows them: `blob1`, `blob2`, … and `double1`, … */
export const words = ["event", "level", "outcome", "subject", "code"] as const;
export const numbers = ["latencyMs", "inputTokens", "outputTokens", "attempts"] as const;

export interface DataPoint {
  /** The tenant, by whom points are sampled; empty where none is concerned. */
  readonly indexes: [string];
  readonly blobs: string[];
  readonly doubles: number[];
}

/** Analytics Engine takes 96 bytes of an index, and 5,120 of all blobs. */
const maxIndex = 96;
const maxWord = 200;

export function dataPoint(level: Level, event: string, fields: LogFields): DataPoint {
  const columns: LogFields = { ...fields, event, level };
  return {
    indexes: [String(fields.tenantId ?? "").slice(0, maxIndex)],
    blobs: words.map((name) => String(columns[name] ?? "").slice(0, maxWord)),
    doubles: numbers.map((name) => Number(columns[name] ?? 0)),
  };
}

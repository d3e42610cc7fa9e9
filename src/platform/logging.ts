/** One JSON line per event of the system. Never texts of users or models, never a credential. */
export function log(
  level: "info" | "warn" | "error",
  event: string,
  fields: Readonly<Record<string, string | number | boolean>> = {},
): void {
  console[level](JSON.stringify({ level, event, ...fields }));
}

/** What may be logged of an exception: its name and message, not what it carries. */
export function describeError(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}`.slice(0, 500) : "unknown error";
}

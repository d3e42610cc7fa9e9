/** Rows that are read for one column of JSON text. */
import type { z } from "zod";

/** @param query selects the column alone */
export function readJsonRows<T>(
  sql: SqlStorage,
  schema: z.ZodType<T>,
  query: string,
  ...bindings: (string | number)[]
): T[] {
  return [...sql.exec(query, ...bindings).raw()].map(([text]) => schema.parse(JSON.parse(String(text))));
}

/** Counts what is billed of storage while something is done: by the accounts that D1 and the objects' SQLite give themselves. */

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { anythingLeft } from "./at-rest.js";
import type { TestTenant } from "./conclave.js";
import { isOf, sentOf } from "./d1-calls.js";

export interface StorageCounts {
  d1Queries: number;
  d1RowsRead: number;
  d1RowsWritten: number;
  objectRowsRead: number;
  objectRowsWritten: number;
  /** Each is billed as a row that is written. */
  alarmsSet: number;
}

type Method = (this: unknown, ...args: unknown[]) => unknown;

/** Replaces a method of a prototype until the function that comes back is called. */
function replace(prototype: object, name: string, make: (original: Method) => Method): () => void {
  const original: unknown = Reflect.get(prototype, name);
  if (typeof original !== "function") throw new Error(`nothing to count: there is no ${name}`);
  const call: Method = function (...args) {
    return Reflect.apply(original, this, args);
  };
  const replaced = make(call);
  Reflect.set(prototype, name, function (this: unknown, ...args: unknown[]) {
    return Reflect.apply(replaced, this, args);
  });
  return () => void Reflect.set(prototype, name, original);
}

interface Result {
  readonly meta?: { readonly rows_read?: number; readonly rows_written?: number };
}

/** Rows of a session's own object, and of D1 what its tenant caused. */
export async function countStorage(
  tenant: TestTenant,
  session: string,
  act: () => Promise<unknown>,
): Promise<StorageCounts> {
  const object = tenant.object(session);
  const counts: StorageCounts = {
    d1Queries: 0,
    d1RowsRead: 0,
    d1RowsWritten: 0,
    objectRowsRead: 0,
    objectRowsWritten: 0,
    alarmsSet: 0,
  };
  const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
  const note = (result: Result): void => {
    counts.d1Queries++;
    counts.d1RowsRead += result.meta?.rows_read ?? 0;
    counts.d1RowsWritten += result.meta?.rows_written ?? 0;
  };
  const noting =
    (sentWith: (self: unknown, args: unknown[]) => unknown): ((original: Method) => Method) =>
    (original) =>
      async function (this: unknown, ...args: unknown[]) {
        const result = (await Reflect.apply(original, this, args)) as Result | Result[];
        if (isOf(tenant, sentOf(sentWith(this, args)))) for (const one of [result].flat()) note(one);
        return result;
      };
  const notingItself = noting((self) => [self]);
  const statement = Object.getPrototypeOf(env.DB.prepare("SELECT 1"));
  const restore = [
    replace(statement, "all", notingItself),
    replace(statement, "run", notingItself),
    // A database's own batches go through a session too.
    replace(
      Object.getPrototypeOf(env.DB.withSession("first-primary")),
      "batch",
      noting((_self, [statements]) => statements),
    ),
    ...(await runInDurableObject(object, (_instance, { storage: { sql }, storage }) => [
      replace(
        Object.getPrototypeOf(sql),
        "exec",
        (original) =>
          function (this: unknown, ...args: unknown[]) {
            const cursor = Reflect.apply(original, this, args) as (typeof cursors)[number];
            if (this === sql && args[0] !== anythingLeft) cursors.push(cursor);
            return cursor;
          },
      ),
      replace(
        Object.getPrototypeOf(storage),
        "setAlarm",
        (original) =>
          function (this: unknown, ...args: unknown[]) {
            if (this === storage) counts.alarmsSet++;
            return Reflect.apply(original, this, args);
          },
      ),
    ])),
  ];
  try {
    await act();
  } finally {
    for (const undo of restore) undo();
  }
  for (const cursor of cursors) {
    counts.objectRowsRead += cursor.rowsRead;
    counts.objectRowsWritten += cursor.rowsWritten;
  }
  return counts;
}

import { runInDurableObject } from "cloudflare:test";
import { expect } from "vitest";
import { eventually } from "./eventually.js";

/** The tests' own look at what is left: not among the rows that they count. */
export const anythingLeft = "SELECT id FROM outbox LIMIT 1";

/** Waits until an object has delivered all that its ended work left. */
export async function atRest(object: DurableObjectStub): Promise<void> {
  await eventually(async () =>
    expect(
      await runInDurableObject(object, (_instance, { storage }) => storage.sql.exec(anythingLeft).toArray()),
    ).toEqual([]),
  );
}

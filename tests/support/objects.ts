/** What happens to objects: crashes, evictions, alarms, and time that passes. */
import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { vi } from "vitest";
import type { ChatSession } from "../../durable-objects/chat-session/object.js";
import type { Roundtable } from "../../durable-objects/roundtable/object.js";
import type { RoutingRun } from "../../durable-objects/routing-run/object.js";
import type { SubjectJob } from "../../durable-objects/subject-job/object.js";
import { defined } from "../../src/conversation/defined.js";
import type { TestTenant } from "./conclave.js";

type Stub =
  | DurableObjectStub<ChatSession>
  | DurableObjectStub<RoutingRun>
  | DurableObjectStub<Roundtable>
  | DurableObjectStub<SubjectJob>;

/** Lets time pass for everything that reads the clock; timers and alarms don't notice. Ends with `vi.useRealTimers()`. */
export function passTime(milliseconds: number): void {
  vi.setSystemTime(Date.now() + milliseconds);
}

/** All instances (of this test file) die on the spot, with whatever they had under way; what is stored stays. */
export const crash = abortAllDurableObjects;

/**
 * Nobody asks: time passes until the lease or a delivery is overdue, and the alarm rings; again, where work that died or threw waits
 * before it is tried again.
 */
export async function ringAlarm(object: Stub, afterMs = 31_000): Promise<boolean> {
  passTime(afterMs);
  const before = (await attemptOf(object)).beganAt;
  const rang = await runDurableObjectAlarm(object);
  for (let attempt = await attemptOf(object); rang && attempt.beganAt === before; attempt = await attemptOf(object)) {
    if (attempt.retryAt === undefined) break;
    passTime(Math.max(0, attempt.retryAt - Date.now()));
    await runDurableObjectAlarm(object);
  }
  return rang;
}

/** When the object's work was begun last, and when it is tried again, if it waits for that. */
async function attemptOf(object: Stub): Promise<{ beganAt?: number; retryAt?: number }> {
  if ((await rowsOf(object, "SELECT 1 FROM sqlite_master WHERE name = 'attempts'")).length === 0) return {};
  const [began] = await rowsOf(object, "SELECT MAX(began_at) AS at FROM attempts");
  const [retry] = await rowsOf(object, "SELECT at FROM deadlines WHERE name = 'retry'");
  return { beganAt: Number(began?.at ?? 0), ...defined({ retryAt: retry && Number(retry.at) }) };
}

/** A crash, and the alarm that finds the work. */
export async function crashAndWake(tenant: TestTenant, sessionId: string): Promise<void> {
  await crash();
  await ringAlarm(tenant.object(sessionId));
}

/** Rows of an object's own table. */
export function rowsOf(object: Stub, query: string, ...bindings: (string | number)[]) {
  return runInDurableObject(object, (_instance, state) => state.storage.sql.exec(query, ...bindings).toArray());
}

/** What happens to objects: crashes, evictions, alarms, and time that passes. */
import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { vi } from "vitest";
import type { ChatSession } from "../../durable-objects/chat-session/object.js";
import type { Roundtable } from "../../durable-objects/roundtable/object.js";
import type { RoutingRun } from "../../durable-objects/routing-run/object.js";
import type { TestTenant } from "./conclave.js";

type Stub = DurableObjectStub<ChatSession> | DurableObjectStub<RoutingRun> | DurableObjectStub<Roundtable>;

/** Lets time pass for everything that reads the clock; timers and alarms don't notice. Ends with `vi.useRealTimers()`. */
export function passTime(milliseconds: number): void {
  vi.setSystemTime(Date.now() + milliseconds);
}

/** All instances (of this test file) die on the spot, with whatever they had under way; what is stored stays. */
export const crash = abortAllDurableObjects;

/** Nobody asks: time passes until the lease or a delivery is overdue, and the alarm rings. */
export async function ringAlarm(object: Stub, afterMs = 31_000): Promise<boolean> {
  passTime(afterMs);
  return runDurableObjectAlarm(object);
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

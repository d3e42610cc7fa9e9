import { vi } from "vitest";

/** Waits until `holds` throws no more, and gives what it returned: half a minute at most, for a busy machine is no fault. */
export function eventually<T>(holds: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(holds, { timeout: 30_000 });
}

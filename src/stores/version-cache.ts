/**
 * Versions of resources that were read lately. They never change, so that they are kept without being asked for again; but a database
 * that was set back to an earlier time gives their numbers out again. So whoever reads which version counts says when it was stored.
 */
import { z } from "zod";
import { type ResourcePin, type ResourceVersion, resourcePinSchema } from "../tenancy/resources.js";

/** Versions that are kept; nothing depends on it. */
const keptVersions = 500;

/** A pin as `resource_heads` has it. `updated_at` of one that counts is when its version was stored, in milliseconds. */
export const pinRow = resourcePinSchema.extend({ updated_at: z.number() });

export class VersionCache {
  private readonly kept = new Map<string, { readonly version: ResourceVersion; readonly storedAt: number }>();

  get(tenantId: string, pin: ResourcePin): ResourceVersion | undefined {
    return this.kept.get(keyOf(tenantId, pin))?.version;
  }

  put(tenantId: string, version: ResourceVersion, storedAt: number): void {
    const [oldest] = this.kept.keys();
    if (this.kept.size >= keptVersions && oldest !== undefined) this.kept.delete(oldest);
    this.kept.set(keyOf(tenantId, version), { version, storedAt });
  }

  /** Pins as they were just read. What is kept under the number of one of them and was stored at another time is dropped. */
  readPins(tenantId: string, rows: readonly z.infer<typeof pinRow>[]): ResourcePin[] {
    return rows.map(({ updated_at, ...pin }) => {
      const key = keyOf(tenantId, pin);
      if (this.kept.get(key)?.storedAt !== updated_at) this.kept.delete(key);
      return pin;
    });
  }
}

function keyOf(tenantId: string, { kind, name, version }: ResourcePin): string {
  return `${tenantId}/${kind}/${name}/${version}`;
}

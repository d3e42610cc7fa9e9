/**
 * A hot tenant's limits in shards. One object counts what a tenant uses; above a rate it tells its callers to go to shards, and leases them
 * parts of what is left. A shard takes from its leases alone, so that what all shards take together is never more than there is. What a
 * lost shard holds counts as spent.
 */
import type { Demand } from "./demand.js";
import { type Counter, hasRoom, remainingOf } from "./room.js";

export const shardCount = 16;
/** Calls in a second above which a tenant's limits are counted in shards, and a shard's own part of them. */
export const hotCallsPerSecond = 200;
export const hotCallsOfShard = Math.floor(hotCallsPerSecond / shardCount);
/** How long callers go to shards then, in milliseconds; each hint begins it anew. */
export const spreadMs = 60_000;

/** A lease is at most this part of what is left: a twentieth. */
const leaseShare = 20;
/** After so long what is left of a lease goes back, in milliseconds. */
export const leaseMs = 60_000;
/** After a refusal a shard asks no more for so long, in milliseconds. */
export const quietMs = 1_000;

/** Calls in the second that goes on. */
export interface CallRate {
  /** Seconds since the epoch. */
  readonly second: number;
  readonly calls: number;
}

/** @param now milliseconds since the epoch */
export function countCall({ second, calls }: CallRate, now: number): CallRate {
  const current = Math.floor(now / 1_000);
  return { second: current, calls: second === current ? calls + 1 : 1 };
}

/** Which shard serves somebody: always the same one, so that leases for one end user aren't scattered. */
export function shardOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193) >>> 0;
  return hash % shardCount;
}

/**
 * How much a shard is leased that needs `demand.amount`: what it needs, or a twentieth of what is left, whichever is more.
 * @returns nothing where there is no room for what it needs
 * @example
 * leaseFor({ amount: 10, max: 1_000, isEnforced: true }, emptyCounter); // 50
 */
export function leaseFor(demand: Pick<Demand, "amount" | "max" | "isEnforced">, counter: Counter): number | undefined {
  const { amount, max, isEnforced } = demand;
  if (isEnforced && !hasRoom(demand, counter)) return undefined;
  return Math.max(amount, Math.floor(remainingOf(counter, max) / leaseShare));
}

/** What a shard may use of one limit, for one scope, in one window: all that it was leased and hasn't given back. */
export interface Lease {
  readonly leased: number;
  /** Milliseconds since the epoch: what isn't used then goes back. */
  readonly until: number;
}

/** What a shard can still take from its lease. */
export function leftOf({ leased, until }: Lease, { used, reserved }: Pick<Counter, "used" | "reserved">, now: number) {
  return until <= now ? 0 : Math.max(0, leased - used - reserved);
}

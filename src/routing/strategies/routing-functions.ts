/**
 * Routing functions by name, for those who fork the Worker: code that decides in place of rules. Register them where the Worker
 * starts; what a team stores is the name alone.
 */
import type { RoutingInput } from "../routing-input.js";

/** What a routing function says: who is to work, or nothing when the work is done (or nobody fits). */
export interface RoutingFnChoice {
  readonly targetAgent?: string;
  readonly targetAgents?: readonly string[];
  readonly reasoning?: string;
  readonly confidence?: number;
}

export type RoutingFn = (input: RoutingInput) => RoutingFnChoice | undefined | Promise<RoutingFnChoice | undefined>;

const registered = new Map<string, RoutingFn>();

/** Makes a routing function known under a name. The function should decide by its argument alone. */
export function registerRoutingFn(name: string, fn: RoutingFn): void {
  registered.set(name, fn);
}

export function findRoutingFn(name: string): RoutingFn | undefined {
  return registered.get(name);
}

export function routingFnNames(): string[] {
  return [...registered.keys()].sort();
}

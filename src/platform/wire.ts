/** Values on their way to and from an object: JSON text on the line, zod on arrival. */
import type { z } from "zod";

/** JSON text of a T. */
export interface Wire<T> {
  readonly json: string;
  /** Never there; it only tells the compiler what the text holds. */
  readonly of?: T;
}

export function toWire<T>(value: T): Wire<T> {
  return { json: JSON.stringify(value) };
}

export function fromWire<T>(wire: Wire<T>, schema: z.ZodType<T>): T {
  return schema.parse(JSON.parse(wire.json));
}

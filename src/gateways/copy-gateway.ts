/** The state of objects as it is stored, read and taken part by part: how a tenant's conversations and threads get into another one. */
import { z } from "zod";
import type { CopiedKind } from "../tenancy/copied-kinds.js";
import type { PlacedObjects } from "./placement.js";
import { toWire, type Wire } from "./wire.js";

/**
 * Where a part begins: which one it is, and the table, row and character. It goes on there if nothing was written since (`stamp`), or if what
 * stands before it is what was read (`digest`), as it is in an instance that knows nothing of the one before.
 */
export interface StatePlace {
  readonly part: number;
  readonly table: number;
  readonly row: number;
  readonly at: number;
  readonly stamp: string;
  /** Missing in a place of before there was one. */
  readonly digest?: string | undefined;
}

const placeSchema = z.object({
  part: z.int(),
  table: z.int(),
  row: z.int(),
  at: z.int(),
  stamp: z.string(),
  digest: z.string().optional(),
});

export const statePartSchema = z.object({
  part: z.int().min(0),
  /** The steps of the schema that made its tables, by name. */
  steps: z.array(z.string().max(200)).max(500),
  /** Some of the lines, cut anywhere: `["table", {column: value}]`. */
  text: z.string().max(1_000_000),
  /** Whether secrets that somebody sent along were left out of it. */
  hidden: z.boolean(),
  isLast: z.boolean(),
});
export type StatePart = z.infer<typeof statePartSchema>;

const readPartSchema = z.object({ ...statePartSchema.shape, next: placeSchema.nullable() }).nullable();
/** A part that was read, and where the next one begins. */
export type ReadPart = z.infer<typeof readPartSchema>;

/** Whose state comes, and for whom. */
export interface Takeover {
  readonly from: string;
  readonly to: string;
  /** Chat connections of the one by those of the other. */
  readonly channels: Readonly<Record<string, string>>;
}

/** `part`: more have to come. `newer`: newer code has written it. `incomplete`: a part before it is missing. `unreadable`: no export wrote it. */
export type TakenOutcome = "stored" | "part" | "there" | "newer" | "incomplete" | "unreadable";

export interface CopiedObject {
  readState(place: StatePlace | null): Promise<Wire<ReadPart>>;
  takeState(part: Wire<StatePart>, takeover: Takeover): Promise<TakenOutcome>;
}

type Objects = Readonly<Record<CopiedKind, PlacedObjects<CopiedObject>>>;

export class CopyGateway {
  constructor(private readonly objects: Objects) {}

  /** The part that begins there; null where there is no such object. */
  read(kind: CopiedKind, tenantId: string, path: readonly string[], place: StatePlace | null): Promise<ReadPart> {
    return this.objects[kind].read([tenantId, ...path], readPartSchema, (object) => object.readState(place));
  }

  /** Taken twice, a part changes nothing. */
  take(kind: CopiedKind, path: readonly string[], part: StatePart, takeover: Takeover): Promise<TakenOutcome> {
    return this.objects[kind].call([takeover.to, ...path], (object) => object.takeState(toWire(part), takeover));
  }
}

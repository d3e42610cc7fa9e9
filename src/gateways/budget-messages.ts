/** What crosses to a tenant's budget and back. */
import { z } from "zod";
import { demandSchema } from "../tenancy/limits/demand.js";
import { limitStateSchema, measures } from "../tenancy/limits/limit.js";
import { lazily } from "../text/lazily.js";
import { resultOf } from "./wire.js";

export const takingSchema = lazily(() =>
  z.object({
    /** What it is taken for, where something is given back: a turn, a run, a socket. */
    work: z.string().optional(),
    /** Which of the work's reservations this is. */
    step: z.int(),
    demands: z.array(demandSchema()),
    /** Whose turn it is, where what such a turn usually comes to may be reserved. */
    agent: z.string().optional(),
  }),
);
export type Taking = Readonly<z.infer<ReturnType<typeof takingSchema>>>;

/** What a shard says of one of its counters, and what it needs more of it. */
const renewedSchema = lazily(() =>
  z.object({
    limit: z.string(),
    scope: z.string(),
    measure: z.enum(measures),
    /** Of the window, in milliseconds since the epoch. */
    start: z.number(),
    end: z.number().optional(),
    /** All that the shard has used in this window. */
    used: z.number(),
    /** What it keeps: reserved for work, and left of its lease. */
    kept: z.number(),
    /** Of `used`: never settled. */
    unsettled: z.number(),
    demand: demandSchema().optional(),
  }),
);
export const renewalSchema = lazily(() =>
  z.object({
    shard: z.int(),
    /** Later ones have higher numbers; the same again does nothing more. */
    seq: z.int(),
    counters: z.array(renewedSchema()),
  }),
);
/** What a shard says to its root: where it stands, whatever was lost before. */
export type Renewal = Readonly<z.infer<ReturnType<typeof renewalSchema>>>;
export type Renewed = Readonly<z.infer<ReturnType<typeof renewedSchema>>>;
/** What it is leased, in the order of its counters. */
export const leasesSchema = lazily(() => resultOf(z.array(z.number())));

const settlementSchema = lazily(() =>
  z.object({
    ...{ work: z.string(), upTo: z.int(), tokens: z.number(), money: z.number() },
    renews: z.boolean().optional(),
  }),
);
export const settlementsSchema = lazily(() => z.array(settlementSchema()));

/** What was reserved where it is more than was demanded; only for who says whose turn it is. */
const sliceSchema = lazily(() => z.object({ tokens: z.number(), money: z.number() }));
export type Slice = Readonly<z.infer<ReturnType<typeof sliceSchema>>>;
export const takenSchema = lazily(() => resultOf(z.union([z.null(), sliceSchema()])));
export const stateSchema = limitStateSchema;
export { demandSchema };

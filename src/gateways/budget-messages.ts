/** What crosses to a tenant's budget and back. */
import { z } from "zod";
import { demandSchema } from "../tenancy/limits/demand.js";
import { limitStateSchema } from "../tenancy/limits/limit.js";
import { lazily } from "../text/lazily.js";
import { resultOf } from "./wire.js";

export const takingSchema = lazily(() =>
  z.object({
    /** What it is held for, where something is held: a turn, a run, a socket. */
    work: z.string().optional(),
    /** Which of the work's reservations this is. */
    step: z.int(),
    demands: z.array(demandSchema()),
  }),
);
export type Taking = Readonly<z.infer<ReturnType<typeof takingSchema>>>;

const settlementSchema = lazily(() =>
  z.object({ work: z.string(), upTo: z.int(), tokens: z.number(), money: z.number() }),
);
export const settlementsSchema = lazily(() => z.array(settlementSchema()));

export const takenSchema = lazily(() => resultOf(z.null()));
export const stateSchema = limitStateSchema;
export { demandSchema };

/** What one seat held over the rounds, and what changed it. */
import { z } from "zod";
import { defined } from "../../conversation/defined.js";
import { movementSchema } from "../consensus/schema.js";
import { labelOf } from "../context-request.js";
import type { DebateRecord } from "../debate-record.js";
import { positionSchema } from "../position.js";

export const thoughtsSchema = z.object({
  agentId: z.string(),
  name: z.string(),
  role: z.string().optional(),
  rounds: z.array(
    z.object({
      round: z.int(),
      /** Absent where it failed, or waited for what it had asked for. */
      position: positionSchema.omit({ seat: true, round: true }).optional(),
      /** Against the last round in which it spoke. */
      confidenceChange: z.number().optional(),
      movement: movementSchema.omit({ seat: true }).optional(),
      /** What it asked for in this round. */
      asked: z.array(z.object({ requestId: z.string(), label: z.string(), query: z.string(), status: z.string() })),
      failure: z.string().optional(),
    }),
  ),
});
export type Thoughts = z.infer<typeof thoughtsSchema>;

/** @returns `undefined` when no such seat is in the debate. */
export function thoughtsOf({ seats, rounds, requests }: DebateRecord, agentId: string): Thoughts | undefined {
  const seat = seats.find(({ id }) => id === agentId);
  if (seat === undefined) return undefined;
  let before: number | undefined;
  return {
    agentId,
    name: seat.name,
    ...defined({ role: seat.role }),
    rounds: rounds.map(({ round, positions, failures, consensus }) => {
      const current = positions.find((position) => position.seat === agentId);
      const movement = consensus?.movements.find((one) => one.seat === agentId);
      const failure = failures.find((one) => one.seat === agentId);
      const change = current === undefined || before === undefined ? undefined : current.confidence - before;
      before = current?.confidence ?? before;
      const { seat: _, round: __, ...position } = current ?? { seat: "", round: 0 };
      const { seat: ___, ...moved } = movement ?? { seat: "" };
      return {
        round,
        ...("position" in position ? { position } : {}),
        ...(change === undefined ? {} : { confidenceChange: Math.round(change * 1_000) / 1_000 }),
        ...("kind" in moved ? { movement: moved } : {}),
        asked: requests
          .filter(({ askers }) => askers.some((asker) => asker.seat === agentId && asker.round === round))
          .map(({ requestId, number, query, status }) => ({ requestId, label: labelOf({ number }), query, status })),
        ...defined({ failure: failure?.error }),
      };
    }),
  };
}

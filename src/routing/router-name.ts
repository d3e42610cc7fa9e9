/** A team's supervisor may be sent as its `router`: elsewhere a supervisor is a guardrail. Answers and what is stored say `supervisor`. */
import type { z } from "zod";
import { isRecord } from "../text/json.js";

/** The other name of a team's field, and the field. */
export const otherNames = { router: "supervisor" } as const;

/** @example withSupervisor({ router: r, workers }, context) // { supervisor: r, workers } */
export function withSupervisor(sent: unknown, context: z.RefinementCtx): unknown {
  if (!isRecord(sent) || sent.router === undefined) return sent;
  const { router, ...team } = sent;
  if (team.supervisor === undefined) return { ...team, supervisor: router };
  context.addIssue({
    code: "custom",
    path: ["router"],
    message: "it is another name of supervisor: send one of the two",
  });
  return team;
}

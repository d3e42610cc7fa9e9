/** The events of agents at work: the tools they call. */
import { z } from "zod";
import { type EventAudience, type EventDefinitions, workIds } from "../conversation/event.js";
import { callRefusals } from "./tools.js";

/** Of a team: the worker that called, or `supervisor`. */
const agentName = z.string().optional();

const call = z.object({ ...workIds, toolCallId: z.string(), server: z.string(), tool: z.string(), agent: agentName });

/** A team's workers and a panel's seats are none of an end user's business. */
const viewFor = (reader: EventAudience, data: unknown): unknown =>
  reader === "user" && call.safeParse(data).data?.agent !== undefined ? undefined : data;

export const agentEvents = {
  "tool.called": {
    description: "An agent's call of a tool was cleared and begins.",
    audience: "user",
    viewFor,
    roots: ["session", "run", "roundtable"],
    data: call,
  },
  "tool.progress": {
    description: "How far a remote tool says it is with a call, in units of its own; at most one in a second.",
    audience: "user",
    viewFor,
    roots: ["session", "run", "roundtable"],
    data: call.extend({ progress: z.number(), total: z.number().optional() }),
    live: true,
  },
  "tool.returned": {
    description: "The tool returned or failed, and how long it took.",
    audience: "user",
    viewFor,
    roots: ["session", "run", "roundtable"],
    data: call.extend({ isError: z.boolean(), elapsedMs: z.number() }),
  },
  "tool.rejected": {
    description: "An agent's call did nothing: it was refused before it was made, or by its tool.",
    audience: "client",
    roots: ["session", "run", "roundtable"],
    data: call.extend({ why: z.enum(callRefusals) }),
  },
} as const satisfies EventDefinitions;

/** Take a conversation over from its agent, and hand it back. */
import { z } from "zod";
import { sessionSchema } from "../../chat/session.js";
import { recordOf } from "../../conversation/actor-record.js";
import { need } from "../../conversation/problem.js";
import { commandOf } from "../../tenancy/actor.js";
import { act } from "../act.js";
import { sessionInput } from "./own-session.js";

export const holdSession = act("holdSession", {
  role: "operator",
  reviewers: true,
  route: {
    method: "post",
    path: "/v1/sessions/{sessionId}/hold",
    tag: "Sessions",
    summary: "Take a conversation over from its agent, or from another person (operators)",
    description:
      "What customers write from then on is supervised and kept, and begins no work of an agent; nothing that an agent has under way is shown. A request for a person that is open is answered by it. After 30 minutes without a word of staff an ask of kind handover is opened.",
    answer: "The session, with its hold",
  },
  input: () => z.object(sessionInput()),
  output: () => sessionSchema,
  run: async (actor, { sessionId }, { sessions }) =>
    need(await sessions.handOver(actor.tenantId, sessionId, { kind: "hold" }, recordOf(actor), commandOf(actor))),
});

export const releaseSession = act("releaseSession", {
  role: "operator",
  reviewers: true,
  route: {
    method: "delete",
    path: "/v1/sessions/{sessionId}/hold",
    tag: "Sessions",
    summary: "Hand a conversation back to its agent (operators)",
    description:
      "A notice in the conversation tells models of it. What customers wrote since staff's last words is answered by the agent, all of it in one turn; with answer=false nobody does, and those turns are cancelled. A turn that was under way goes on.",
    status: 200,
    answer: "The session",
  },
  input: () => z.object({ ...sessionInput(), answer: z.enum(["true", "false"]).default("true") }),
  output: () => sessionSchema,
  run: async (actor, { sessionId, answer }, { sessions }) => {
    const step = { kind: "release", answers: answer === "true" } as const;
    return need(await sessions.handOver(actor.tenantId, sessionId, step, recordOf(actor), commandOf(actor)));
  },
});

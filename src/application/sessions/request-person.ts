/** Ask for a person in a conversation, and take that back. */
import { z } from "zod";
import { sessionSchema } from "../../chat/session.js";
import { recordOf } from "../../conversation/actor-record.js";
import { defined } from "../../conversation/defined.js";
import { speakerSchema } from "../../conversation/names.js";
import { need } from "../../conversation/problem.js";
import { commandOf } from "../../tenancy/actor.js";
import { act } from "../act.js";
import { ownSession, sessionFor, sessionInput } from "./own-session.js";

export const requestPerson = act("requestPerson", {
  role: "client",
  ofSubject: true,
  route: {
    method: "post",
    path: "/v1/sessions/{sessionId}/person",
    tag: "Sessions",
    summary: "Ask for a person in a conversation",
    description:
      "From then on no agent answers there, and staff has an ask of kind handover: whoever takes it writes from then on. Nothing changes where a person is there already.",
    operationId: "requestPerson",
    body: "request",
    answer: "The session, with its hold",
  },
  input: () => z.object({ ...sessionInput(), request: z.strictObject({ speaker: speakerSchema.optional() }) }),
  output: () => sessionSchema,
  run: async (actor, { sessionId, request }, services) => {
    need(await ownSession(actor, sessionId, services));
    const who = actor.role === "user" ? actor.subject : (request.speaker ?? actor.subject);
    const step = { kind: "request", ...defined({ who }) } as const;
    const by = recordOf(actor);
    const held = await services.sessions.handOver(actor.tenantId, sessionId, step, by, commandOf(actor));
    return sessionFor(actor, need(held));
  },
});

export const withdrawPersonRequest = act("withdrawPersonRequest", {
  role: "client",
  ofSubject: true,
  route: {
    method: "delete",
    path: "/v1/sessions/{sessionId}/person",
    tag: "Sessions",
    summary: "Take the request for a person back: the agent answers again",
    description: "As long as nobody has come; a person who has hands the conversation back themselves.",
    status: 200,
    answer: "The session",
  },
  input: () => z.object(sessionInput()),
  output: () => sessionSchema,
  run: async (actor, { sessionId }, services) => {
    need(await ownSession(actor, sessionId, services));
    const step = { kind: "withdraw" } as const;
    const by = recordOf(actor);
    const released = await services.sessions.handOver(actor.tenantId, sessionId, step, by, commandOf(actor));
    return sessionFor(actor, need(released));
  },
});

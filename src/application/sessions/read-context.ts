/** Read what is in force in a session and because of whom, what it includes and excludes, and how it came to that. */
import { z } from "zod";
import { mentionedItems } from "../../chat/context.js";
import { effectiveContext, effectiveContextSchema } from "../../chat/effective-context.js";
import { need } from "../../conversation/problem.js";
import { act } from "../act.js";
import { sessionInput } from "./own-session.js";

export const readSessionContext = act("readSessionContext", {
  role: "client",
  reviewers: true,
  route: {
    method: "get",
    path: "/v1/sessions/{sessionId}/context",
    tag: "Sessions",
    summary: "What a session includes and excludes, and how it came to that",
    answer: "The context, with its versions and what is in force",
  },
  input: () => z.object(sessionInput()),
  output: () => effectiveContextSchema,
  run: async ({ tenantId }, { sessionId }, { sessions, resources }) => {
    const read = await Promise.all([sessions.context(tenantId, sessionId), sessions.describe(tenantId, sessionId)]);
    const view = need(read[0]);
    const session = need(read[1]);
    const stored = await resources.get(tenantId, "agents", session.agent);
    const { rules = [], references = [] } = stored?.body ?? {};
    const agent = { rules, references, tools: stored?.body.kind === "model" ? stored.body.tools : [] };
    const { context } = view;
    const { lastTurn, mentionable } = session;
    const newest = lastTurn === undefined ? undefined : await sessions.turn(tenantId, sessionId, lastTurn.turnId);
    const message = newest?.ok === true && newest.value.message?.role === "user" ? newest.value.message.content : "";
    const mentioned = mentionedItems(message, [
      mentionable,
      ...(stored === undefined ? [] : [stored.body.mentionable]),
    ]);
    const [pins, auto] = await Promise.all([
      resources.pins(tenantId, [
        ...[...rules, ...context.rules, ...mentioned.rules].map((name) => ({ kind: "rules" as const, name })),
        ...[...references, ...context.references, ...mentioned.references].map((name) => ({
          kind: "references" as const,
          name,
        })),
        ...[...agent.tools, ...context.tools].map(({ tool }) => ({ kind: "tools" as const, name: tool })),
      ]),
      resources.autoPins(tenantId),
    ]);
    return { ...view, effective: effectiveContext({ context, agent, pins, auto, mentioned }) };
  },
});

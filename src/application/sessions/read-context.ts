/** Read what is in force in a session and because of whom, what it includes and excludes, and how it came to that. */
import { mentionedItems } from "../../chat/context.js";
import { type EffectiveContext, effectiveContext } from "../../chat/effective-context.js";
import { ok, type Result } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { Services } from "../services.js";

export async function readSessionContext(
  actor: Actor,
  sessionId: string,
  services: Services,
): Promise<Result<EffectiveContext>> {
  const allowed = authorize(actor, "readSessionContext");
  if (!allowed.ok) return allowed;
  const { tenantId } = actor;
  const { sessions, resources } = services;
  const [view, session] = await Promise.all([
    sessions.context(tenantId, sessionId),
    sessions.describe(tenantId, sessionId),
  ]);
  if (!view.ok) return view;
  if (!session.ok) return session;
  const stored = await resources.get(tenantId, "agents", session.value.agent);
  const { rules = [], references = [] } = stored?.body ?? {};
  const agent = { rules, references, tools: stored?.body.kind === "model" ? stored.body.tools : [] };
  const { context } = view.value;
  const { lastTurn, mentionable } = session.value;
  const newest = lastTurn === undefined ? undefined : await sessions.turn(tenantId, sessionId, lastTurn.turnId);
  const message = newest?.ok === true && newest.value.message?.role === "user" ? newest.value.message.content : "";
  const mentioned = mentionedItems(message, [mentionable, ...(stored === undefined ? [] : [stored.body.mentionable])]);
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
  return ok({ ...view.value, effective: effectiveContext({ context, agent, pins, auto, mentioned }) });
}

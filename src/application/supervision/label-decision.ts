/** Say whether a decision was right: one label for each who says it. A message that passed is labelled the same way. */
import { z } from "zod";
import { recordOf } from "../../conversation/actor-record.js";
import { need, problem } from "../../conversation/problem.js";
import { type DecisionKey, DecisionStore, decisionIdOf } from "../../stores/decision-store.js";
import { labels } from "../../supervision/decisions.js";
import type { Actor } from "../../tenancy/actor.js";
import { lazily } from "../../text/lazily.js";
import { act } from "../act.js";
import type { Services } from "../services.js";
import { messageInput } from "../sessions/read-versions.js";
import { decisionInput, findDecision, wholeDecisionSchema } from "./read-decision.js";

export const newLabelSchema = lazily(() =>
  z.strictObject({ label: z.enum(labels), note: z.string().min(1).max(2_000).optional() }),
);
type NewLabel = z.infer<ReturnType<typeof newLabelSchema>>;

export const labelDecision = act("labelDecision", {
  role: "operator",
  reviewers: true,
  route: {
    method: "put",
    path: "/v1/decisions/{decisionId}/label",
    tag: "Decisions",
    summary: "Say whether a decision was right (operators)",
    description:
      "`wrong` is a false alarm. Everybody has one label for a decision, the newest of all counts in the report; the same again changes nothing.",
    body: "label",
    answer: "The decision, without its text",
  },
  input: () => z.object({ ...decisionInput(), label: newLabelSchema() }),
  output: () => wholeDecisionSchema(),
  run: async (actor, { decisionId, label }, services) => {
    const { key } = await findDecision(actor, decisionId, services);
    return labelled(actor, key, label, services);
  },
});

export const labelMessage = act("labelMessage", {
  role: "operator",
  reviewers: true,
  route: {
    method: "put",
    path: "/v1/sessions/{sessionId}/messages/{messageId}/label",
    tag: "Decisions",
    summary: "Say whether it was right to let a message pass (operators)",
    description:
      "`wrong`: it should have been stopped. The message is a decision from then on, with `action` `allow` and no supervisor, and is listed, tried and labelled like any.",
    body: "label",
    answer: "The decision that it is",
  },
  input: () => z.object({ ...messageInput(), label: newLabelSchema() }),
  output: () => wholeDecisionSchema(),
  run: async (actor, { sessionId, messageId, label }, services) => {
    const { tenantId } = actor;
    const versions = need(await services.sessions.versions(tenantId, sessionId, messageId));
    const [first] = versions;
    if (first === undefined) throw problem("not_found", "There is no such message.");
    const hook = versions.some(({ message }) => message?.role === "assistant") ? "response" : "request";
    const key = { ownerId: sessionId, revision: 0, step: messageId };
    const at = Date.parse(first.at);
    await new DecisionStore(services.db).addAllowed(tenantId, key, { at, workId: "", hook, messageId });
    return labelled(actor, key, label, services);
  },
});

async function labelled(actor: Actor, key: DecisionKey, { label, note }: NewLabel, services: Services) {
  const given = { label, note, by: recordOf(actor), at: services.now() };
  await new DecisionStore(services.db).label(actor.tenantId, key, given);
  const { decision, labels: all } = await findDecision(actor, decisionIdOf(key), services);
  return { ...decision, labels: all };
}

/** Read one decision with its labels, and for those who may read originals with the text that was judged: on record. */
import { z } from "zod";
import { defined } from "../../conversation/defined.js";
import { messageText } from "../../conversation/message.js";
import { need, problem } from "../../conversation/problem.js";
import { type DecisionKey, DecisionStore, decisionKeyOf } from "../../stores/decision-store.js";
import { type Decision, decisionSchema, type GivenLabel, givenLabelSchema } from "../../supervision/decisions.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { isRecord } from "../../text/json.js";
import { lazily } from "../../text/lazily.js";
import { act } from "../act.js";
import { recordRead } from "../audit/record-read.js";
import type { Services } from "../services.js";
import { readOriginals } from "../sessions/turn-for.js";

export const decisionInput = lazily(() => ({ decisionId: z.string().max(400) }));

const textsSchema = lazily(() => z.object({ before: z.string(), after: z.string().optional() }));

/** A decision with what people said of it. */
export const wholeDecisionSchema = lazily(() =>
  decisionSchema().extend({
    labels: z.array(givenLabelSchema()),
    /** What was judged, and what holds of it now. Absent where it was erased, and of runs and roundtables: their traces have it. */
    texts: textsSchema().optional(),
  }),
);
type WholeDecision = z.infer<ReturnType<typeof wholeDecisionSchema>>;

export const readDecision = act("readDecision", {
  role: "operator",
  reviewers: true,
  route: {
    method: "get",
    path: "/v1/decisions/{decisionId}",
    tag: "Decisions",
    summary: "One decision, its labels, and the text that was judged (operators)",
    description:
      "The text comes from the session, as it was before any supervisor saw it; reading it leaves a row of the audit.",
    answer: "The decision",
  },
  input: () => z.object(decisionInput()),
  output: () => wholeDecisionSchema(),
  run: async (actor, { decisionId }, services): Promise<WholeDecision> => {
    const { decision, labels } = await findDecision(actor, decisionId, services);
    const { sessionId, workId, about } = decision;
    if (sessionId === undefined || !authorize(actor, readOriginals).ok) return { ...decision, labels };
    const texts = await textsOf(actor.tenantId, sessionId, decision, services);
    if (texts !== undefined)
      await recordRead(actor, services, {
        type: "originals.read",
        ownerId: sessionId,
        ...defined({ workId }),
        subject: about,
      });
    return { ...decision, labels, ...defined({ texts }) };
  },
});

/** @throws {ProblemError} where the tenant has none of this id */
export async function findDecision(
  { tenantId }: Actor,
  decisionId: string,
  { db }: Services,
): Promise<{ key: DecisionKey; decision: Decision; labels: GivenLabel[] }> {
  const key = decisionKeyOf(decisionId);
  const found = key && (await new DecisionStore(db).get(tenantId, key));
  if (key === undefined || found === undefined)
    throw problem("not_found", "There is no such decision, or its session was deleted.");
  return { key, ...found };
}

async function textsOf(
  tenantId: string,
  sessionId: string,
  { hook, workId = "", about }: Decision,
  services: Services,
): Promise<WholeDecision["texts"]> {
  const { sessions } = services;
  if (hook === "request" || hook === "response") {
    const messageId = about.messageId ?? (await replyOf(tenantId, sessionId, workId, services));
    if (messageId === undefined) return heldText(tenantId, sessionId, workId, services);
    const said = await sessions.versions(tenantId, sessionId, messageId);
    const messages = (said.ok ? said.value : []).flatMap(({ message }) => (message === undefined ? [] : message));
    const [first, last] = [messages[0], messages.at(-1)];
    if (first === undefined || last === undefined) return heldText(tenantId, sessionId, workId, services);
    return { before: messageText(first), ...(last === first ? {} : { after: messageText(last) }) };
  }
  return passTexts(tenantId, sessionId, { hook, workId, about }, services);
}

/** What is held stands in no message yet: its review has it. */
async function heldText(
  tenantId: string,
  sessionId: string,
  turnId: string,
  { sessions }: Services,
): Promise<WholeDecision["texts"]> {
  const turn = await sessions.turn(tenantId, sessionId, turnId, 0);
  const held = turn.ok ? turn.value.asks.find(({ kind, status }) => kind === "review" && status === "open") : undefined;
  const { original } = isRecord(held?.proposal) ? held.proposal : {};
  return typeof original === "string" ? { before: original } : undefined;
}

/** The reply that a turn has come to, or what stands in its place. */
async function replyOf(tenantId: string, sessionId: string, turnId: string, { sessions }: Services) {
  const turn = await sessions.turn(tenantId, sessionId, turnId, 0);
  return turn.ok ? (turn.value.reply ?? turn.value.error)?.messageId : undefined;
}

/** Passes that are looked through for a call's, a result's or a hop's texts, at most. */
const mostPasses = 5_000;

async function passTexts(
  tenantId: string,
  sessionId: string,
  { hook, workId, about }: Pick<Decision, "hook" | "workId" | "about">,
  { sessions }: Services,
): Promise<WholeDecision["texts"]> {
  let after = 0;
  for (let read = 0; read < mostPasses; ) {
    const { items, next } = need(await sessions.supervision(tenantId, sessionId, after, 200));
    const found = items.find(
      (pass) =>
        pass.turnId === workId && pass.hook === hook && JSON.stringify(pass.subject ?? {}) === JSON.stringify(about),
    );
    if (found !== undefined || next === null) return found?.texts;
    after = next;
    read += items.length;
  }
  return undefined;
}

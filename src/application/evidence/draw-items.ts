/** Items out of what happened here: what reviewers answered, what people labelled, and turns drawn at random. */
import { z } from "zod";
import { decisionOf } from "../../asks/answer.js";
import { heldText } from "../../asks/proposal.js";
import { defined } from "../../conversation/defined.js";
import { itemName, subjectSchema } from "../../conversation/names.js";
import { need } from "../../conversation/problem.js";
import { addedSchema } from "../../evidence/dataset.js";
import { type Expected, expectedOfReview, type NewItem } from "../../evidence/item.js";
import { sampleOf, seededRandom } from "../../statistics/random.js";
import { positionOf } from "../../stores/ask-index.js";
import { DecisionStore, decisionKeyOf } from "../../stores/decision-store.js";
import { readableText } from "../../supervision/subject.js";
import type { Actor } from "../../tenancy/actor.js";
import { lazily } from "../../text/lazily.js";
import { act } from "../act.js";
import { recordRead } from "../audit/record-read.js";
import type { Services } from "../services.js";
import { originalOfTurn } from "../supervision/tried-text.js";
import { addToDataset } from "./manage-items.js";

/** Rows that are looked through at most, and read at once. */
const mostLookedAt = 5_000;
const atOnce = 200;
/** Turns of one session that are looked at. */
const mostTurns = 100;

export const newDrawSchema = lazily(() =>
  z.strictObject({
    /**
     * `reviews`: what reviewers made of held texts says what should have come of them. `labels`: what people said of decisions does.
     * `none`: allowed turns, drawn at random, each with how many it stands for; somebody has to label them.
     */
    labels: z.enum(["reviews", "labels", "none"]),
    filter: z
      .strictObject({
        supervisor: itemName.optional(),
        agent: itemName.optional(),
        subject: subjectSchema.optional(),
      })
      .default({}),
    /** Items that are drawn, at most. */
    sample: z.int().min(1).max(2_000).default(200),
    /** Draws the same again. */
    seed: z.string().min(1).max(100).default("1"),
    /** The texts themselves, which stay when those of the turns are erased; without it items name their turns. */
    copy: z.boolean().default(false),
  }),
);
type NewDraw = z.infer<ReturnType<typeof newDrawSchema>>;

/** A text of a turn, with what should come of it. */
interface Found {
  readonly sessionId: string;
  readonly turnId: string;
  readonly hook: "request" | "response";
  readonly expected?: Expected;
}

export const drawItems = act("drawItems", {
  role: "operator",
  route: {
    method: "post",
    path: "/v1/datasets/{name}/items/from-sessions",
    tag: "Datasets and evals",
    summary: "Draw items from what happened here (operators)",
    description:
      'An accepted text should have been allowed, or changed as proposed; an edited one changed as edited; a rejected one blocked. What a deadline chose says nothing. Held texts tell how often a supervisor is wrong when it stops something, and never what it misses: for that draw with `labels: "none"` and label what comes.',
    body: "draw",
    answer: "What was added",
  },
  input: () => z.object({ name: itemName, draw: newDrawSchema() }),
  output: () => addedSchema().extend({ found: z.int().describe("Of how many these were drawn.") }),
  run: async (actor, { name, draw }, services) => {
    need(await (await services.datasets()).describe(actor.tenantId, name));
    const found = await finders[draw.labels](actor.tenantId, draw, services);
    const drawn = sampleOf(found, draw.sample, seededRandom(`${name} ${draw.seed}`));
    if (draw.copy && drawn.length > 0)
      await recordRead(actor, services, { type: "originals.read", ownerId: `dataset/${name}`, subject: {} });
    const items: NewItem[] = [];
    for (const one of drawn) {
      const item = await itemOf(actor, one, found.length / drawn.length, draw, services);
      if (item !== undefined) items.push(item);
    }
    const source = draw.labels === "reviews" ? "reviews" : draw.labels === "labels" ? "decisions" : "sessions";
    return { ...(await addToDataset(actor, name, items, source, services)), found: found.length };
  },
});

/** Nothing where its text is gone. */
async function itemOf(
  { tenantId }: Actor,
  { sessionId, turnId, hook, expected }: Found,
  standsFor: number,
  { copy, labels }: NewDraw,
  services: Services,
): Promise<NewItem | undefined> {
  const weight = labels === "none" ? standsFor : undefined;
  const about = { hook, group: sessionId, ...defined({ expected, weight }) };
  if (!copy) return { ...about, input: { sessionId, turnId } };
  const text = await originalOfTurn(tenantId, { sessionId, turnId, hook }, services).catch(() => undefined);
  return text && { ...about, input: readableText(text.subject) };
}

/** What somebody made of a text that supervisors held. */
export interface AnsweredReview extends Omit<Found, "expected"> {
  readonly askId: string;
  readonly before: string;
  readonly proposed: string;
  readonly decision: "accept" | "edit" | "reject";
  /** As edited. */
  readonly content: string | undefined;
}

export async function answeredReviews(
  tenantId: string,
  { supervisor, agent, subject }: NewDraw["filter"],
  { near }: Pick<Services, "near">,
): Promise<AnsweredReview[]> {
  const found: AnsweredReview[] = [];
  let after: ReturnType<typeof positionOf> | undefined;
  for (let looked = 0; looked < mostLookedAt; looked += atOnce) {
    const filter = { status: "answered", kind: "review", ...defined({ subject }) } as const;
    const page = await near.asks.list(tenantId, filter, "openedAt", after, atOnce);
    for (const ask of page) {
      const { sessionId, turnId, supervisors = [] } = ask.from;
      const text = heldText(ask);
      const decided = decisionOf(ask);
      if (sessionId === undefined || turnId === undefined || text === undefined || decided === undefined) continue;
      const { hook, original: before, proposed } = text;
      if (hook !== "request" && hook !== "response") continue;
      if (supervisor !== undefined && !supervisors.includes(supervisor)) continue;
      if (agent !== undefined && ask.from.agent !== agent) continue;
      const { decision } = decided;
      if (decision !== "accept" && decision !== "edit" && decision !== "reject") continue;
      const content = "content" in decided ? decided.content : undefined;
      found.push({ askId: ask.askId, sessionId, turnId, hook, before, proposed, decision, content });
    }
    const last = page.at(-1);
    if (last === undefined || page.length < atOnce) break;
    after = positionOf("openedAt", last);
  }
  return found;
}

type Finder = (tenantId: string, draw: NewDraw, services: Services) => Promise<Found[]>;

const finders: Readonly<Record<NewDraw["labels"], Finder>> = {
  async reviews(tenantId, { filter }, services) {
    const reviews = await answeredReviews(tenantId, filter, services);
    return reviews.map(({ sessionId, turnId, hook, decision, content, ...texts }) => ({
      ...{ sessionId, turnId, hook, expected: expectedOfReview({ decision, content }, texts) },
    }));
  },

  async labels(tenantId, { filter }, { near }) {
    const store = new DecisionStore(near.db);
    const found: Found[] = [];
    for (const label of ["wrong", "right"] as const) {
      let before: Parameters<DecisionStore["list"]>[2];
      for (let looked = 0; looked < mostLookedAt; looked += atOnce) {
        const page = await store.list(tenantId, { ...filter, label }, before, atOnce);
        for (const { sessionId, workId, hook, action } of page) {
          if (sessionId === undefined || workId === undefined) continue;
          if (hook !== "request" && hook !== "response") continue;
          const opposite = action === "allow" ? "block" : "allow";
          found.push({ sessionId, turnId: workId, hook, expected: { action: label === "right" ? action : opposite } });
        }
        const last = page.at(-1);
        const key = last && decisionKeyOf(last.decisionId);
        if (last === undefined || key === undefined || page.length < atOnce) break;
        before = { at: Date.parse(last.at), ...key };
      }
    }
    return found;
  },

  async none(tenantId, { filter: { agent, subject } }, { near, sessions }) {
    const found: Found[] = [];
    let before: string | undefined;
    while (found.length < mostLookedAt) {
      const page = await near.sessions.sessions(tenantId, defined({ agent, subject }), before, atOnce);
      for (const { sessionId } of page) {
        const said = await sessions.conversation(tenantId, sessionId, Number.MAX_SAFE_INTEGER, mostTurns);
        if (!said.ok) continue;
        for (const { turnId, message, passes } of said.value.items) {
          if (message.role !== "user" || passes.some(({ decision }) => decision !== "allow")) continue;
          found.push({ sessionId, turnId, hook: "request" });
        }
      }
      before = page.at(-1)?.sessionId;
      if (before === undefined || page.length < atOnce) break;
    }
    return found;
  },
};

/** Replays: turns of sessions answered again by others, from what is on record of them. An eval over a dataset of its own. */
import { z } from "zod";
import { recordOf } from "../../conversation/actor-record.js";
import { defined } from "../../conversation/defined.js";
import { itemName, subjectSchema } from "../../conversation/names.js";
import { need, problem } from "../../conversation/problem.js";
import { estimated, refusedEval } from "../../evidence/estimate.js";
import { type Eval, evalSchema, newEvalSchema, shownCandidate } from "../../evidence/evaluation.js";
import type { NewItem } from "../../evidence/item.js";
import { newEvalId, newId } from "../../platform/ids.js";
import { sampleOf, seededRandom } from "../../statistics/random.js";
import { keyOf } from "../../stores/reader-store.js";
import type { Actor } from "../../tenancy/actor.js";
import { lazily } from "../../text/lazily.js";
import { act } from "../act.js";
import { claimId } from "../creation.js";
import type { Services } from "../services.js";
import { candidatesShape } from "./manage-evals.js";
import { addToDataset } from "./manage-items.js";
import { settledAll } from "./settle-candidate.js";

/** Turns that are looked through at most, of all sessions and of one; and those whose use of tokens is looked at. */
const mostLookedAt = 5_000;
const mostTurns = 200;
const mostMeasured = 20;
const sessionsAtOnce = 200;

const replayFields = lazily(() =>
  newEvalSchema()
    .omit({ dataset: true, version: true })
    .extend({
      /** Turns that are replayed, at most: drawn at random where there are more. */
      sample: z.int().min(1).max(2_000).default(200),
      /** Draws the same again. */
      seed: z.string().min(1).max(100).default("1"),
      estimate: z.boolean().default(false),
    }),
);
const ofSession = lazily(() =>
  replayFields().extend({ turns: z.array(z.string().max(100)).min(1).max(200).optional() }),
);
const ofSessions = lazily(() =>
  replayFields().extend({
    sessions: z.array(z.string().max(100)).min(1).max(200).optional(),
    /** Where no sessions are named: all of an agent, or of an end user, the newest first. */
    filter: z.strictObject({ agent: itemName.optional(), subject: subjectSchema.optional() }).default({}),
  }),
);
type Replay = z.infer<ReturnType<typeof replayFields>>;

interface TurnName {
  readonly sessionId: string;
  readonly turnId: string;
}

const common = {
  role: "operator",
  output: () => z.object({ eval: evalSchema(), begun: z.boolean() }),
} as const;
const ofRoute = {
  method: "post",
  tag: "Datasets and evals",
  body: "replay",
  answer: "What it would come to",
  shows: "eval",
  other: { when: "begun", status: 202, answer: "It runs; read it at GET /v1/evals/{evalId}" },
} as const;

export const replaySession = act("replaySession", {
  ...common,
  route: {
    ...ofRoute,
    path: "/v1/sessions/{sessionId}/replay",
    summary: "Replay turns of a session with others (operators)",
    description:
      "An eval over the turns that are over, or those that are named: each candidate answers each from the history on record. Tools, questions and approvals are answered from the record, by tool and arguments; anything else ends the answer as `diverged`. Nothing is written, sent or asked.",
    bodyShape: () => ofSession().extend({ candidates: candidatesShape() }),
  },
  input: () => z.object({ sessionId: z.string().max(100), replay: ofSession() }),
  run: async (actor, { sessionId, replay: { turns, ...replay } }, services) => {
    need(await services.sessions.describe(actor.tenantId, sessionId));
    const found = await turnsOf(actor.tenantId, sessionId, services);
    const absent = turns?.find((turnId) => !found.some((turn) => turn.turnId === turnId));
    if (absent !== undefined) throw problem("not_found", `The session has no turn ${absent} that could be replayed.`);
    const chosen = turns === undefined ? found : found.filter(({ turnId }) => turns.includes(turnId));
    return begin(actor, chosen, replay, { sessionId, turns, replay }, services);
  },
});

export const replaySessions = act("replaySessions", {
  ...common,
  route: {
    ...ofRoute,
    path: "/v1/replays",
    summary: "Replay turns of many sessions with others (operators)",
    description:
      "As the replay of one session, over turns of the sessions that are named or fit the filter, drawn at random.",
    bodyShape: () => ofSessions().extend({ candidates: candidatesShape() }),
  },
  input: () => z.object({ replay: ofSessions() }),
  run: async (actor, { replay: { sessions, filter, ...replay } }, services) => {
    const { tenantId } = actor;
    const found: TurnName[] = [];
    for await (const sessionId of sessions ?? sessionsBy(tenantId, filter, services)) {
      if (sessions !== undefined) need(await services.sessions.describe(tenantId, sessionId));
      found.push(...(await turnsOf(tenantId, sessionId, services)));
      if (found.length >= mostLookedAt) break;
    }
    return begin(actor, found, replay, { sessions, filter, replay }, services);
  },
});

async function* sessionsBy(
  tenantId: string,
  filter: { readonly agent?: string | undefined; readonly subject?: string | undefined },
  { near }: Services,
): AsyncGenerator<string> {
  let before: string | undefined;
  do {
    const page = await near.sessions.sessions(tenantId, defined(filter), before, sessionsAtOnce);
    for (const { sessionId } of page) yield sessionId;
    before = page.length < sessionsAtOnce ? undefined : page.at(-1)?.sessionId;
  } while (before !== undefined);
}

/** The newest turns of a session of which something was said: the oldest first. */
async function turnsOf(tenantId: string, sessionId: string, { sessions }: Services): Promise<TurnName[]> {
  const said = await sessions.conversation(tenantId, sessionId, Number.MAX_SAFE_INTEGER, mostTurns);
  if (!said.ok) return [];
  const { items } = said.value;
  const isOver = (turnId: string): boolean =>
    items.some(({ turnId: of, message }) => of === turnId && message.role !== "user");
  return items.flatMap(({ turnId, message }) =>
    message.role === "user" && message.erased !== true && isOver(turnId) ? [{ sessionId, turnId }] : [],
  );
}

async function begin(
  actor: Actor,
  found: readonly TurnName[],
  { sample, seed, estimate, ...wanted }: Replay,
  request: object,
  services: Services,
): Promise<{ eval: Eval; begun: boolean }> {
  const { tenantId } = actor;
  const settled = await settledAll(wanted, actor, services, "replay");
  if (wanted.judge !== undefined && !wanted.copy)
    throw problem("invalid", "A judge reads answers, which results don't keep without `copy`; see errors.", {
      errors: [{ path: "replay.copy", message: "has to be true where there is a judge" }],
    });
  if (found.length === 0) throw problem("conflict", "There are no turns that could be replayed: none is over.");
  const turns = sampleOf(found, sample, seededRandom(seed));
  const promptTokens = settled.promptTokens + (await askedWith(tenantId, turns, services));
  const settledWith = { ...settled, promptTokens };
  const ownName = `replay-${newId("try")}`;
  const texts = { items: turns.length, tokens: 0, longest: 0 };
  const { repeats, maxTokens } = wanted;
  const coming = estimated(texts, { ...settledWith, candidates: settled.candidates.length, repeats }).estimate;
  const refused = refusedEval(coming, estimate ? Number.POSITIVE_INFINITY : maxTokens);
  if (refused !== undefined) need(refused);
  if (estimate) {
    const view: Eval = {
      ...{ evalId: newEvalId(ownName), dataset: ownName, version: 0, status: "running", repeats },
      candidates: settledWith.candidates.map(shownCandidate),
      progress: { items: turns.length, wanted: coming.calls, done: 0, failed: 0 },
      ...{ spent: 0, reserved: 0, estimate: coming, ...defined({ maxTokens }) },
      createdAt: new Date(services.now()).toISOString(),
    };
    return { eval: view, begun: false };
  }
  const evalId = await claimId(actor, newEvalId(ownName), request, services);
  const dataset = evalId.slice(evalId.indexOf("_", "evl_".length) + 1);
  const datasets = await services.datasets();
  const known = await datasets.evaluation(tenantId, dataset, evalId);
  if (known.ok) return { eval: known.value, begun: true };
  // Each is known by what it is: what was begun and died is gone on with.
  const { command: _, ...once } = actor;
  need(
    await datasets.put(
      tenantId,
      dataset,
      `A replay of ${turns.length} ${turns.length === 1 ? "turn" : "turns"}.`,
      undefined,
    ),
  );
  const items = turns.map(
    ({ sessionId, turnId }): NewItem => ({
      ...{ hook: "request", input: { sessionId, turnId }, group: sessionId },
    }),
  );
  await addToDataset(once, dataset, items, "sessions", services);
  const started = await datasets.startEval(tenantId, dataset, {
    ...{ ...wanted, ...settledWith, evalId, keyId: keyOf(actor), by: recordOf(actor), onlyEstimate: false },
  });
  return { eval: need(started), begun: true };
}

/** What a model was asked with in these turns, in tokens: the most of some of them. */
async function askedWith(tenantId: string, turns: readonly TurnName[], { sessions }: Services): Promise<number> {
  const looked = await Promise.all(
    turns.slice(0, mostMeasured).map(({ sessionId, turnId }) => sessions.turn(tenantId, sessionId, turnId, 0)),
  );
  const asked = looked.flatMap((turn) =>
    turn.ok ? [turn.value.usage.inputTokens / Math.max(1, turn.value.usage.modelCalls)] : [],
  );
  return Math.ceil(Math.max(0, ...asked));
}

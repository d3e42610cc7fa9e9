/** Hold a changed supervisor against decisions that people have labelled: how many false alarms it frees, and what it then misses. */
import { z } from "zod";
import { defined } from "../../conversation/defined.js";
import { itemName } from "../../conversation/names.js";
import { DecisionStore } from "../../stores/decision-store.js";
import { decisionSchema } from "../../supervision/decisions.js";
import { actions } from "../../supervision/verdict.js";
import { lazily } from "../../text/lazily.js";
import { act } from "../act.js";
import { readDecision } from "./read-decision.js";
import { triedSchema, triedShape } from "./trial-schemas.js";
import { trySupervision } from "./try-supervisors.js";

/** Decisions of each label, the newest first. */
const mostOfLabel = 10;

const replayFields = lazily(() => ({
  /** Whose decisions: the stored supervisor's name. */
  of: itemName,
}));
const newReplaySchema = lazily(() => z.strictObject({ supervisor: triedSchema(), ...replayFields() }));
export const newReplayShape = lazily(() => z.strictObject({ supervisor: triedShape(), ...replayFields() }));

export const replaySchema = lazily(() =>
  z.object({
    /** False alarms, and how many of them it lets pass. */
    wrong: z.object({ tried: z.int(), freed: z.int() }),
    /** What was rightly stopped, and how many of these it lets pass. */
    right: z.object({ tried: z.int(), missed: z.int() }),
    items: z.array(
      decisionSchema()
        .pick({ decisionId: true, label: true, hook: true, action: true })
        .extend({ now: z.enum(actions) }),
    ),
  }),
);
export type Replay = z.infer<ReturnType<typeof replaySchema>>;

export const replayDecisions = act("replayDecisions", {
  role: "operator",
  reviewers: true,
  route: {
    method: "post",
    path: "/v1/decisions/replay",
    tag: "Decisions",
    summary: "Hold a supervisor against labelled decisions (operators)",
    description:
      "It is tried, without any effect, on the texts of the newest ten decisions of a stored supervisor that are labelled wrong and the newest ten labelled right. Each text that is read leaves a row of the audit; what was erased is left out. Endpoints aren't called.",
    body: "replay",
    bodyShape: newReplayShape,
    answer: "What it makes of each, and how many it frees and misses",
  },
  input: () => z.object({ replay: newReplaySchema() }),
  output: () => replaySchema(),
  run: async (actor, { replay: { supervisor, of } }, services): Promise<Replay> => {
    const store = new DecisionStore(services.near.db);
    const labelled = await Promise.all(
      (["wrong", "right"] as const).map((label) =>
        store.list(actor.tenantId, { supervisor: of, label }, undefined, mostOfLabel),
      ),
    );
    const items: Replay["items"] = [];
    for (const { decisionId, label, hook, action } of labelled.flat()) {
      const { texts } = await readDecision(actor, { decisionId }, services);
      if (texts === undefined) continue;
      const trial = { supervisors: [supervisor], on: { text: texts.before, hook }, callHttp: false };
      const [one] = (await trySupervision(actor, { trial }, services)).alone;
      // What wasn't asked, or failed, says nothing of this text.
      if (one === undefined || one.skipped !== undefined || one.failed !== undefined) continue;
      items.push({ decisionId, ...defined({ label }), hook, action, now: one.action });
    }
    const count = (wanted: string, passes?: true): number =>
      items.filter(({ label, now }) => label === wanted && (passes === undefined || now === "allow")).length;
    return {
      wrong: { tried: count("wrong"), freed: count("wrong", true) },
      right: { tried: count("right"), missed: count("right", true) },
      items,
    };
  },
});

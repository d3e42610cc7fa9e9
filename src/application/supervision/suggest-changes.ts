/** What labels and reviews suggest of a stored supervisor: each suggestion a body to be stored, and none in force by itself. */
import { z } from "zod";
import { defined } from "../../conversation/defined.js";
import { itemName } from "../../conversation/names.js";
import { expectedOfReview, newItemSchema } from "../../evidence/item.js";
import { DecisionStore } from "../../stores/decision-store.js";
import type { Decision } from "../../supervision/decisions.js";
import { supervisorSchema } from "../../supervision/kinds/table.js";
import { suggestExamples, suggestForRules, suggestThresholds, withSuggestion } from "../../supervision/suggestions.js";
import type { Actor } from "../../tenancy/actor.js";
import type { ResourceVersion } from "../../tenancy/resources.js";
import { lazily } from "../../text/lazily.js";
import { act } from "../act.js";
import { recordRead } from "../audit/record-read.js";
import { answeredReviews } from "../evidence/draw-items.js";
import { noResource } from "../resources/read-resource.js";
import type { Services } from "../services.js";

/** Decisions of each label that are looked at, the newest first. */
const mostOfLabel = 1_000;
/** Texts that examples are to be held against. */
const mostLines = 200;

const counts = lazily(() => z.object({ right: z.int(), wrong: z.int() }));

const suggestionSchema = lazily(() =>
  z.object({
    change: z.enum(["remove", "review", "threshold", "examples"]),
    /** Which rule, of `remove` and `review`. */
    rule: z.string().optional(),
    /** Of `threshold`: from which score on the category would count. */
    category: z.string().optional(),
    threshold: z.number().optional(),
    /** What it is drawn from, and what of the other half it would change; texts that people edited count as wrong. */
    drawn: counts(),
    held: counts(),
    summary: z.string(),
    /** For `PUT /v1/supervisors/{name}`; absent where no rule would be left. */
    body: supervisorSchema.optional(),
    /** Of `examples`: the other half, as lines for `POST /v1/datasets/{name}/items`, to hold it against in an eval. */
    lines: z.array(newItemSchema()).optional(),
  }),
);
type Suggestion = z.infer<ReturnType<typeof suggestionSchema>>;

export const suggestionsSchema = lazily(() =>
  z.object({ supervisor: z.string(), version: z.int(), items: z.array(suggestionSchema()) }),
);

export const suggestChanges = act("suggestChanges", {
  role: "operator",
  route: {
    method: "get",
    path: "/v1/supervisors/{name}/suggestions",
    tag: "Decisions",
    summary: "What labels and reviews suggest of a supervisor (operators)",
    description:
      "Computed when it is asked for, of what people said of the version that counts now, and in force nowhere. A rule that was mostly wrong is left out, or leaves the decision to a person where it was right, too. A category of a moderation gets a threshold above its false alarms. A supervising agent gets texts that reviewers edited as examples: reading those is on record. Each suggestion is drawn from one half (`drawn`) and held against the other (`held`).",
    answer: "The suggestions, each with a body to be stored",
  },
  input: () => z.object({ name: itemName }),
  output: () => suggestionsSchema(),
  run: async (actor, { name }, services) => {
    const stored = await services.near.resources.get(actor.tenantId, "supervisors", name);
    if (stored === undefined) throw noResource("supervisors", name);
    const { version } = stored;
    return { supervisor: name, version, items: await suggestionsOf(stored, actor, services) };
  },
});

type Stored = ResourceVersion<"supervisors">;

async function suggestionsOf({ name, version, body }: Stored, actor: Actor, services: Services): Promise<Suggestion[]> {
  switch (body.kind) {
    case "rules": {
      const { rules } = body.config;
      const labelled = (await labelledOf(name, version, actor, services)).flatMap((one) =>
        one.rules === undefined ? [] : [{ ...one, rules: one.rules }],
      );
      return suggestForRules(rules, labelled).map((suggestion) => {
        const changed = withSuggestion(rules, suggestion);
        return { ...suggestion, ...(changed && { body: { ...body, config: { ...body.config, rules: changed } } }) };
      });
    }
    case "moderation": {
      const labelled = await labelledOf(name, version, actor, services);
      return suggestThresholds(labelled).map((suggestion) => {
        const { category, threshold } = suggestion;
        const thresholds = { ...body.config.thresholds, [category]: threshold };
        return { change: "threshold", ...suggestion, body: { ...body, config: { ...body.config, thresholds } } };
      });
    }
    case "agent":
      return examplesFor({ name, body }, actor, services);
    case "http":
      return [];
  }
}

/** Of the version that counts, what was labelled as right or wrong. */
async function labelledOf(name: string, version: number, { tenantId }: Actor, { near }: Services) {
  const store = new DecisionStore(near.db);
  const found = await Promise.all(
    (["wrong", "right"] as const).map(async (label) => {
      const decisions = await store.list(tenantId, { supervisor: name, label }, undefined, mostOfLabel);
      return decisions.flatMap((one: Decision) => (one.version === version ? [{ ...one, label }] : []));
    }),
  );
  return found.flat();
}

type AgentBody = Extract<Stored["body"], { kind: "agent" }>;

async function examplesFor(
  { name, body }: { readonly name: string; readonly body: AgentBody },
  actor: Actor,
  services: Services,
): Promise<Suggestion[]> {
  const reviews = await answeredReviews(actor.tenantId, { supervisor: name }, services);
  const edited = reviews.flatMap((one) =>
    one.decision === "edit" && one.content !== undefined && one.content !== one.before
      ? [{ ...one, after: one.content }]
      : [],
  );
  const found = suggestExamples(body.config.instructions, edited);
  if (found === undefined) return [];
  await recordRead(actor, services, { type: "originals.read", ownerId: `supervisors/${name}`, subject: {} });
  const { instructions, drawn, held } = found;
  const lines = held.slice(0, mostLines).map(({ sessionId, turnId, hook, ...review }) => ({
    ...{ hook, input: { sessionId, turnId }, group: sessionId, expected: expectedOfReview(review, review) },
  }));
  return [
    {
      change: "examples",
      ...{ drawn: { right: 0, wrong: drawn.length }, held: { right: 0, wrong: held.length }, lines },
      summary: `${drawn.length} texts that people edited, as examples; hold it against ${held.length} others, which are in lines`,
      ...defined({ body: supervisorSchema.safeParse({ ...body, config: { ...body.config, instructions } }).data }),
    },
  ];
}

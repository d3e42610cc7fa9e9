/** What labels suggest of a stored supervisor: each suggestion a body to be stored, and none in force by itself. */
import { z } from "zod";
import { itemName } from "../../conversation/names.js";
import { DecisionStore } from "../../stores/decision-store.js";
import { supervisorSchema } from "../../supervision/kinds/table.js";
import { type LabelledDecision, suggestForRules, withSuggestion } from "../../supervision/suggestions.js";
import { lazily } from "../../text/lazily.js";
import { act } from "../act.js";
import { noResource } from "../resources/read-resource.js";

/** Decisions of each label that are looked at, the newest first. */
const mostOfLabel = 1_000;

const counts = lazily(() => z.object({ right: z.int(), wrong: z.int() }));

export const suggestionsSchema = lazily(() =>
  z.object({
    supervisor: z.string(),
    version: z.int(),
    items: z.array(
      z.object({
        rule: z.string(),
        change: z.enum(["remove", "review"]),
        drawn: counts(),
        held: counts(),
        summary: z.string(),
        /** For `PUT /v1/supervisors/{name}`; absent where no rule would be left. */
        body: supervisorSchema.optional(),
      }),
    ),
  }),
);

export const suggestChanges = act("suggestChanges", {
  role: "operator",
  route: {
    method: "get",
    path: "/v1/supervisors/{name}/suggestions",
    tag: "Decisions",
    summary: "What labels suggest of a supervisor's rules (operators)",
    description:
      "Computed when it is asked for, of what people labelled of the version that counts now, and in force nowhere. A rule that was mostly wrong is left out, or leaves the decision to a person where it was right, too. Each suggestion is drawn from one half of the labelled decisions (`drawn`) and held against the other (`held`).",
    answer: "The suggestions, each with a body to be stored",
  },
  input: () => z.object({ name: itemName }),
  output: () => suggestionsSchema(),
  run: async ({ tenantId }, { name }, { near }) => {
    const stored = await near.resources.get(tenantId, "supervisors", name);
    if (stored === undefined) throw noResource("supervisors", name);
    const { body, version } = stored;
    if (body.kind !== "rules") return { supervisor: name, version, items: [] };
    const store = new DecisionStore(near.db);
    const found = await Promise.all(
      (["wrong", "right"] as const).map(async (label): Promise<LabelledDecision[]> => {
        const decisions = await store.list(tenantId, { supervisor: name, label }, undefined, mostOfLabel);
        return decisions.flatMap(({ decisionId, rules, version: of }) =>
          of === version && rules !== undefined ? [{ decisionId, label, rules }] : [],
        );
      }),
    );
    const { rules } = body.config;
    const items = suggestForRules(rules, found.flat()).map((suggestion) => {
      const changed = withSuggestion(rules, suggestion);
      return { ...suggestion, ...(changed && { body: { ...body, config: { ...body.config, rules: changed } } }) };
    });
    return { supervisor: name, version, items };
  },
});

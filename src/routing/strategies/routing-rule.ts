/** Routing rules as a team stores them. */
import { z } from "zod";
import { itemName } from "../../conversation/names.js";
import { compilePattern } from "../../supervision/rules/patterns.js";

const pattern = z
  .string()
  .min(1)
  .max(1_000)
  .superRefine((source, context) => {
    try {
      compilePattern(source, "i");
    } catch (error) {
      context.addIssue({ code: "custom", message: error instanceof Error ? error.message : "it can't be read" });
    }
  });

const conditionSchema = z.strictObject({
  /** Any of these phrases stands in the input, whatever the case. */
  contains: z.array(z.string().min(1).max(500)).min(1).max(100).optional(),
  /** In RE2 syntax, whatever the case. */
  pattern: pattern.optional(),
  /** The run's metadata has these values. */
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  /** An earlier result of this run is such. */
  result: z
    .strictObject({
      worker: itemName.optional(),
      status: z.enum(["completed", "failed"]).optional(),
      contains: z.string().min(1).max(500).optional(),
    })
    .optional(),
});

export const routingRuleSchema = z.strictObject({
  /** All that is given has to hold; nothing given always holds, before there are results. */
  when: conditionSchema.default({}),
  to: z.union([itemName, z.array(itemName).min(1).max(20)]),
  reasoning: z.string().max(1_000).optional(),
  confidence: z.number().min(0).max(1).default(1),
});
export type RoutingRule = z.infer<typeof routingRuleSchema>;

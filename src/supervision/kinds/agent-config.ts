import { z } from "zod";
import { modelChoice } from "../../agent/definition.js";
import { builtInServer } from "../../agent/tools.js";
import { itemName, toolRefSchema } from "../../conversation/names.js";
import { contextToolNames } from "../tools/context-tools.js";
import { decisionNames } from "../tools/decision-tools.js";
import { hooks } from "../verdict.js";

const decisions = hooks.flatMap((hook) => decisionNames(hook, "full_control"));
const givenTools = [...new Set([...decisions, ...contextToolNames])].filter(
  (name) => name !== "allow_message" && name !== "block_message",
);

export const agentConfigSchema = z.strictObject({
  model: modelChoice,
  instructions: z.string().min(1).max(50_000),
  temperature: z.number().min(0).max(2).optional(),
  /** The only reasons it may give, word for word: then nothing that it writes itself is read by anybody. */
  reasons: z.array(z.string().min(1).max(2_000)).min(1).max(50).optional(),
  /** The tools it is given besides allow_message and block_message; left out: all that its permissions allow. */
  tools: z.array(z.enum(givenTools)).max(givenTools.length).optional(),
  /** Stored tools that it may call before it decides; none of the system's own, which ask people or belong to a session. */
  ownTools: z
    .array(toolRefSchema.refine(({ server }) => server !== builtInServer, "a supervisor holds no built-in tools"))
    .max(50)
    .optional(),
  /** What it is given to read beside the text, as data. */
  references: z.array(itemName).max(50).optional(),
  /** Rounds in which it may look around before it has to decide. */
  maxToolRounds: z.int().min(0).max(20).optional(),
});

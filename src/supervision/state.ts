import { z } from "zod";
import type { ContextChange } from "./environment.js";
import { subjectSchema } from "./subject.js";
import { actions, hooks } from "./verdict.js";

const toolRefSchema = z.object({ server: z.string(), tool: z.string() });

export const contextChangesSchema = z.object({
  addedRules: z.array(z.string()),
  removedRules: z.array(z.string()),
  addedReferences: z.array(z.string()),
  removedReferences: z.array(z.string()),
  addedTools: z.array(toolRefSchema),
  removedTools: z.array(toolRefSchema),
});
export type ContextChanges = z.infer<typeof contextChangesSchema>;

/** The changes of a pass in the seed's form. A tool server stands as a tool named `*`. */
export function changesOf(changes: readonly ContextChange[]): ContextChanges {
  const names = (act: ContextChange["act"], kind: ContextChange["kind"]): string[] =>
    changes.flatMap((change) => (change.act === act && change.kind === kind ? [change.name] : []));
  const tools = (act: ContextChange["act"]) => [
    ...names(act, "tools").map((name) => {
      const [server = "", ...tool] = name.split("/");
      return { server, tool: tool.join("/") };
    }),
    ...names(act, "toolServers").map((server) => ({ server, tool: "*" })),
  ];
  return {
    addedRules: names("include", "rules"),
    removedRules: names("exclude", "rules"),
    addedReferences: names("include", "references"),
    removedReferences: names("exclude", "references"),
    addedTools: tools("include"),
    removedTools: tools("exclude"),
  };
}

export const supervisionStepSchema = z.object({
  supervisor: z.string(),
  action: z.enum(actions),
  reasons: z.array(z.string()),
  /** Hashes of the supervised text before and after this supervisor: equal unless it changed something. */
  beforeHash: z.string(),
  afterHash: z.string(),
  latencyMs: z.number(),
  mode: z.enum(["enforce", "shadow"]),
  /** Tokens of its model, where it has one. */
  usage: z.object({ inputTokens: z.number(), outputTokens: z.number() }).optional(),
  /** What went wrong, when this is the outcome of a failure. */
  failed: z.string().optional(),
});
export type SupervisionStep = z.infer<typeof supervisionStepSchema>;

/** What one pass of all supervisors over one subject came to: the seed's SupervisionState, with its record. */
export const supervisionStateSchema = z.object({
  hook: z.enum(hooks),
  decision: z.enum(actions),
  reasons: z.array(z.string()),
  contextChanges: contextChangesSchema,
  steps: z.array(supervisionStepSchema),
  /** Names of supervisors whose failure let the subject through. */
  degraded: z.array(z.string()),
});
export type SupervisionState = z.infer<typeof supervisionStateSchema>;

export const passResultSchema = z.object({ state: supervisionStateSchema, subject: subjectSchema });

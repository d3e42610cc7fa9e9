/** The kinds of resources a tenant has. A new kind is a line here. */
import { z } from "zod";
import { agentSchema, storedToolSchema } from "../agent/definition.js";
import { contextItemSchema } from "../chat/context.js";
import { promptSchema } from "../memory/prompts.js";
import { type Panel, panelSchema } from "../roundtable/panel.js";
import { type Team, teamSchema } from "../routing/team.js";
import { supervisorSchema } from "../supervision/definition.js";

interface ResourceBodies {
  agents: z.infer<typeof agentSchema>;
  supervisors: z.infer<typeof supervisorSchema>;
  rules: z.infer<typeof contextItemSchema>;
  references: z.infer<typeof contextItemSchema>;
  tools: z.infer<typeof storedToolSchema>;
  prompts: z.infer<typeof promptSchema>;
  teams: Team;
  panels: Panel;
}
export type ResourceKind = keyof ResourceBodies;
export type ResourceBody<K extends ResourceKind> = ResourceBodies[K];

export const resourceKinds = [
  "agents",
  "supervisors",
  "rules",
  "references",
  "tools",
  "prompts",
  "teams",
  "panels",
] as const satisfies ResourceKind[];

/** What one resource of a kind is called. */
export const resourceNouns: Readonly<Record<ResourceKind, string>> = {
  agents: "agent",
  supervisors: "supervisor",
  rules: "rule",
  references: "reference",
  tools: "tool",
  prompts: "prompt",
  teams: "team",
  panels: "panel",
};

export const resourceSchemas: { readonly [K in ResourceKind]: z.ZodType<ResourceBody<K>> } = {
  agents: agentSchema,
  supervisors: supervisorSchema,
  rules: contextItemSchema,
  references: contextItemSchema,
  tools: storedToolSchema,
  prompts: promptSchema,
  teams: teamSchema,
  panels: panelSchema,
};

/** One version of a resource; immutable. */
export interface ResourceVersion<K extends ResourceKind = ResourceKind> {
  readonly kind: K;
  readonly name: string;
  readonly version: number;
  readonly body: ResourceBody<K>;
}

/** Whether a version is of this kind: its body was read by the kind's schema when it was loaded. */
export function isOfKind<K extends ResourceKind>(kind: K, version: ResourceVersion): version is ResourceVersion<K> {
  return version.kind === kind;
}

export const resourcePinSchema = z.object({ kind: z.enum(resourceKinds), name: z.string(), version: z.int() });
/** Which version of which resource. */
export type ResourcePin = z.infer<typeof resourcePinSchema>;

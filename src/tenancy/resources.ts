/** The kinds of resources a tenant has. A new kind is a line here. */
import { z } from "zod";
import { agentSchema, storedToolSchema } from "../agent/definition.js";
import { contextItemSchema } from "../chat/context.js";
import { promptSchema } from "../memory/prompts.js";
import { panelSchema } from "../roundtable/panel.js";
import { teamSchema } from "../routing/team.js";
import { supervisorSchema } from "../supervision/kinds/table.js";

const schemas = {
  agents: agentSchema,
  supervisors: supervisorSchema,
  rules: contextItemSchema,
  references: contextItemSchema,
  tools: storedToolSchema,
  prompts: promptSchema,
  teams: teamSchema,
  panels: panelSchema,
};
export type ResourceKind = keyof typeof schemas;
type ResourceBodies = { [K in ResourceKind]: z.infer<(typeof schemas)[K]> };
export type ResourceBody<K extends ResourceKind> = ResourceBodies[K];

export const resourceKinds = z.object(schemas).keyof().options;

export const resourceSchemas: { readonly [K in ResourceKind]: z.ZodType<ResourceBody<K>> } = schemas;

/** What one resource of a kind is called. */
export function resourceNoun(kind: ResourceKind): string {
  return kind.slice(0, -1);
}

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

/** The kinds of supervisors: one line each. What tenants may store and how it is built read this table. */
import { z } from "zod";
import { defined } from "../../conversation/defined.js";
import { condition } from "../condition.js";
import type { Health, Supervisor } from "../supervisor.js";
import { agentKind } from "./agent.js";
import { httpKind } from "./http.js";
import type { KindPorts, SupervisorKind } from "./kind.js";
import { moderationKind } from "./moderation.js";
import { rulesKind } from "./rules.js";

const supervisorKinds = {
  rules: rulesKind,
  agent: agentKind,
  http: httpKind,
  moderation: moderationKind,
};

type Kinds = typeof supervisorKinds;
type KindName = keyof Kinds;
/** What the schema of each kind accepts; a kind whose schema has another `kind` than its name here does not compile. */
type DefinitionOf<Name extends KindName> = { [K in Name]: z.infer<Kinds[K]["schema"]> & { kind: K } }[Name];

// A union wants to see that it has a member; it is the first one.
const { rules, ...others } = supervisorKinds;
export const supervisorSchema = z.discriminatedUnion("kind", [
  rules.schema,
  ...Object.values(others).map(({ schema }) => schema),
]);
export type SupervisorDefinition = DefinitionOf<KindName>;

const kinds: { [K in KindName]: Omit<SupervisorKind<z.ZodType<DefinitionOf<K>>>, "schema"> } = supervisorKinds;

/** Whether it can be in doubt about a text, so that others may be asked for a second look. */
export function hasDoubts<K extends KindName>({ kind, config }: DefinitionOf<K>): boolean {
  return kinds[kind].hasDoubts?.(config) === true;
}

/** The models that a supervisor calls. */
export function modelsOf<K extends KindName>({ kind, config }: DefinitionOf<K>): string | readonly string[] {
  return kinds[kind].models?.(config) ?? [];
}

/** @param health counts the failures of one that isn't pure */
export function buildSupervisor<K extends KindName>(
  name: string,
  definition: DefinitionOf<K>,
  ports: KindPorts,
  health?: Health,
): Supervisor {
  const { hooks, order, mode, review, clientMessage, when, permissions, config } = definition;
  const kind = kinds[definition.kind];
  const settings = {
    name,
    order,
    mode,
    health,
    config,
    hooks: new Set(hooks),
    onFailure: definition.onFailure ?? kind.onFailure,
    timeoutMs: definition.timeoutMs ?? kind.timeoutMs,
    permission: permissions ?? "modify_messages",
  };
  const { openStream, ...supervisor } = { ...kind.build(settings, ports), review, clientMessage };
  const whenAsked = when === undefined ? undefined : condition(name, when);
  // Whether a text is long enough, or holds the pattern, shows at its end.
  const streams = openStream !== undefined && whenAsked?.needsText !== true;
  return { ...supervisor, condition: whenAsked, ...defined({ openStream: streams ? openStream : undefined }) };
}

/** Supervisors as a tenant stores them: what all kinds share, and each kind's own config. */
import { z } from "zod";
import { condition, conditionSchema } from "./condition.js";
import { type AgentSupervisorPorts, agentSupervisor } from "./kinds/agent.js";
import { agentConfigSchema } from "./kinds/agent-config.js";
import { type HttpSupervisorPorts, httpConfigSchema, httpSupervisor } from "./kinds/http.js";
import { type ModerationPorts, moderationConfigSchema, moderationSupervisor } from "./kinds/moderation.js";
import { rulesModify, rulesSupervisor } from "./kinds/rules.js";
import { rulesConfigSchema } from "./rules/config.js";
import { type Health, mayModifyMessages, type Supervisor, supervisorSettingsSchema } from "./supervisor.js";

export const supervisorSchema = z.discriminatedUnion("kind", [
  supervisorSettingsSchema.extend({
    kind: z.literal("rules"),
    config: rulesConfigSchema,
    when: conditionSchema
      .refine(({ inDoubt }) => inDoubt === undefined, {
        path: ["inDoubt"],
        message: "a second look is for kinds agent, http and moderation: rules look at everything, for free",
      })
      .optional(),
  }),
  supervisorSettingsSchema.extend({ kind: z.literal("agent"), config: agentConfigSchema }),
  supervisorSettingsSchema.extend({ kind: z.literal("http"), config: httpConfigSchema }),
  supervisorSettingsSchema.extend({ kind: z.literal("moderation"), config: moderationConfigSchema }),
]);
export type SupervisorDefinition = z.infer<typeof supervisorSchema>;

/** Whether it can be in doubt about a text, so that others may be asked for a second look. */
export function hasDoubts(definition: SupervisorDefinition): boolean {
  return (
    definition.kind === "rules" &&
    definition.config.rules.some(({ match }) => match.type === "injection" && match.signs !== "data")
  );
}

/** What the kinds need that reach out: a model, a network. */
export interface SupervisorPorts {
  readonly agent: AgentSupervisorPorts;
  readonly http: HttpSupervisorPorts;
  readonly moderation: ModerationPorts;
  readonly health?: Health;
}

/** How long one judgement may take, where the settings say nothing; in milliseconds. */
const defaultTimeoutMs = { agent: 30_000, http: 10_000, moderation: 10_000 } as const;

export function buildSupervisor(name: string, definition: SupervisorDefinition, ports: SupervisorPorts): Supervisor {
  const { review, clientMessage, when } = definition;
  const { openStream, ...supervisor } = { ...supervisorOfKind(name, definition, ports), review, clientMessage };
  const asked = when === undefined ? undefined : condition(name, when);
  // Whether a text is long enough, or holds the pattern, shows at its end.
  const streams = openStream !== undefined && asked?.needsText !== true;
  return { ...supervisor, condition: asked, ...(streams ? { openStream } : {}) };
}

function supervisorOfKind(name: string, definition: SupervisorDefinition, ports: SupervisorPorts): Supervisor {
  const { hooks, order, mode } = definition;
  const permission = definition.permissions ?? "modify_messages";
  if (definition.kind === "rules") {
    return rulesSupervisor({
      name,
      hooks,
      order,
      mode,
      config: definition.config,
      // Nothing in it can fail but a fault of ours: then nothing passes, unless the tenant says otherwise.
      onFailure: definition.onFailure ?? "block",
      mayModify: rulesModify(definition.config) && mayModifyMessages(permission),
    });
  }
  const settings = {
    name,
    hooks: new Set(hooks),
    order,
    mode,
    // The seed's default: a conversation outlives its supervisor's failure, which the reply and an event tell of.
    onFailure: definition.onFailure ?? "allow",
    timeoutMs: definition.timeoutMs ?? defaultTimeoutMs[definition.kind],
    ...(ports.health === undefined ? {} : { health: ports.health }),
    permission,
  };
  switch (definition.kind) {
    case "agent":
      return agentSupervisor({ ...settings, config: definition.config }, ports.agent);
    case "http":
      return httpSupervisor({ ...settings, config: definition.config }, ports.http);
    case "moderation":
      return moderationSupervisor({ ...settings, config: definition.config }, ports.moderation);
  }
}

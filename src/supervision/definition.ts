/** Supervisors as a tenant stores them: what all kinds share, and each kind's own config. */
import { z } from "zod";
import { rulesModify, rulesSupervisor } from "./kinds/rules.js";
import { rulesConfigSchema } from "./rules/config.js";
import { mayModifyMessages, type Supervisor, supervisorSettingsSchema } from "./supervisor.js";

export const supervisorSchema = z.discriminatedUnion("kind", [
  supervisorSettingsSchema.extend({ kind: z.literal("rules"), config: rulesConfigSchema }),
]);
export type SupervisorDefinition = z.infer<typeof supervisorSchema>;

export function buildSupervisor(name: string, definition: SupervisorDefinition): Supervisor {
  const { hooks, order, mode, config } = definition;
  return rulesSupervisor({
    name,
    hooks,
    order,
    mode,
    config,
    // Nothing in it can fail but a fault of ours: then nothing passes, unless the tenant says otherwise.
    onFailure: definition.onFailure ?? "block",
    mayModify: rulesModify(config) && mayModifyMessages(definition.permissions ?? "modify_messages"),
  });
}

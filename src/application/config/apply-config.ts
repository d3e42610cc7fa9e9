/** Make a tenant's configuration what somebody writes: all of it in one transaction, or nothing. */
import { z } from "zod";
import { recordOf } from "../../conversation/actor-record.js";
import { type ProblemIssue, problem } from "../../conversation/problem.js";
import type { WorkClaim } from "../../stores/work-claims.js";
import type { Actor } from "../../tenancy/actor.js";
import { readJson } from "../../text/json.js";
import { lazily } from "../../text/lazily.js";
import { act } from "../act.js";
import { doOnce } from "../creation.js";
import { removeConversations } from "../removal.js";
import { pinAsStored } from "../resources/pin-tools.js";
import type { Services } from "../services.js";
import {
  type Config,
  type ConfigPlan,
  configPlanSchema,
  configSchema,
  documentedConfig,
  hasMoved,
  type PreparedConfig,
  prepareConfig,
} from "./config-plan.js";

export const applyConfig = act("applyConfig", {
  role: "operator",
  route: {
    method: "post",
    path: "/v1/config/apply",
    tag: "Configuration",
    summary: "Make the configuration what the body says, all of it or nothing (operators; settings and limits: admins)",
    description:
      "What a body names may come in the same body. With `prune` resources that aren't named are deleted; it needs `expectRevision`, so that only what a plan named is.",
    body: "config",
    bodyShape: documentedConfig,
    answer: "What was changed, and the revision since",
  },
  input: () => z.object({ config: configSchema() }),
  output: () => configPlanSchema,
  run: async (actor, { config }, services): Promise<ConfigPlan> => {
    if (config.prune && config.expectRevision === undefined) {
      throw problem("invalid", "To prune, say the revision of the plan that named what is deleted.", {
        errors: [{ path: "expectRevision", message: "it is missing: the plan's revision" }],
      });
    }
    const again = async (note: string): Promise<AppliedConfig> => appliedSchema().parse(readJson(note).value);
    const done = await doOnce(actor, services, (claim) => store(actor, config, services, claim), again);
    await removeChannels(actor, done.removedChannels, services);
    const pinned = await pinServers(actor, done, services);
    const revision = (await services.tenants.revision(actor.tenantId)) ?? done.revision;
    const { removedChannels: _, ...plan } = done;
    return { ...plan, revision, warnings: [...plan.warnings, ...pinned] };
  },
});

/** Done, with the channels whose conversations still have to go. */
const appliedSchema = lazily(() => configPlanSchema.extend({ removedChannels: z.array(z.string()).default([]) }));
type AppliedConfig = z.infer<ReturnType<typeof appliedSchema>>;

/** Whoever changes something meanwhile is not overwritten unseen: what would change is found anew. */
const tries = 5;

async function store(
  actor: Actor,
  config: Config,
  services: Services,
  of: WorkClaim | undefined,
): Promise<AppliedConfig> {
  for (let left = tries; left > 0; left--) {
    const { plan, changes } = await prepareConfig(actor, config, services);
    const applied = { ...plan, removedChannels: changes.unversioned.flatMap(({ channelId = [] }) => channelId) };
    if (isNothing(changes)) return applied;
    const claim = { of, note: JSON.stringify(applied) };
    if (await services.config.apply(actor.tenantId, plan.revision, changes, recordOf(actor), claim)) return applied;
  }
  throw hasMoved((await services.tenants.revision(actor.tenantId)) ?? 0);
}

function isNothing({ stored, removed, unversioned, settings }: PreparedConfig["changes"]): boolean {
  return [stored, removed, unversioned, Object.keys(settings)].every(({ length }) => length === 0);
}

/** Nothing comes in through them any more; what is interrupted goes on when the request comes again, or with the next one that prunes. */
async function removeChannels({ tenantId }: Actor, channelIds: readonly string[], services: Services): Promise<void> {
  for (const channelId of channelIds) {
    await removeConversations(tenantId, services, channelId);
    await services.channels.remove(tenantId, channelId);
  }
}

/** Remote MCP servers are asked for their tools once they are stored. */
async function pinServers(actor: Actor, { changes }: ConfigPlan, services: Services): Promise<ProblemIssue[]> {
  const tools = changes.filter(({ kind, change }) => kind === "tools" && change !== "delete");
  const warnings = await Promise.all(
    tools.map(async ({ name }) => {
      const stored = await services.resources.get(actor.tenantId, "tools", name);
      if (stored === undefined) return [];
      const { warnings: found = [] } = await pinAsStored(actor, stored, services);
      return found.map(({ path, message }) => ({ path: `resources.tools.${name}.${path}`, message }));
    }),
  );
  return warnings.flat();
}

/** Read what turns and runs have taken and cost: a tenant's, or all tenants'. */
import { defined } from "../../conversation/defined.js";
import { problem } from "../../conversation/problem.js";
import { deploymentScope } from "../../tenancy/actor.js";
import {
  deploymentUsageGroups,
  deploymentUsageQuerySchema,
  mergeUsage,
  type UsageGroup,
  type UsageQuery,
  usageGroups,
  usageQuerySchema,
  usageReportSchema,
} from "../../tenancy/usage.js";
import { act } from "../act.js";
import { everywhere, servicesForAct } from "../home.js";
import type { Services } from "../services.js";

const dayMs = 86_400_000;
const answer = "Up to 1,000 lines, and the sum of all";
const description =
  "Work counts at the time when it ended, once, whatever happened to it on the way; it is there a moment later. What nobody is named for stands under an empty group: a run has no agent but its team, calls that failed have no model. `money` is what calls cost by the prices of that time; `unpriced` are calls that answered and that nobody had said the price of. Hours and days come in their order, everything else by what it cost.";

/** Work that is still under way isn't in it. */
export const readUsage = act("readUsage", {
  role: "admin",
  route: {
    method: "get",
    path: "/v1/usage",
    tag: "A tenant's own administration",
    summary: "Turns, runs, model calls, tokens and money, by agent, model, hour, day, subject, key or status (admins)",
    description,
    answer,
  },
  input: usageQuerySchema,
  output: () => usageReportSchema(usageGroups),
  run: ({ tenantId: tenant }, { groupBy, ...query }, services) => report({ ...query, tenant }, groupBy, services),
});

export const readDeploymentUsage = act("readDeploymentUsage", {
  role: "deployment",
  route: {
    method: "get",
    path: "/v1/admin/usage",
    tag: "Tenants and keys",
    summary: "The same of all tenants, or of one, by tenant too",
    description,
    answer,
  },
  input: deploymentUsageQuerySchema,
  output: () => usageReportSchema(deploymentUsageGroups),
  run: (_actor, { groupBy, ...query }, services) => report(query, groupBy, services),
});

async function report<G extends UsageGroup>({ from, to, ...only }: UsageQuery, groupBy: G, services: Services) {
  const end = to === undefined ? services.now() : Date.parse(to);
  const begin = from === undefined ? end - dayMs : Date.parse(from);
  if (begin > end) {
    throw problem("invalid", "The range ends before it begins.", {
      errors: [{ path: "from", message: "is after to" }],
    });
  }
  const homes =
    only.tenant === undefined
      ? everywhere(services)
      : [servicesForAct(deploymentScope, { tenantId: only.tenant }, services)];
  const reports = await Promise.all(homes.map(({ near }) => near.usage.report(only, { begin, end, groupBy })));
  const { currency, ...lines } = mergeUsage(reports, groupBy);
  const range = { from: new Date(begin).toISOString(), to: new Date(end).toISOString() };
  return { ...range, groupBy, ...defined({ currency }), ...lines };
}

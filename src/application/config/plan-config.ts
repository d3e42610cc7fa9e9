/** Say what would change if a tenant's configuration were as somebody writes it. */

import { z } from "zod";
import { act } from "../act.js";
import { configPlanSchema, configSchema, documentedConfig, prepareConfig } from "./config-plan.js";

export const planConfig = act("planConfig", {
  role: "operator",
  route: {
    method: "post",
    path: "/v1/config/plan",
    tag: "Configuration",
    summary: "What applying a configuration would change; nothing is stored (operators; settings and limits: admins)",
    description:
      "Resources, limits, webhooks and channels by kind and name, each as its PUT takes it, or as its GET gives it. All of it is checked, and every place that is wrong is named at once. `fields` are those that would be others. With `prune` resources that aren't named would be deleted; limits, webhooks and channels where the body names their kind.",
    body: "config",
    bodyShape: documentedConfig,
    answer: "The changes, and the revision at which they hold",
  },
  input: () => z.object({ config: configSchema() }),
  output: () => configPlanSchema,
  run: async (actor, { config }, services) => (await prepareConfig(actor, config, services)).plan,
});

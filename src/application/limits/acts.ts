/** The acts on limits, in the order in which the document lists them. */
import { listLimitEvents } from "./list-events.js";
import { deploymentLimits, tenantLimits } from "./manage-limits.js";
import { raiseDeploymentLimit, raiseLimit } from "./raise-limit.js";
import { readLimitState } from "./read-state.js";

export const limitActs = [
  ...tenantLimits,
  readLimitState,
  raiseLimit,
  listLimitEvents,
  ...deploymentLimits,
  raiseDeploymentLimit,
];

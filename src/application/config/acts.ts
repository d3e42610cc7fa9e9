/** The acts on a tenant's configuration as a whole. */
import { applyConfig } from "./apply-config.js";
import { planConfig } from "./plan-config.js";

export const configActs = [planConfig, applyConfig];

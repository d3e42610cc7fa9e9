/** Every act, family by family: what docs/security.md shows, and what the tests of authority go through. */
import type { Permission } from "../tenancy/acts.js";
import type { AnyAct } from "./act.js";
import { askActs } from "./asks/acts.js";
import { exportAudit } from "./audit/export-audit.js";
import { listAudit } from "./audit/list-audit.js";
import { auditProofActs } from "./audit/prove-audit.js";
import { channelActs } from "./channels/acts.js";
import { configActs } from "./config/acts.js";
import { deliveryActs } from "./deliveries/parked-deliveries.js";
import { followEvents } from "./events/follow-events.js";
import { evidenceActs } from "./evidence/acts.js";
import { grantActs } from "./grants/acts.js";
import { limitActs } from "./limits/acts.js";
import { memoryActs } from "./memory/acts.js";
import { chatActs } from "./openai/acts.js";
import { peopleActs } from "./people/acts.js";
import { priceActs } from "./prices/prices.js";
import { resourceActs } from "./resources/acts.js";
import { ledgerActs, restoreActs } from "./restores/acts.js";
import { roundtableActs } from "./roundtables/acts.js";
import { runActs } from "./runs/acts.js";
import { secretActs } from "./secrets/acts.js";
import { sessionActs } from "./sessions/acts.js";
import { subjectActs } from "./subjects/acts.js";
import { supervisionActs } from "./supervision/acts.js";
import { resealSecrets } from "./system/reseal-secrets.js";
import { runMaintenance } from "./system/run-maintenance.js";
import { tenantActs } from "./tenants/acts.js";
import { readSigningSecret } from "./tenants/read-signing-secret.js";
import { tokenActs } from "./tokens/acts.js";
import { readOverview } from "./usage/read-overview.js";
import { readDeploymentUsage, readUsage } from "./usage/read-usage.js";
import { webhookActs } from "./webhooks/acts.js";

export const acts: readonly (AnyAct | Permission)[] = [
  ...askActs,
  exportAudit,
  listAudit,
  ...auditProofActs,
  ...deliveryActs,
  ...runActs,
  ...sessionActs,
  ...roundtableActs,
  ...restoreActs,
  ...resourceActs,
  ...supervisionActs,
  ...evidenceActs,
  ...configActs,
  ...secretActs,
  ...tokenActs,
  ...subjectActs,
  ...tenantActs,
  ...peopleActs,
  ...grantActs,
  readSigningSecret,
  readOverview,
  readUsage,
  readDeploymentUsage,
  ...priceActs,
  ...limitActs,
  ...memoryActs,
  ...webhookActs,
  ...channelActs,
  ...chatActs,
  followEvents,
  runMaintenance,
  resealSecrets,
  ...ledgerActs,
];

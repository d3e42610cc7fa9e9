/** The HTTP API: the routes of `/v1`, a file for each kind of thing. */
import { askActs } from "../application/asks/acts.js";
import { configActs } from "../application/config/acts.js";
import { deliveryActs } from "../application/deliveries/parked-deliveries.js";
import { grantActs } from "../application/grants/acts.js";
import { peopleActs } from "../application/people/acts.js";
import { priceActs } from "../application/prices/prices.js";
import { ledgerActs, restoreActs } from "../application/restores/acts.js";
import { secretActs } from "../application/secrets/acts.js";
import { supervisionActs } from "../application/supervision/acts.js";
import { resealSecrets } from "../application/system/reseal-secrets.js";
import { tenantActs } from "../application/tenants/acts.js";
import { tokenActs } from "../application/tokens/acts.js";
import { readOverview } from "../application/usage/read-overview.js";
import { readDeploymentUsage, readUsage } from "../application/usage/read-usage.js";
import { webhookActs } from "../application/webhooks/acts.js";
import { routesOf } from "./act-routes.js";
import type { LoadedFace } from "./face.js";
import { audit, auditProof } from "./routes/audit.js";
import { channels } from "./routes/channels.js";
import { evidence } from "./routes/evidence.js";
import { limits } from "./routes/limits.js";
import { memories } from "./routes/memories.js";
import { resources } from "./routes/resources.js";
import { roundtableRecords, roundtables } from "./routes/roundtables.js";
import { runs } from "./routes/runs.js";
import { sessions } from "./routes/sessions.js";
import { subjects } from "./routes/subjects.js";
import { uiChat } from "./routes/ui-chat.js";

export const api: LoadedFace = {
  routes: [
    routesOf(tenantActs),
    routesOf([resealSecrets, ...ledgerActs]),
    routesOf(peopleActs),
    routesOf(grantActs),
    routesOf(tokenActs),
    subjects,
    routesOf([readOverview, readUsage, readDeploymentUsage]),
    routesOf(priceActs),
    limits,
    resources,
    routesOf(supervisionActs),
    evidence,
    routesOf(configActs),
    routesOf(secretActs),
    sessions,
    runs,
    roundtables,
    roundtableRecords,
    routesOf(restoreActs),
    routesOf(askActs),
    routesOf(deliveryActs),
    audit,
    auditProof,
    routesOf(webhookActs),
    channels,
    uiChat,
    memories,
  ],
};

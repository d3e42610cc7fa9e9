/** The HTTP API: the routes of `/v1`, a file for each kind of thing. */
import type { LoadedFace } from "./face.js";
import { admin } from "./routes/admin.js";
import { asks } from "./routes/asks.js";
import { audit } from "./routes/audit.js";
import { channels } from "./routes/channels.js";
import { deliveries } from "./routes/deliveries.js";
import { events } from "./routes/events.js";
import { keys } from "./routes/keys.js";
import { memoryContexts } from "./routes/memory-contexts.js";
import { memoryEntries } from "./routes/memory-entries.js";
import { memoryThreads } from "./routes/memory-threads.js";
import { memoryVaults } from "./routes/memory-vaults.js";
import { messages } from "./routes/messages.js";
import { outgoing } from "./routes/outgoing.js";
import { resources } from "./routes/resources.js";
import { roundtableRecords } from "./routes/roundtable-records.js";
import { roundtables } from "./routes/roundtables.js";
import { runs } from "./routes/runs.js";
import { sessionContext } from "./routes/session-context.js";
import { sessions } from "./routes/sessions.js";
import { tenant } from "./routes/tenant.js";
import { tokens } from "./routes/tokens.js";
import { turns } from "./routes/turns.js";
import { uiChat } from "./routes/ui-chat.js";
import { usage } from "./routes/usage.js";
import { webhooks } from "./routes/webhooks.js";

export const api: LoadedFace = {
  routes: [
    admin,
    tenant,
    keys,
    tokens,
    usage,
    resources,
    outgoing,
    sessions,
    sessionContext,
    turns,
    messages,
    events,
    runs,
    roundtables,
    roundtableRecords,
    asks,
    deliveries,
    audit,
    webhooks,
    channels,
    uiChat,
    memoryVaults,
    memoryThreads,
    memoryEntries,
    memoryContexts,
  ],
};

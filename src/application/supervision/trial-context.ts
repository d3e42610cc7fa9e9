/** What a supervisor under trial finds as the context of a session: everything of the tenant, nothing in force, and no change is made. */
import type { CallOrigin } from "../../agent/call-context.js";
import { transientJournal } from "../../agent/transient-journal.js";
import type { ContextEditor } from "../../supervision/environment.js";
import { SessionContextEditor } from "../context-editor.js";
import { WorkResources } from "../work-resources.js";
import type { SetupSources } from "../work-setup.js";

type TrialSources = Pick<SetupSources, "resources" | "tools" | "remoteTools" | "supervisors">;

export function trialContext(tenantId: string, origin: CallOrigin, sources: TrialSources): ContextEditor {
  const resources = new WorkResources(tenantId, transientJournal, sources, {
    memoryIds: [],
    origin,
    ordersInData: "fence",
  });
  const editor = new SessionContextEditor({
    tenantId,
    store: sources.resources,
    resources,
    inForce: () => ({ rules: [], references: [], tools: [] }),
    changeContext: () => ({ version: 0, changed: true }),
  });
  return {
    list: (kind) => editor.list(kind),
    change: async (change, author, journal) => {
      const outcome = await editor.change(change, author, journal);
      return outcome.ok ? { ...outcome, would: `${change.act} ${change.kind}/${change.name}` } : outcome;
    },
    store: async ({ kind, name, body }) => ({
      ok: true,
      version: 0,
      changed: true,
      would: `${body === undefined ? "delete" : "store"} ${kind}/${name}`,
    }),
  };
}

/** What the system's own tools look up in: a tenant's memories and teams. */
import type { FoundInMemory } from "../agent/built-in/memory-search.js";
import type { Noted } from "../agent/built-in/memory-write.js";
import type { LookUpPorts } from "../agent/built-in-tools.js";
import { ok } from "../conversation/problem.js";
import { newEntrySchema } from "../memory/entry.js";
import { listWorkers } from "../routing/team-agent.js";
import type { TeamState } from "../routing/team-state.js";
import type { ResourceStore } from "../stores/resource-store.js";
import { searchMemory } from "./memory/memory-search.js";
import type { MemoryService } from "./memory/memory-service.js";
import type { MemorySupervision } from "./memory/memory-supervision.js";

/** Entries up to this length are given in full, in characters; longer ones by their summary. */
const longestEntry = 2_000;

export interface LookUpSources {
  readonly memory: MemoryService;
  readonly supervision: Pick<MemorySupervision, "ofRecall" | "ofWrite">;
  readonly resources: ResourceStore;
  readonly teamState: (tenantId: string) => TeamState;
}

export function lookUps(tenantId: string, { memory, supervision, resources, teamState }: LookUpSources): LookUpPorts {
  return {
    async searchMemory(memoryId, query, topEntries): Promise<FoundInMemory | undefined> {
      const found = await memory.memory(tenantId, memoryId);
      if (!found.ok) return undefined;
      const request = { query, topEntries, topContexts: 0, filter: {} };
      const { entries, latestContext } = await searchMemory(found.value, request, memory.ports);
      const texts = entries.map(({ entry }) =>
        entry.rawEntry.length <= longestEntry ? entry.rawEntry : entry.summary,
      );
      const [context = "", ...recalled] = await supervision.ofRecall(found.value, [latestContext.document, ...texts]);
      return {
        context,
        entries: entries.flatMap(({ entry }, at) => {
          const { entryId, role, speaker = role, occurredAt } = entry;
          const text = recalled[at] ?? "";
          return text === "" ? [] : [{ entryId, speaker, occurredAt, text }];
        }),
      };
    },
    async writeMemory(memoryId, text, key): Promise<Noted> {
      const found = await memory.memory(tenantId, memoryId);
      if (!found.ok) return { ok: false, why: "the memory isn't there any more." };
      const idempotencyKey = `agent ${key}`;
      const vouchedBy = { kind: "agent", id: "memory_write" } as const;
      const known = await memory.ports.entries.byKey(found.value, idempotencyKey);
      const written =
        known === undefined
          ? await supervision.ofWrite(found.value, vouchedBy, [{ path: "text", content: text }])
          : ok([known.rawEntry]);
      if (!written.ok && written.problem.code !== "invalid")
        return { ok: false, why: "its supervision isn't possible at present, so nothing is stored." };
      // Why is for operators, in the audit.
      if (!written.ok) return { ok: false, why: "the tenant's supervisors don't let this be stored." };
      const entry = newEntrySchema.parse({ rawEntry: written.value[0] ?? text, role: "assistant" });
      const added = await memory.addEntry(found.value, entry, { idempotencyKey, vouchedBy, request: text });
      return added.ok ? { ok: true } : { ok: false, why: added.problem.detail };
    },
    async listWorkers(team) {
      const found = await resources.get(tenantId, "teams", team);
      return found === undefined ? undefined : listWorkers(team, found.body, teamState(tenantId));
    },
  };
}

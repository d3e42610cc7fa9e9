/** What the system's own tools look up in: a tenant's memories and teams. */
import type { FoundInMemory } from "../agent/built-in/memory-search.js";
import type { LookUpPorts } from "../agent/built-in-tools.js";
import { listWorkers } from "../routing/team-agent.js";
import type { TeamState } from "../routing/team-state.js";
import type { ResourceStore } from "../stores/resource-store.js";
import { searchMemory } from "./memory/memory-search.js";
import type { MemoryService } from "./memory/memory-service.js";

/** Entries up to this length are given in full, in characters; longer ones by their summary. */
const longestEntry = 2_000;

export interface LookUpSources {
  readonly memory: MemoryService;
  readonly resources: ResourceStore;
  readonly teamState: (tenantId: string) => TeamState;
}

export function lookUps(tenantId: string, { memory, resources, teamState }: LookUpSources): LookUpPorts {
  return {
    async searchMemory(memoryId, query, topEntries): Promise<FoundInMemory | undefined> {
      const found = await memory.memory(tenantId, memoryId);
      if (!found.ok) return undefined;
      const request = { query, topEntries, topContexts: 0, filter: {} };
      const { entries, latestContext } = await searchMemory(found.value, request, memory.ports);
      return {
        context: latestContext.document,
        entries: entries.map(({ entry }) => ({
          entryId: entry.entryId,
          speaker: entry.speaker ?? entry.role,
          occurredAt: entry.occurredAt,
          text: entry.rawEntry.length <= longestEntry ? entry.rawEntry : entry.summary,
        })),
      };
    },
    async listWorkers(team) {
      const found = await resources.get(tenantId, "teams", team);
      return found === undefined ? undefined : listWorkers(team, found.body, teamState(tenantId));
    },
  };
}

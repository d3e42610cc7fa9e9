/** What happened in a memory. */
import { act } from "../act.js";
import { type Page, readPage } from "../page.js";
import { findMemory } from "./find-memory.js";

interface EventsInput {
  readonly memoryId: string;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** As a stream of events brings them; by ids alone. */
interface MemoryEvent {
  readonly id: number;
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export const listMemoryEvents = act("listMemoryEvents", {
  role: "client",
  run: async (actor, { memoryId, ...page }: EventsInput, services): Promise<Page<MemoryEvent>> => {
    await findMemory(actor, { memoryId }, services);
    const read = async (after = "0", limit: number): Promise<MemoryEvent[]> => {
      const seen = await services.memory.ports.events.events(actor.tenantId, memoryId, { after: Number(after), limit });
      return seen.map(({ seq, type, data }) => ({ id: seq, event: type, data }));
    };
    return readPage(page, read, ({ id }) => String(id));
  },
});

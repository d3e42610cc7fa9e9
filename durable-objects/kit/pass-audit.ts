/** What an object sends of a pass to its tenant's audit. */
import type { SupervisionState } from "../../src/supervision/state.js";
import { packedForAudit } from "../../src/supervision/stored-state.js";
import type { Outbox } from "./outbox.js";

/** In the write that stores the pass, or where the object says so in a later one. */
export function putAudit(outbox: Pick<Outbox, "put">, work: string, state: SupervisionState, at: number): void {
  const { hook, decision } = state;
  outbox.put("audit", `audit/${work}`, { workId: work, hook, decision, body: packedForAudit(state), at });
}

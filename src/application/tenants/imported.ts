/** What becomes of an item that is imported. */
import type { Actor } from "../../tenancy/actor.js";
import type { Services } from "../services.js";

export interface Taken {
  /** `for_readers`: it is there to be read, and what it tells of comes as an object of its own. */
  readonly outcome: "stored" | "there" | "left_out" | "for_readers";
  /** What has to be looked at. */
  readonly warning?: string | undefined;
}

export interface Into {
  readonly tenantId: string;
  readonly actor: Actor;
  readonly services: Services;
}

/** What was deleted for good in this tenant doesn't come back with a copy of before: the ledger of erasures has it. */
export async function isErased(tenantId: string, id: string, { restores }: Services, item = ""): Promise<boolean> {
  return (await restores.erasuresOf(tenantId, id, item)).length > 0;
}

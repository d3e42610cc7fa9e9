/** What an export is made of, and what becomes of an item that is imported. */
import type { z } from "zod";
import type { CopyKey } from "../../stores/tenant-copy.js";
import type { Actor } from "../../tenancy/actor.js";
import type { Services } from "../services.js";

export type Item = Readonly<Record<string, unknown>> & { readonly kind: string };
export type Row = readonly [CopyKey, Item];
/** Items behind a key; none at the end. */
export type Section = (tenantId: string, after: CopyKey, limit: number, services: Services) => Promise<readonly Row[]>;

export interface Taken {
  /** `for_readers`: it is there to be read, and what it tells of comes as an object of its own. */
  readonly outcome: "stored" | "there" | "left_out" | "for_readers";
  /** What has to be looked at. */
  readonly warning?: string | undefined;
  /** A person who has no way in before somebody invites them. */
  readonly isToInvite?: boolean;
}

export interface Into {
  readonly tenantId: string;
  readonly actor: Actor;
  readonly services: Services;
}

/** Of a kind of item what one is, made into what takes it. */
export type Reader = () => z.ZodType<(into: Into) => Promise<Taken>>;

/** What was deleted for good in this tenant doesn't come back with a copy of before: the ledger of erasures has it. */
export async function isErased(tenantId: string, id: string, { restores }: Services, item = ""): Promise<boolean> {
  return (await restores.erasuresOf(tenantId, id, item)).length > 0;
}

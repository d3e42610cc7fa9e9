/** Debates within a session's turn or a run, by their ids: the id says which object holds it, and that object's id of which kind it is. */

import { ownValue } from "../conversation/own-value.js";
import { type Result, refuse } from "../conversation/problem.js";
import type { DebateRecord } from "../roundtable/debate-record.js";
import { debateOwner } from "../roundtable/nested-record.js";

/** A kind of object in whose work panels debate. */
export interface DebateOwner {
  debate(tenantId: string, ownerId: string, debateId: string): Promise<Result<DebateRecord>>;
}

const noRoundtable = refuse("not_found", "There is no such roundtable.");

export class DebateGateway {
  /** @param owners by the prefix of their ids: `ses`, `run` */
  constructor(private readonly owners: Readonly<Record<string, DebateOwner>>) {}

  async record(tenantId: string, debateId: string): Promise<Result<DebateRecord>> {
    const ownerId = debateOwner(debateId);
    const prefix = ownerId?.slice(0, ownerId.indexOf("_")) ?? "";
    const owner = ownValue(this.owners, prefix);
    return owner === undefined || ownerId === undefined ? noRoundtable : owner.debate(tenantId, ownerId, debateId);
  }
}

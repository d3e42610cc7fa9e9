/** Asks by their ids, wherever they live: an ask's id says which object owns it, and the owner's id says of which kind it is. */
import { type Answerer, type Ask, askOwner } from "../asks/ask.js";
import type { Claimant, Holding } from "../asks/claim.js";
import { ownValue } from "../conversation/own-value.js";
import { type Result, refuse } from "../conversation/problem.js";

/** A kind of object that owns asks. */
export interface AskOwner {
  ask(tenantId: string, ownerId: string, askId: string): Promise<Result<Ask>>;
  answerAsk(
    tenantId: string,
    ownerId: string,
    askId: string,
    answer: unknown,
    answerer: Answerer,
  ): Promise<Result<Ask>>;
  cancelAsk(tenantId: string, ownerId: string, askId: string, answerer: Answerer): Promise<Result<Ask>>;
  holdAsk(tenantId: string, ownerId: string, askId: string, claimant: Claimant, holding: Holding): Promise<Result<Ask>>;
}

const noAsk = refuse("not_found", "There is no such ask.");

export class AskGateway {
  /** @param owners by the prefix of their ids: `ses`, `run` … */
  constructor(private readonly owners: Readonly<Record<string, AskOwner>>) {}

  get(tenantId: string, askId: string): Promise<Result<Ask>> {
    return this.at(askId, (owner, ownerId) => owner.ask(tenantId, ownerId, askId));
  }

  answer(tenantId: string, askId: string, answer: unknown, answerer: Answerer): Promise<Result<Ask>> {
    return this.at(askId, (owner, ownerId) => owner.answerAsk(tenantId, ownerId, askId, answer, answerer));
  }

  cancel(tenantId: string, askId: string, answerer: Answerer): Promise<Result<Ask>> {
    return this.at(askId, (owner, ownerId) => owner.cancelAsk(tenantId, ownerId, askId, answerer));
  }

  hold(tenantId: string, askId: string, claimant: Claimant, holding: Holding): Promise<Result<Ask>> {
    return this.at(askId, (owner, ownerId) => owner.holdAsk(tenantId, ownerId, askId, claimant, holding));
  }

  private async at(
    askId: string,
    act: (owner: AskOwner, ownerId: string) => Promise<Result<Ask>>,
  ): Promise<Result<Ask>> {
    const ownerId = askOwner(askId);
    const prefix = ownerId?.slice(0, ownerId.indexOf("_")) ?? "";
    const owner = ownValue(this.owners, prefix);
    return owner === undefined || ownerId === undefined ? noAsk : act(owner, ownerId);
  }
}

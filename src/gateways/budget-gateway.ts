/** Calls of tenants' budgets. An object that doesn't answer refuses: what nobody counted is not let through. */

import { problem, type Result } from "../conversation/problem.js";
import { withDeadline } from "../platform/clock.js";
import { describeError, log } from "../platform/logging.js";
import type { Demand } from "../tenancy/limits/demand.js";
import type { Settlement } from "../tenancy/limits/grants.js";
import type { LimitState } from "../tenancy/limits/limit.js";
import { loaded } from "../text/lazily.js";
import type { Taking } from "./budget-messages.js";
import type { PlacedObjects } from "./placement.js";
import { toWire, type Wire } from "./wire.js";

export interface BudgetObject {
  take(tenantId: string, taking: Wire<Taking>): Promise<Wire<Result<null>>>;
  settle(settlements: Wire<readonly Settlement[]>): Promise<void>;
  state(tenantId: string, demand: Wire<Demand>): Promise<Wire<LimitState>>;
  remove(): Promise<void>;
}

/** How long an answer is waited for, in milliseconds; and after how long somebody tries again, in seconds. */
const answerMs = 2_000;
const retryAfterSeconds = 5;

const messages = loaded(() => import("./budget-messages.js"));

export class BudgetGateway {
  constructor(private readonly objects: PlacedObjects<BudgetObject>) {}

  /**
   * Takes all that is demanded, or nothing: what has no room is refused.
   * @throws {ProblemError} `limits_unavailable` where the object doesn't answer
   */
  take(tenantId: string, taking: Taking): Promise<Result<null>> {
    return this.within(tenantId, async () => {
      const { takenSchema } = await messages();
      return this.objects.read([tenantId], takenSchema(), (object) => object.take(tenantId, toWire(taking)));
    });
  }

  /** Can be repeated. */
  settle(tenantId: string, settlements: readonly Settlement[]): Promise<void> {
    return this.objects.call([tenantId], (object) => object.settle(toWire(settlements)));
  }

  state(tenantId: string, demand: Demand): Promise<LimitState> {
    return this.within(tenantId, async () => {
      const { stateSchema } = await messages();
      return this.objects.read([tenantId], stateSchema(), (object) => object.state(tenantId, toWire(demand)));
    });
  }

  remove(tenantId: string): Promise<void> {
    return this.objects.call([tenantId], (object) => object.remove());
  }

  private async within<T>(tenantId: string, call: () => Promise<T>): Promise<T> {
    try {
      return await withDeadline(answerMs, call);
    } catch (error) {
      log("error", "limits.unavailable", { tenantId, ...describeError(error) });
      throw problem(
        "limits_unavailable",
        "The tenant's limits can't be read now, so nothing is let through. Try again.",
        { retryAfterSeconds, userMessage: "This is not available at the moment. Please try again in a few seconds." },
      );
    }
  }
}

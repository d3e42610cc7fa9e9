/** Tokens that calls of models share: whatever comes of them, all together never take more than there are. */
import { type CallBudget, defaultMaxOutputTokens } from "./call-budget.js";

export class TokenPool {
  private taken = 0;

  /** @param tokens that there are */
  constructor(private readonly tokens: number) {}

  /** What was taken so far, with what calls under way may come to. */
  get spent(): number {
    return this.taken;
  }

  /**
   * @param refused a call has no room any more: what it takes
   * @param within what calls are held against besides, such as their tenant's limits
   */
  budget(refused: (tokens: number) => void, within?: CallBudget): CallBudget {
    return {
      maxOutputTokens: defaultMaxOutputTokens,
      reserve: async (call) => {
        const most = call.inputTokens + call.maxOutputTokens;
        if (this.taken + most > this.tokens) {
          refused(most);
          return {
            code: "limit_reached",
            refused: `its call may take ${most} tokens, and ${this.tokens - this.taken} are left`,
          };
        }
        this.taken += most;
        const reserved = await within?.reserve(call);
        if (reserved !== undefined && "refused" in reserved) {
          this.taken -= most;
          return reserved;
        }
        return {
          settle: (taken) => {
            const used = taken === undefined ? 0 : taken.usage.inputTokens + taken.usage.outputTokens;
            this.taken += used - most;
            reserved?.settle(taken);
          },
        };
      },
    };
  }
}

/**
 * Routing by turns: each decision of the team goes to the next worker that can work.
 * @decides each in turn, over all runs of the team
 * @state atomic in D1
 */
import type { Strategy } from "./strategy.js";

export const roundRobin: Strategy<"round-robin"> = {
  name: "round-robin",
  execution: "step",
  async decide({ live }, { teamKey, state, decisionId }) {
    const turn = await state.nextTurn(teamKey, decisionId);
    const worker = live[turn % live.length];
    return worker === undefined
      ? { kind: "none", why: "no worker is available" }
      : { kind: "route", choice: { targets: [worker.id], reasoning: `Turn ${turn + 1} of the team.`, confidence: 1 } };
  },
};

/**
 * Routing by load: the worker with the fewest tasks over all runs of the team, the first among equals.
 * @decides the least busy; a claim is released when the worker is done, when the run ends however it ends, or after an hour
 * @state atomic in D1
 */
import type { Strategy } from "./strategy.js";

export const loadBalanced: Strategy<"load-balanced"> = {
  name: "load-balanced",
  execution: "step",
  tracksLoad: true,
  async decide({ live }, { teamKey, state, claim }) {
    const ids = live.map(({ id }) => id);
    const { worker, load } = await state.claimLeastBusy(teamKey, ids, claim);
    const reasoning = `The least busy, with ${load} other task${load === 1 ? "" : "s"}.`;
    return { kind: "route", choice: { targets: [worker], reasoning, confidence: 1 } };
  },
};

/** What a round comes to: counted as it ends, and looked at by an analyst, whose word can only keep the debate going. */

import type { Spent } from "../agent/spent.js";
import { analyse } from "./analyst.js";
import { consensusOf } from "./consensus/consensus.js";
import type { NameOf } from "./consensus/movement.js";
import type { Consensus } from "./consensus/schema.js";
import type { RoundRecord } from "./debate.js";
import { modeNamed } from "./modes/table.js";
import type { DebatePorts, LoadedPanel } from "./ports.js";
import { shownName } from "./prompts.js";

/** As the seats know each other. */
export function namesOf({ mode, seats }: Pick<LoadedPanel, "mode" | "seats">): NameOf {
  return (seat) => shownName({ seats, mode: modeNamed(mode) }, seat);
}

/** @param rounds complete rounds, the one in question last */
export function countConsensus(
  rounds: readonly Pick<RoundRecord, "positions">[],
  panel: Pick<LoadedPanel, "mode" | "seats" | "thresholds">,
): Consensus {
  const { role } = modeNamed(panel.mode);
  const stances = panel.seats.map((_, index) => role?.(index, panel.seats.length).stance);
  return consensusOf({
    rounds: rounds.map(({ positions }) => positions),
    stancesAreParts: stances.some((stance) => stance !== undefined && stance !== "required"),
    stableRounds: panel.thresholds.stableRounds,
    nameOf: namesOf(panel),
  });
}

export type Analysed = Pick<Consensus, "analysis" | "analysisError">;

/**
 * Has the last of these rounds analysed. An analysis that fails costs the round nothing.
 * @throws {Parked} while a person reviews what the analyst says.
 */
export async function analyseRound(
  id: string,
  { topic, rounds }: { readonly topic: string; readonly rounds: readonly RoundRecord[] },
  panel: LoadedPanel,
  ports: DebatePorts,
): Promise<{ readonly analysed: Analysed; readonly spent: Spent }> {
  const material = { topic, rounds, requests: ports.book.forSeats(), nameOf: namesOf(panel) };
  const answer = await analyse(id, material, panel, ports);
  const analysed = answer.kind === "answer" ? { analysis: answer.value } : { analysisError: answer.error };
  return { analysed, spent: answer.spent };
}

/** Whether nobody has looked at it yet, in vain or not. */
export function awaitsAnalysis({ consensus }: RoundRecord): boolean {
  return consensus !== undefined && consensus.analysis === undefined && consensus.analysisError === undefined;
}

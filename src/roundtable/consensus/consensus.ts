/** The consensus of a round, as far as it can be counted: the same for the same positions, in whatever order the seats come. */
import { shorten } from "../../text/passages.js";
import type { Position } from "../position.js";
import { agreementLevel, type Held, heldIn, meanConfidence } from "./agreement.js";
import { type Cluster, clustersOf } from "./clusters.js";
import { commonGroundOf, disagreementsOf, nuancesOf } from "./common-ground.js";
import { groupthinkOf } from "./groupthink.js";
import { isStable, movementsOf, type NameOf } from "./movement.js";
import type { Consensus, MinorityView } from "./schema.js";
import { statementsOf } from "./statements.js";

export interface ConsensusInput {
  /** The positions of every complete round, oldest first; the last is the one in question. */
  readonly rounds: readonly (readonly Position[])[];
  /** The seats' parts have stances of their own, as a devil's advocate has. */
  readonly stancesAreParts: boolean;
  /** Over so many rounds nobody may have moved for the debate to be stable. */
  readonly stableRounds: number;
  /** As the seats know each other: pseudonyms where nobody is to be known. */
  readonly nameOf: NameOf;
}

/**
 * @example
 * const consensus = consensusOf({ rounds: [first, second], stancesAreParts: false, stableRounds: 3, nameOf: (seat) => seat });
 * if (consensus.agreementLevel >= 0.9) end();
 */
export function consensusOf({ rounds, stancesAreParts, stableRounds, nameOf }: ConsensusInput): Consensus {
  const held = heldIn(rounds.at(-1) ?? []);
  const before = heldIn(rounds.at(-2) ?? []);
  const level = agreementLevel(held);
  const clusters = clustersOf(held);
  const statements = held.flatMap(statementsOf);
  const movements = movementsOf(before, held, nameOf);
  const confidence = meanConfidence(held);
  const groupthink = groupthinkOf({
    agreementLevel: level,
    held,
    clusters,
    movements,
    confidenceBefore: before.length === 0 ? undefined : meanConfidence(before),
    confidenceNow: confidence,
  });
  return {
    round: held[0]?.round ?? rounds.length,
    agreementLevel: level,
    meanConfidence: confidence,
    stances: countStances(held),
    stancesAreParts,
    summary: summaryOf(held, clusters, nameOf),
    clusters: clusters.map(({ seats, ...cluster }) => ({ ...cluster, seats: [...seats] })),
    commonGround: commonGroundOf(statements, held.length),
    disagreements: disagreementsOf(clusters, statements, stancesAreParts),
    nuances: nuancesOf(clusters, statements),
    minority: minorityOf(clusters, held),
    givenUp: givenUp(before, held, clusters),
    movements: movements.map(({ toward, credits, ...movement }) => ({
      ...movement,
      toward: [...toward],
      credits: [...credits],
    })),
    isStable: isStable(rounds, stableRounds),
    ...(groupthink === undefined ? {} : { groupthink }),
  };
}

function countStances(held: readonly Held[]): Consensus["stances"] {
  const counts = { YES: 0, NO: 0, NEUTRAL: 0, none: 0 };
  for (const { stance } of held) counts[stance ?? "none"] += 1;
  return counts;
}

/** Every view but the largest cluster's. Where several are the largest, none is the majority, and all are shown. */
function minorityOf(clusters: readonly Cluster[], held: readonly Held[]): MinorityView[] {
  const [first, second] = clusters;
  const isTie = first?.seats.length === second?.seats.length;
  return clusters.slice(isTie ? 0 : 1).map((cluster) => viewOf(cluster, held));
}

function viewOf({ seats, stance, position, confidence, spokenFor }: Cluster, held: readonly Held[]): MinorityView {
  return {
    seats: [...seats],
    ...(stance === undefined ? {} : { stance }),
    position,
    reasoning: held.find(({ seat }) => seat === spokenFor)?.reasoning ?? "",
    confidence,
  };
}

/** Views of the round before whose seats all stand elsewhere now. */
function givenUp(before: readonly Held[], now: readonly Held[], clusters: readonly Cluster[]): MinorityView[] {
  return clustersOf(before)
    .filter(({ stance, seats }) => {
      if (stance !== undefined) return !clusters.some((cluster) => cluster.stance === stance);
      return seats.every((seat) => {
        const [then, today] = [before, now].map((round) => round.find((held) => held.seat === seat));
        return (
          then !== undefined &&
          today !== undefined &&
          movementsOf([then], [today], String).some(({ kind }) => kind !== "confidence")
        );
      });
    })
    .map((cluster) => viewOf(cluster, before));
}

const headline = 240;

function summaryOf(held: readonly Held[], clusters: readonly Cluster[], nameOf: NameOf): string {
  const [first, ...others] = clusters;
  if (first === undefined) return "Nobody took a position.";
  const stated = ({ stance, position }: Cluster) =>
    `${stance === undefined ? "" : `${stance}: `}${shorten(position, headline)}`;
  const sure = ({ confidence }: Cluster) => `confidence ${confidence.toFixed(2)}`;
  const names = ({ seats }: Cluster) => seats.map(nameOf).join(", ");
  if (others.length === 0) {
    return `${held.length === 1 ? `${names(first)} alone spoke` : `All ${held.length} are of one view`} (${sure(first)}): ${stated(first)}`;
  }
  const isTie = others[0]?.seats.length === first.seats.length;
  const lead = `${isTie ? "Nobody has a majority." : `${first.seats.length} of ${held.length} are of one view.`}`;
  return [lead, ...clusters.map((cluster) => `${names(cluster)} (${sure(cluster)}): ${stated(cluster)}`)].join("\n");
}

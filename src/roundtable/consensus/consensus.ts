/** The consensus of a round, as far as it can be counted: the same for the same positions, in whatever order the seats come. */
import { defined } from "../../conversation/defined.js";
import { estimatesOf } from "../estimates.js";
import type { Position } from "../position.js";
import {
  agreementLevel,
  type ComparedPosition,
  clustersOf,
  comparedPositions,
  meanConfidence,
  viewsOf,
} from "./agreement.js";
import { commonGroundOf, disagreementsOf, nuancesOf } from "./common-ground.js";
import { groupthinkOf, isNamedIn, isReport, isStable, movementsOf, type NameOf } from "./movement.js";
import type { Cluster, Consensus, MinorityView } from "./schema.js";
import { statementsOf } from "./statements.js";

export interface ConsensusInput {
  /** The positions of every complete round, oldest first; the last is the one in question. */
  readonly rounds: readonly (readonly Position[])[];
  /** The seats' parts have stances of their own, as a devil's advocate has. */
  readonly stancesAreParts: boolean;
  /** It is a survey: figures are estimated. */
  readonly withEstimates?: boolean;
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
export function consensusOf({
  rounds,
  stancesAreParts,
  withEstimates,
  stableRounds,
  nameOf,
}: ConsensusInput): Consensus {
  const held = comparedPositions(rounds.at(-1) ?? []);
  const before = comparedPositions(rounds.at(-2) ?? []);
  const level = agreementLevel(held);
  const clusters = clustersOf(held);
  const statements = held.flatMap(statementsOf);
  // What a seat reports of another it doesn't say itself.
  const names = (seat: string) => held.filter((other) => other.seat !== seat).map((other) => nameOf(other.seat));
  const claims = held
    .flatMap((one) => one.claims.filter(({ terms }) => terms.size >= 2))
    .filter(({ seat, text }) => !isReport(text) || !names(seat).some((name) => isNamedIn(name, text)));
  const movements = movementsOf(before, held, nameOf);
  return {
    round: held[0]?.round ?? rounds.length,
    agreementLevel: level,
    meanConfidence: meanConfidence(held),
    stances: countStances(held),
    ...defined({ estimates: withEstimates === true ? estimatesOf(held) : undefined }),
    stancesAreParts,
    summary: summaryOf(held, clusters, nameOf),
    clusters,
    commonGround: commonGroundOf(claims, statements, held.length),
    disagreements: disagreementsOf(clusters, claims, { stancesAreParts, views: (cluster) => viewsOf(cluster, held) }),
    nuances: nuancesOf(clusters, statements),
    minority: minorityOf(clusters, held),
    givenUp: givenUp(before, held, clusters),
    movements,
    isStable: isStable(rounds, stableRounds),
    ...defined({ groupthink: groupthinkOf(level, held, before, clusters, movements) }),
  };
}

function countStances(held: readonly ComparedPosition[]): Consensus["stances"] {
  const counts = { YES: 0, NO: 0, NEUTRAL: 0, none: 0 };
  for (const { stance } of held) counts[stance ?? "none"] += 1;
  return counts;
}

/** The views of fewer seats than the largest cluster has. Where several are the largest, none of them is a minority. */
function minorityOf(clusters: readonly Cluster[], held: readonly ComparedPosition[]): MinorityView[] {
  const most = clusters[0]?.seats.length ?? 0;
  return clusters.filter(({ seats }) => seats.length < most).flatMap((cluster) => minorityViews(cluster, held));
}

function minorityViews(cluster: Cluster, held: readonly ComparedPosition[]): MinorityView[] {
  return viewsOf(cluster, held).map(({ seats, stance, confidence, spokenFor }) => {
    const speaker = held.find(({ seat }) => seat === spokenFor);
    return {
      seats: [...seats],
      ...defined({ stance }),
      position: speaker?.position ?? "",
      reasoning: speaker?.reasoning ?? "",
      confidence,
    };
  });
}

/** Views of the round before whose seats all stand elsewhere now. */
function givenUp(
  before: readonly ComparedPosition[],
  now: readonly ComparedPosition[],
  clusters: readonly Cluster[],
): MinorityView[] {
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
    .flatMap((cluster) => minorityViews(cluster, before));
}

function summaryOf(held: readonly ComparedPosition[], clusters: readonly Cluster[], nameOf: NameOf): string {
  const [first, ...others] = clusters;
  if (first === undefined) return "Nobody took a position.";
  const stated = ({ stance, position }: Cluster) => `${stance === undefined ? "" : `${stance}: `}${position}`;
  const sure = ({ confidence }: Cluster) => `confidence ${confidence.toFixed(2)}`;
  const names = ({ seats }: Cluster) => seats.map(nameOf).join(", ");
  const views = clusters.flatMap((cluster) => viewsOf(cluster, held));
  if (views.length === 1) {
    return `${held.length === 1 ? `${names(first)} alone spoke` : `All ${held.length} are of one view`} (${sure(first)}): ${stated(first)}`;
  }
  const isTie = others[0]?.seats.length === first.seats.length;
  const lead =
    others.length === 0
      ? `All ${held.length} answer ${first.stance}, in different words.`
      : isTie
        ? "Nobody has a majority."
        : `${first.seats.length} of ${held.length} are of one view.`;
  return [lead, ...views.map((view) => `${names(view)} (${sure(view)}): ${stated(view)}`)].join("\n");
}

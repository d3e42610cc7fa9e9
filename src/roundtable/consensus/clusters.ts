/** Who stands with whom: seats of one stance, and among those without one, seats that say much the same. */
import { likeness } from "../../text/overlap.js";
import type { Stance } from "../position.js";
import { type Held, inOrder, meanConfidence, pairAgreement } from "./agreement.js";

export interface Cluster {
  /** In the order of their ids. */
  readonly seats: readonly string[];
  /** Absent where its seats state none. */
  readonly stance?: Stance;
  /** The one whose words are nearest to those of all the others speaks for it. */
  readonly spokenFor: string;
  readonly position: string;
  readonly confidence: number;
}

/** From which mean agreement on seats without a stance stand together: above what seats have whose figures alone differ. */
const leastAgreement = 0.55;

/** The largest first, then the surest. @param held in the order of `heldIn`. */
export function clustersOf(held: readonly Held[]): Cluster[] {
  const groups = new Map<Stance, Held[]>();
  const free: Held[][] = [];
  for (const one of held) {
    if (one.stance === undefined) free.push([one]);
    else groups.set(one.stance, [...(groups.get(one.stance) ?? []), one]);
  }
  return [...groups.values(), ...joined(free)]
    .map(clusterOf)
    .toSorted(
      (a, b) =>
        b.seats.length - a.seats.length ||
        b.confidence - a.confidence ||
        ((a.seats[0] ?? "") < (b.seats[0] ?? "") ? -1 : 1),
    );
}

/** The two groups that agree most become one, as long as they agree enough. */
function joined(groups: readonly Held[][]): Held[][] {
  let current = [...groups];
  for (;;) {
    let best: { readonly one: Held[]; readonly other: Held[]; readonly agreement: number } | undefined;
    for (const [at, one] of current.entries()) {
      for (const other of current.slice(at + 1)) {
        const agreement = meanAgreement(one, other);
        if (agreement >= leastAgreement && agreement > (best?.agreement ?? 0)) best = { one, other, agreement };
      }
    }
    if (best === undefined) return current;
    const { one, other } = best;
    current = [...current.filter((group) => group !== one && group !== other), inOrder([...one, ...other])].toSorted(
      (a, b) => ((a[0]?.seat ?? "") < (b[0]?.seat ?? "") ? -1 : 1),
    );
  }
}

function meanAgreement(one: readonly Held[], other: readonly Held[]): number {
  const values = one.flatMap((held) => other.map((theirs) => pairAgreement(held, theirs)));
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function clusterOf(members: readonly Held[]): Cluster {
  const nearness = (held: Held): number =>
    members.reduce((sum, other) => (other === held ? sum : sum + likeness(held.terms, other.terms)), 0);
  const [central] = members.toSorted((a, b) => nearness(b) - nearness(a) || b.confidence - a.confidence);
  return {
    seats: members.map(({ seat }) => seat),
    ...(central?.stance === undefined ? {} : { stance: central.stance }),
    spokenFor: central?.seat ?? "",
    position: central?.position ?? "",
    confidence: meanConfidence(members),
  };
}

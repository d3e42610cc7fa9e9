/** What seats are called in what is read of a debate by those who weren't there: pseudonyms where its mode is anonymous. */
import { defined } from "../../conversation/defined.js";
import type { Consensus } from "../consensus/schema.js";
import type { DebateRecord } from "../debate-record.js";
import { modeNamed } from "../modes/table.js";
import { pseudonym } from "../prompts.js";

/** What a seat is called in what is read. */
export function nameIn({ seats }: Pick<DebateRecord, "seats">): (seat: string) => string {
  const names = new Map(seats.map(({ id, name }) => [id, name]));
  return (seat) => names.get(seat) ?? seat;
}

/**
 * The debate with pseudonyms in place of seats, if its mode is anonymous: the ones that the seats have for each other. Who they are, and
 * what their failures say of their models, is left out. Any other debate as it is.
 */
export function withoutNames(debate: DebateRecord): DebateRecord {
  if (modeNamed(debate.mode).anonymous !== true) return debate;
  const pseudonyms = new Map(debate.seats.map(({ id }, index) => [id, pseudonym(index)]));
  const rename = (seat: string): string => pseudonyms.get(seat) ?? "a panelist";
  const all = (seats: readonly string[]): string[] => seats.map(rename);
  return {
    ...debate,
    seats: debate.seats.map(({ id }) => ({ id: rename(id), name: rename(id) })),
    rounds: debate.rounds.map((round) => ({
      ...round,
      positions: round.positions.map((position) => ({ ...position, seat: rename(position.seat) })),
      failures: round.failures.map(({ seat, attempts, reason }) => ({
        seat: rename(seat),
        error: namelessFailure,
        attempts,
        reason,
      })),
      absent: all(round.absent),
      passes: round.passes.map((pass) => ({ ...pass, seats: all(pass.seats) })),
      ...defined({ consensus: round.consensus && renamedConsensus(round.consensus, rename) }),
    })),
    requests: debate.requests.map((request) => ({
      ...request,
      askers: request.askers.map((asker) => ({ ...asker, seat: rename(asker.seat) })),
    })),
    ...(debate.error?.failures === undefined
      ? {}
      : {
          error: {
            ...debate.error,
            failures: debate.error.failures.map((failure) => ({
              ...failure,
              agentId: rename(failure.agentId),
              error: namelessFailure,
            })),
          },
        }),
    ...(debate.synthesis === undefined
      ? {}
      : {
          synthesis: {
            ...debate.synthesis,
            minority: debate.synthesis.minority.map((view) => ({ ...view, seats: all(view.seats) })),
          },
        }),
  };
}

/** What failures say of their models may tell who a seat is. */
const namelessFailure = "it gave no answer";

function renamedConsensus(consensus: Consensus, rename: (seat: string) => string): Consensus {
  const all = (seats: readonly string[]): string[] => seats.map(rename);
  const views = (list: Consensus["minority"]) => list.map((view) => ({ ...view, seats: all(view.seats) }));
  return {
    ...consensus,
    clusters: consensus.clusters.map((cluster) => ({
      ...cluster,
      seats: all(cluster.seats),
      spokenFor: rename(cluster.spokenFor),
    })),
    commonGround: consensus.commonGround.map((one) => ({ ...one, seats: all(one.seats) })),
    disagreements: consensus.disagreements.map((one) => ({
      ...one,
      sides: one.sides.map((side) => ({ ...side, seats: all(side.seats) })),
    })),
    nuances: consensus.nuances.map((one) => ({ ...one, seat: rename(one.seat) })),
    minority: views(consensus.minority),
    givenUp: views(consensus.givenUp),
    movements: consensus.movements.map((movement) => ({
      ...movement,
      seat: rename(movement.seat),
      toward: all(movement.toward),
      credits: all(movement.credits),
    })),
  };
}

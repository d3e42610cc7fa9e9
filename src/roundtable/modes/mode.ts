/** What a mode of debate decides: who speaks when, what each may see, and how each is briefed. */
import type { Position, Stance } from "../position.js";

/** A seat's part in the mode. */
export interface Role {
  readonly name: string;
  /** What it is to do, said to the seat itself. */
  readonly brief: string;
  /** The stance that its part has; `required`: one of its own choice. Nothing: it may state one. */
  readonly stance?: Stance | "required" | undefined;
}

export interface Speaker {
  /** Its place at the table, from 0. */
  readonly index: number;
  /** How many seats there are. */
  readonly count: number;
  /** From 1. */
  readonly round: number;
}

/** What the seats before a speaker held in the same round, and which seats they are. */
export interface Sight {
  /** Of this round, in the order of speaking; nobody who speaks at the same time is among them. */
  readonly spoken: readonly Position[];
  /** The place of a seat at the table, by its id. */
  readonly indexOf: (seat: string) => number;
}

export interface Mode<Name extends string = string> {
  /** As a panel names it, and its file; the first comment there says what the table of docs/roundtables.md does. */
  readonly name: Name;
  /** 2, if nothing is said. */
  readonly minSeats?: number;
  /** Groups of seats, by their places: those of a group speak at once, the groups one after another. */
  speaking(count: number): readonly (readonly number[])[];
  /** Which positions of the running round the speaker reads; of rounds before, everybody reads everything. */
  hears(speaker: Speaker, sight: Sight): readonly Position[];
  /** What every seat is told of how this debate goes. */
  brief(speaker: Speaker): string;
  /** How a seat of this mode comes to ask for what the debate doesn't hold. */
  readonly asking: string;
  role?(index: number, count: number): Role;
  /** Others are known by pseudonyms alone, and their answers with the statistics of the round. */
  readonly anonymous?: true;
  /** A debate without perspectives has some made, one a seat. */
  readonly perspectives?: true;
}

/** All seats at once. */
export function together(count: number): number[][] {
  return [Array.from({ length: count }, (_, index) => index)];
}

/** One seat after another. */
export function inTurn(count: number): number[][] {
  return Array.from({ length: count }, (_, index) => [index]);
}

/** Of those who speak at once nobody hears another before the round is over. */
export const nobody = (): readonly Position[] => [];

/** The speakers before in this round. */
export const earlierSpeakers = (_speaker: Speaker, { spoken }: Sight): readonly Position[] => spoken;

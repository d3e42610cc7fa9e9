import type { RE2JS } from "re2js";
import { z } from "zod";

/**
 * A regular expression as an automaton that reads one code point at a time and knows, at every moment, where each match
 * that is under way has started. That is what holding back a stream needs and what a search engine does not tell.
 *
 * The expression is parsed and compiled by re2js; its program (the instructions of Russ Cox's "Regular Expression
 * Matching: the Virtual Machine Approach") is run here as a deterministic automaton built as needed. A state is an
 * ordered list of places in the program, the most preferred first, so the outcome is RE2's leftmost-first match. A match
 * of no characters counts as none. Time is linear in the text; memory is bounded by {@link MAX_STATES}.
 */

/** Instruction codes of re2js 2.x, in the order of its class `Inst`; a test compares this engine with re2js's own. */
const OP = {
  ALT: 1,
  ALT_MATCH: 2,
  CAPTURE: 3,
  EMPTY_WIDTH: 4,
  FAIL: 5,
  MATCH: 6,
  NOP: 7,
  RUNE: 8,
  RUNE_ANY_NOT_NEWLINE: 11,
} as const;

/** Conditions of an empty-width instruction, a bit set, as in re2js's `Utils`. */
const EMPTY = {
  BEGIN_LINE: 1,
  END_LINE: 2,
  BEGIN_TEXT: 4,
  END_TEXT: 8,
  WORD_BOUNDARY: 16,
  NO_WORD_BOUNDARY: 32,
} as const;

const programSchema = z.object({
  start: z.number(),
  inst: z.array(z.custom<Instruction>(isInstruction)),
});

interface Instruction {
  op: number;
  out: number;
  arg: number;
  matchRune(codePoint: number): boolean;
}

function isInstruction(value: unknown): boolean {
  if (typeof value !== "object" || value === null || !("op" in value && "out" in value && "arg" in value)) return false;
  const known = typeof value.op === "number" && value.op >= OP.ALT && value.op <= OP.RUNE_ANY_NOT_NEWLINE;
  return known && typeof value.out === "number" && "matchRune" in value && typeof value.matchRune === "function";
}

/** Stands for the end of the text where a code point is expected. */
export const END = -1;

/** What comes before the place reached: decides `^`, `\A` and `\b`. */
export type Before = "begin" | "newline" | "word" | "other";

/** The step that reading one code point makes. */
export interface Step {
  next: State;
  /** For each place of `next`: the index, in the list before, of the place it came from; {@link FRESH} if it starts here. */
  sources: readonly number[];
  /** Index, in the list before, of the place that reached a match ending before this code point; {@link FRESH} if none. */
  matched: number;
}

export const FRESH = -1;

export interface State {
  /** Places in the program that may go on, the most preferred first. */
  places: readonly number[];
  before: Before;
  /** A match was found: no new one starts until it is settled. */
  matchFound: boolean;
  ascii: (Step | undefined)[];
  others: Map<number, Step>;
}

/** States and steps kept before the cache is emptied and built anew. */
const MAX_STATES = 1_000;
const MAX_STEPS = 20_000;

export class Automaton {
  readonly #instructions: Instruction[];
  readonly #start: number;
  readonly #states = new Map<string, State>();
  #steps = 0;

  private constructor(instructions: Instruction[], start: number) {
    this.#instructions = instructions;
    this.#start = start;
  }

  /** The automaton of a compiled expression, or undefined if its program has an instruction not known here. */
  static of(expression: RE2JS): Automaton | undefined {
    const program = programSchema.safeParse(expression.re2().prog);
    return program.success ? new Automaton(program.data.inst, program.data.start) : undefined;
  }

  /** The state in which nothing is under way, after what is described. */
  initial(before: Before): State {
    return this.#state([], before, false);
  }

  /** Reads one code point, or {@link END}. */
  step(state: State, codePoint: number): Step {
    const known = codePoint >= 0 && codePoint < 128 ? state.ascii[codePoint] : state.others.get(codePoint);
    return known ?? this.#makeStep(state, codePoint);
  }

  #makeStep(state: State, codePoint: number): Step {
    if (++this.#steps > MAX_STEPS || this.#states.size > MAX_STATES) {
      this.#states.clear();
      this.#steps = 0;
    }
    const walk = new Walk(this.#instructions, conditions(state.before, codePoint));
    let matched = FRESH;
    for (const [index, place] of state.places.entries()) {
      // A match ends everything that is less preferred.
      if (walk.follow(place, index)) {
        matched = index;
        break;
      }
    }
    if (matched === FRESH && !state.matchFound) walk.follow(this.#start, FRESH);

    const places: number[] = [];
    const sources: number[] = [];
    const taken = new Set<number>();
    for (const { place, source } of walk.reached) {
      const instruction = this.#instructions[place];
      if (codePoint === END || instruction === undefined || !instruction.matchRune(codePoint)) continue;
      if (taken.has(instruction.out)) continue;
      taken.add(instruction.out);
      places.push(instruction.out);
      sources.push(source);
    }
    const next = this.#state(places, beforeAfter(codePoint), state.matchFound || matched !== FRESH);
    const step: Step = { next, sources, matched };
    if (codePoint >= 0 && codePoint < 128) state.ascii[codePoint] = step;
    else state.others.set(codePoint, step);
    return step;
  }

  #state(places: number[], before: Before, matchFound: boolean): State {
    const key = `${before} ${matchFound} ${places.join(",")}`;
    let state = this.#states.get(key);
    if (state === undefined) {
      state = { places, before, matchFound, ascii: [], others: new Map() };
      this.#states.set(key, state);
    }
    return state;
  }
}

/** Follows the instructions that read nothing, from several places in order of preference, each at most once. */
class Walk {
  readonly reached: { place: number; source: number }[] = [];
  readonly #visited = new Set<number>();
  readonly #instructions: Instruction[];
  readonly #holds: number;

  constructor(instructions: Instruction[], holds: number) {
    this.#instructions = instructions;
    this.#holds = holds;
  }

  /** True if a match was reached; what would have come after it is then left out. */
  follow(from: number, source: number): boolean {
    const pending = [from];
    for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
      const instruction = this.#instructions[place];
      if (instruction === undefined || this.#visited.has(place)) continue;
      if (instruction.op === OP.MATCH) {
        // Nothing was read yet: an empty match counts as none.
        if (source === FRESH) continue;
        return true;
      }
      this.#visited.add(place);
      if (instruction.op >= OP.RUNE) this.reached.push({ place, source });
      else if (instruction.op === OP.ALT || instruction.op === OP.ALT_MATCH) {
        pending.push(instruction.arg, instruction.out);
      } else if (instruction.op === OP.EMPTY_WIDTH) {
        if ((instruction.arg & ~this.#holds) === 0) pending.push(instruction.out);
      } else if (instruction.op !== OP.FAIL) pending.push(instruction.out);
    }
    return false;
  }
}

function conditions(before: Before, next: number): number {
  let holds = before === "begin" ? EMPTY.BEGIN_TEXT | EMPTY.BEGIN_LINE : before === "newline" ? EMPTY.BEGIN_LINE : 0;
  if (next === END) holds |= EMPTY.END_TEXT | EMPTY.END_LINE;
  if (next === NEWLINE) holds |= EMPTY.END_LINE;
  const boundary = (before === "word") !== (beforeAfter(next) === "word");
  return holds | (boundary ? EMPTY.WORD_BOUNDARY : EMPTY.NO_WORD_BOUNDARY);
}

const NEWLINE = 10;

/** What a code point is to what comes after it. Word characters are ASCII ones, as in RE2. */
export function beforeAfter(codePoint: number): Before {
  if (codePoint === NEWLINE) return "newline";
  const letter = (codePoint >= 97 && codePoint <= 122) || (codePoint >= 65 && codePoint <= 90);
  return letter || (codePoint >= 48 && codePoint <= 57) || codePoint === 95 ? "word" : "other";
}

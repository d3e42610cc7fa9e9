import type { RE2JS } from "re2js";
import { z } from "zod";

/**
 * A regular expression as an automaton that reads one code point at a time and knows, at every moment, where each match
 * that is under way has started. That is what holding back a stream needs and what a search engine does not tell.
 *
 * The expression is parsed and compiled by re2js; its program (the instructions of Russ Cox's "Regular Expression
 * Matching: the Virtual Machine Approach") is run here as a deterministic automaton built as needed. A state is an
 * ordered list of places in the program, the most preferred first, so the outcome is RE2's leftmost-first match. A match
 * of no characters counts as none. Time is linear in the text; memory is bounded by {@link maxStates}.
 */

/** Instruction codes of re2js 2.x, in the order of its class `Inst`; a test compares this engine with re2js's own. */
const opcode = { ALT: 1, ALT_MATCH: 2, EMPTY_WIDTH: 4, FAIL: 5, MATCH: 6, RUNE: 8, RUNE_ANY_NOT_NEWLINE: 11 } as const;

/** Conditions of an empty-width instruction, a bit set, as in re2js's `Utils`. */
const conditionBits = {
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
  const known = typeof value.op === "number" && value.op >= opcode.ALT && value.op <= opcode.RUNE_ANY_NOT_NEWLINE;
  return known && typeof value.out === "number" && "matchRune" in value && typeof value.matchRune === "function";
}

/** Stands for the end of the text where a code point is expected. */
export const endOfText = -1;

/** What comes before the place reached: decides `^`, `\A` and `\b`. */
export type Before = "begin" | "newline" | "word" | "other";

/** The step that reading one code point makes. */
export interface Step {
  next: State;
  /** For each place of `next`: the index, in the list before, of the place it came from; {@link fresh} if it starts here. */
  sources: readonly number[];
  /** Every place came from the one at the same index: their starts stay as they are. */
  keepsStarts: boolean;
  /** Index, in the list before, of the place that reached a match ending before this code point; {@link fresh} if none. */
  matched: number;
}

export const fresh = -1;

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
const maxStates = 1_000;
const maxSteps = 20_000;

export class Automaton {
  private readonly states = new Map<string, State>();
  private steps = 0;

  private constructor(
    private readonly instructions: Instruction[],
    private readonly start: number,
  ) {}

  /** The automaton of a compiled expression, or undefined if its program has an instruction not known here. */
  static of(expression: RE2JS): Automaton | undefined {
    const program = programSchema.safeParse(expression.re2().prog);
    return program.success ? new Automaton(program.data.inst, program.data.start) : undefined;
  }

  /** The state in which nothing is under way, after what is described. */
  initial(before: Before): State {
    return this.state([], before, false);
  }

  /** Reads one code point, or {@link endOfText}. */
  step(state: State, codePoint: number): Step {
    const known = codePoint >= 0 && codePoint < 128 ? state.ascii[codePoint] : state.others.get(codePoint);
    return known ?? this.makeStep(state, codePoint);
  }

  private makeStep(state: State, codePoint: number): Step {
    if (++this.steps > maxSteps || this.states.size > maxStates) {
      this.states.clear();
      this.steps = 0;
    }
    const walk = new Walk(this.instructions, conditions(state.before, codePoint));
    let matched = fresh;
    for (const [index, place] of state.places.entries()) {
      // A match ends everything that is less preferred.
      if (walk.follow(place, index)) {
        matched = index;
        break;
      }
    }
    if (matched === fresh && !state.matchFound) walk.follow(this.start, fresh);

    const places: number[] = [];
    const sources: number[] = [];
    const taken = new Set<number>();
    for (const { place, source } of walk.reached) {
      const instruction = this.instructions[place];
      if (codePoint === endOfText || instruction === undefined || !instruction.matchRune(codePoint)) continue;
      if (taken.has(instruction.out)) continue;
      taken.add(instruction.out);
      places.push(instruction.out);
      sources.push(source);
    }
    const next = this.state(places, beforeAfter(codePoint), state.matchFound || matched !== fresh);
    const keepsStarts = sources.length === state.places.length && sources.every((source, index) => source === index);
    const step: Step = { next, sources, keepsStarts, matched };
    if (codePoint >= 0 && codePoint < 128) state.ascii[codePoint] = step;
    else state.others.set(codePoint, step);
    return step;
  }

  private state(places: number[], before: Before, matchFound: boolean): State {
    const key = `${before} ${matchFound} ${places.join(",")}`;
    let state = this.states.get(key);
    if (state === undefined) {
      state = { places, before, matchFound, ascii: [], others: new Map() };
      this.states.set(key, state);
    }
    return state;
  }
}

/** Follows the instructions that read nothing, from several places in order of preference, each at most once. */
class Walk {
  readonly reached: { place: number; source: number }[] = [];
  private readonly visited = new Set<number>();

  constructor(
    private readonly instructions: Instruction[],
    private readonly holds: number,
  ) {}

  /** True if a match was reached; what would have come after it is then left out. */
  follow(from: number, source: number): boolean {
    const pending = [from];
    for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
      const instruction = this.instructions[place];
      if (instruction === undefined || this.visited.has(place)) continue;
      if (instruction.op === opcode.MATCH) {
        // Nothing was read yet: an empty match counts as none.
        if (source === fresh) continue;
        return true;
      }
      this.visited.add(place);
      if (instruction.op >= opcode.RUNE) this.reached.push({ place, source });
      else if (instruction.op === opcode.ALT || instruction.op === opcode.ALT_MATCH) {
        pending.push(instruction.arg, instruction.out);
      } else if (instruction.op === opcode.EMPTY_WIDTH) {
        if ((instruction.arg & ~this.holds) === 0) pending.push(instruction.out);
      } else if (instruction.op !== opcode.FAIL) pending.push(instruction.out);
    }
    return false;
  }
}

function conditions(before: Before, next: number): number {
  let holds =
    before === "begin"
      ? conditionBits.BEGIN_TEXT | conditionBits.BEGIN_LINE
      : before === "newline"
        ? conditionBits.BEGIN_LINE
        : 0;
  if (next === endOfText) holds |= conditionBits.END_TEXT | conditionBits.END_LINE;
  if (next === newline) holds |= conditionBits.END_LINE;
  const boundary = (before === "word") !== (beforeAfter(next) === "word");
  return holds | (boundary ? conditionBits.WORD_BOUNDARY : conditionBits.NO_WORD_BOUNDARY);
}

const newline = 10;

/** What a code point is to what comes after it. Word characters are ASCII ones, as in RE2. */
export function beforeAfter(codePoint: number): Before {
  if (codePoint === newline) return "newline";
  const letter = (codePoint >= 97 && codePoint <= 122) || (codePoint >= 65 && codePoint <= 90);
  return letter || (codePoint >= 48 && codePoint <= 57) || codePoint === 95 ? "word" : "other";
}

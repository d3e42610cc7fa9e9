import { RE2JS } from "re2js";
import { Automaton } from "./automaton.js";
import type { Detector, Reading, Subject } from "./detector.js";
import { type Refinement, scannerOf } from "./expression-scanner.js";

/** The longest program a pattern may compile to, in instructions: a bound on the work for each character. */
const maxPatternProgram = 1_500;

/** Compiles a pattern in RE2 syntax. Throws an Error that says what is wrong with it. */
export function compilePattern(pattern: string, flags = ""): RE2JS {
  let bits = 0;
  if (flags.includes("i")) bits |= RE2JS.CASE_INSENSITIVE;
  if (flags.includes("m")) bits |= RE2JS.MULTILINE;
  if (flags.includes("s")) bits |= RE2JS.DOTALL;
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(pattern, bits);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new Error(`${problem}. Patterns are in RE2 syntax: no look-around and no back-references.`);
  }
  if (compiled.programSize() > maxPatternProgram) {
    throw new Error(
      `the pattern is too large: it compiles to ${compiled.programSize()} instructions, at most ` +
        `${maxPatternProgram} are allowed. Counted repetitions such as {1000} multiply what they repeat.`,
    );
  }
  return compiled;
}

/** Detectors for a user's pattern. It looks at the text as it is and, where that differs, at the normalised text too. */
export function patternDetectors(pattern: string, flags?: string): Detector[] {
  const expression = compilePattern(pattern, flags);
  const automaton = Automaton.of(expression);
  return (["raw", "normal"] satisfies Reading[]).map((reads) => ({
    reads,
    mayMatch: (subject: Subject) =>
      (reads === "raw" || subject.raw !== subject.normal) && expression.test(subject[reads]),
    open: () => scannerOf(expression, automaton),
  }));
}

/** A detector for an expression of our own, which reads the normalised text. */
export function expressionDetector(source: string, check: Detector["mayMatch"], refinement?: Refinement): Detector {
  return detectorMaker(source)(check, refinement);
}

/** Compiles an expression of our own once, for detectors that refine what it finds in different ways. */
export function detectorMaker(source: string): (check: Detector["mayMatch"], refinement?: Refinement) => Detector {
  const expression = RE2JS.compile(source);
  const automaton = Automaton.of(expression);
  return (check, refinement) => ({
    reads: "normal",
    mayMatch: check,
    open: (isWhole) => scannerOf(expression, automaton, refinement, isWhole),
  });
}

/** The match `pattern`: a regular expression in RE2 syntax. */
import { z } from "zod";
import { rulesLimits } from "../limits.js";
import { compilePattern, patternDetectors } from "../patterns.js";
import { matchKind } from "./match-kind.js";

export const patternMatch = matchKind({
  schema: z
    .strictObject({
      type: z.literal("pattern"),
      pattern: z.string().min(1).max(rulesLimits.patternLength),
      flags: z
        .string()
        .regex(/^(?!.*(.).*\1)[ims]*$/, {
          error: "flags are i (any case), m (^ and $ at lines) and s (. matches line breaks), each once",
        })
        .optional(),
    })
    .superRefine((match, context) => {
      try {
        compilePattern(match.pattern, match.flags);
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        context.addIssue({ code: "custom", path: ["pattern"], message });
      }
    }),
  compile: ({ pattern, flags }) => ({ detectors: patternDetectors(pattern, flags) }),
});

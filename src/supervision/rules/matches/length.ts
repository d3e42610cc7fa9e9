/** The match `length`: texts of more than so many characters. */
import { z } from "zod";
import { rulesLimits } from "../limits.js";
import { matchKind } from "./match-kind.js";

export const lengthMatch = matchKind({
  schema: z.strictObject({ type: z.literal("length"), max: z.int().min(0).max(rulesLimits.textLength) }),
  compile: ({ max }) => ({ detectors: [], maxLength: max }),
});

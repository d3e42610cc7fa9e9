/** The match `injection`: texts that give a model orders. */
import { z } from "zod";
import { injectionDetector, sensitivities } from "../injection.js";
import { matchKind } from "./match-kind.js";

export const injectionMatch = matchKind({
  schema: z.strictObject({ type: z.literal("injection"), sensitivity: z.enum(sensitivities).optional() }),
  compile: ({ sensitivity = "medium" }) => ({ detectors: [injectionDetector(sensitivity)] }),
});

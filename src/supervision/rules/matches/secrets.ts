/** The match `secrets`: keys, passwords, tokens. */
import { z } from "zod";
import { secretDetectors } from "../secrets.js";
import { matchKind } from "./match-kind.js";

export const secretsMatch = matchKind({
  schema: z.strictObject({ type: z.literal("secrets") }),
  compile: () => ({ detectors: secretDetectors() }),
});

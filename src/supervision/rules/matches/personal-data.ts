/** The match `personalData`: what belongs to a person and has a form of its own. */
import { z } from "zod";
import { personalDataDetectors, personalDataKinds } from "../personal-data.js";
import { matchKind } from "./match-kind.js";

export const personalDataMatch = matchKind({
  schema: z.strictObject({
    type: z.literal("personalData"),
    kinds: z.array(z.enum(personalDataKinds)).min(1).optional(),
    /** Internet addresses of private networks count too. */
    privateIps: z.boolean().optional(),
  }),
  compile: ({ kinds = personalDataKinds, privateIps }) => ({ detectors: personalDataDetectors(kinds, privateIps) }),
});

/** The match `injection`: texts that give a model orders. */
import { z } from "zod";
import { tagsDetector } from "../injection/tags.js";
import { doubtDetector, injectionDetector, ordersInDataDetector, sensitivities } from "../injection.js";
import { matchKind } from "./match-kind.js";

export const injectionMatch = matchKind({
  schema: z.strictObject({
    type: z.literal("injection"),
    sensitivity: z.enum(sensitivities).optional(),
    /** `data`: only orders in what should inform, found by signs of their own. Left out: what people write; in results of tools both. */
    signs: z.literal("data").optional(),
  }),
  compile: ({ sensitivity = "medium", signs }) =>
    signs === "data"
      ? { detectors: [ordersInDataDetector, tagsDetector] }
      : {
          detectors: [injectionDetector(sensitivity), tagsDetector],
          inData: [ordersInDataDetector],
          inDoubt: [doubtDetector()],
        },
});

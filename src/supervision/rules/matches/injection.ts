/** The match `injection`: texts that give a model orders. */
import { z } from "zod";
import { hidesTags, tagsDetector } from "../injection/tags.js";
import {
  doubtDetector,
  explainedOrders,
  explainedScore,
  injectionDetector,
  inTags,
  ordersInDataDetector,
  type Sensitivity,
  sensitivities,
} from "../injection.js";
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
      ? { detectors: [ordersInDataDetector, tagsDetector], explain: explainData }
      : {
          detectors: [injectionDetector(sensitivity), tagsDetector],
          inData: [ordersInDataDetector],
          inDoubt: [doubtDetector()],
          explain: (text, isData) => [...explain(text, sensitivity), ...(isData ? explainData(text) : [])],
          explainDoubt: (text) => explainDoubt(text, sensitivity),
        },
});

function explain(text: string, sensitivity: Sensitivity): string[] {
  if (hidesTags(text)) return [inTags];
  const { signed, threshold, groups } = explainedScore(text, sensitivity);
  if (signed <= threshold) return [];
  const why = groups.length === 0 ? "its form" : signsOf(groups);
  return [`injection score ${signed.toFixed(2)}, from ${threshold.toFixed(2)} on it counts; what weighed most: ${why}`];
}

function explainDoubt(text: string, sensitivity: Sensitivity): string[] {
  const { score, signed, doubtFrom, groups } = explainedScore(text, sensitivity);
  if (score <= doubtFrom) return [];
  const why = score > signed || groups.length === 0 ? "its wording, no sign" : signsOf(groups);
  return [`in doubt: injection score ${score.toFixed(2)}, from ${doubtFrom.toFixed(2)} on; what weighed most: ${why}`];
}

const signsOf = (groups: readonly string[]): string => `signs of ${groups.slice(0, 3).join(", ")}`;

function explainData(text: string): string[] {
  const { score, threshold, signs } = explainedOrders(text);
  const what = `orders in data, score ${score.toFixed(2)}, from ${threshold} on it counts`;
  return score < threshold ? [] : [`${what}; signs: ${signs.slice(0, 4).join(", ")}`];
}

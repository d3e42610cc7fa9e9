import type { Detector } from "./detector.js";
import { INJECTION_SIGNS, type SignWeight } from "./injection-signs.js";
import { expressionDetector } from "./patterns.js";

export const SENSITIVITIES = ["low", "medium", "high"] as const;
export type Sensitivity = (typeof SENSITIVITIES)[number];

/** The least weight of a sign that counts. */
const LEAST_WEIGHT: Readonly<Record<Sensitivity, SignWeight>> = { low: 3, medium: 2, high: 1 };

const detectors = new Map<Sensitivity, Detector>();

/** The detector for prompt-injection signs; built once for each sensitivity. */
export function injectionDetector(sensitivity: Sensitivity): Detector {
  let detector = detectors.get(sensitivity);
  if (detector === undefined) {
    const signs = INJECTION_SIGNS.filter(({ weight }) => weight >= LEAST_WEIGHT[sensitivity]);
    const source = `(?i)(?:${signs.map((sign) => withWhiteSpace(sign.source)).join("|")})`;
    detector = expressionDetector(source, () => true);
    detectors.set(sensitivity, detector);
  }
  return detector;
}

/** Makes each space of a sign a run of white space. */
function withWhiteSpace(source: string): string {
  return source.replace(/ \?/g, String.raw`\s{0,4}`).replaceAll(" ", String.raw`\s{1,8}`);
}

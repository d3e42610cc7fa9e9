/**
 * `npm run train:injection [-- --check]`: trains the injection scorer and writes its weights. Everything is in a fixed order and
 * uses plain arithmetic, so the file is the same to the byte on every machine; `--check` compares instead of writing.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { pack, readTexts, scoresOfUnseenSources, thresholdsFrom, trainScorer } from "./injection-model.js";

const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
const target = join(import.meta.dirname, "../../src/supervision/rules/injection/weights.ts");
const texts = readTexts();
const packed = pack(trainScorer(texts.filter(({ split }) => split !== "dev")));
const harmless = texts.filter(({ split, label }) => split === "train" && label === 0);
const thresholds = [...thresholdsFrom(scoresOfUnseenSources(harmless))].map(
  ([name, threshold]) => `  ${name}: ${threshold},`,
);
const file = `/** Written by \`npm run train:injection\`; not to be edited. Thresholds: of harmless texts of sources that were not trained on, so many lie above them as docs/supervision.md says. */
import type { PackedWeights } from "./scorer.js";

export const scoreThresholds = {
${thresholds.join("\n")}
} as const;

// biome-ignore format: generated
export const trainedWeights: PackedWeights = {
  dense: [${packed.dense.join(",")}],
  scale: ${packed.scale},
  ngrams: ${JSON.stringify(packed.ngrams)},
};
`;
if (!values.check) writeFileSync(target, file);
else if (readFileSync(target, "utf8") !== file) {
  console.error("the weights are not those that training gives: npm run train:injection");
  process.exit(1);
}
console.log(`${texts.length} texts; ${thresholds.map((line) => line.trim()).join(" ")}`);

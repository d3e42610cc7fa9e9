// Whether every pattern of the product takes linear time over any text. `npm test` and `npm run check` fail on one that doesn't.
// `--record` notes those that were shown to, so that the next run has only new ones to think about.
import { builtPatterns } from "./patterns/built.js";
import { patternFaults, Shown } from "./patterns/check.js";
import { findPatterns } from "./patterns/find.js";
import { productSources } from "./patterns/sources.js";

const found = productSources().map(findPatterns);
const literals = found.flatMap((file) => file.literals);
const constructions = found.flatMap((file) => file.constructions);
const built = await builtPatterns();
const shown = new Shown();
const faults = patternFaults({ literals, constructions, built }, shown);
for (const fault of faults) console.error(fault);
if (process.argv.includes("--record")) shown.write();
console.log(
  `patterns: ${literals.length} literals, ${built.length} built in ${constructions.length} places, ${shown.fresh} of them new; ${faults.length} not linear`,
);
process.exit(faults.length > 0 ? 1 : 0);

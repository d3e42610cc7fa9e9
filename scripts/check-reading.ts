// Whether whatever anybody writes is read within bounds: every pattern of the product takes linear time over any text, and JSON of
// others is parsed by `readJson` alone, and names of others are looked up by `ownValue`. `npm test` and `npm run check` fail on what isn't.
// `--record` notes those that were shown to, so that the next run has only new ones to think about.
import { builtPatterns } from "./reading/built.js";
import { patternFaults, Shown } from "./reading/check.js";
import { findPatterns } from "./reading/find.js";
import { unboundedJson } from "./reading/json.js";
import { foreignLookUps } from "./reading/look-ups.js";
import { productSources } from "./reading/sources.js";

const sources = productSources();
const found = sources.map(findPatterns);
const literals = found.flatMap((file) => file.literals);
const constructions = found.flatMap((file) => file.constructions);
const built = await builtPatterns();
const shown = new Shown();
const faults = [
  ...patternFaults({ literals, constructions, built }, shown),
  ...unboundedJson(sources),
  ...foreignLookUps(),
];
for (const fault of faults) console.error(fault);
if (process.argv.includes("--record")) shown.write();
console.log(
  `patterns: ${literals.length} literals, ${built.length} built in ${constructions.length} places, ${shown.fresh} of them new; ${faults.length} faults`,
);
process.exit(faults.length > 0 ? 1 : 0);

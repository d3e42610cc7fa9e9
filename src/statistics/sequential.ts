/**
 * A test that may be looked at after every event: whether events fall on the arms as their shares say. Looking often at an ordinary test
 * finds differences that aren't there; this one's bar holds however often it is looked at.
 * M. Lindon and A. Malek, "Anytime-Valid Inference for Multinomial Count Data", 2022: a mixture over a Dirichlet distribution.
 */

/** How closely the mixture lies around the expected shares, if nothing is said. Small ones see large differences soon. */
const usualConcentration = 100;

/**
 * How strongly counts speak against shares: over 20 is 5 %, over 100 is 1 %.
 * @param counts events of each arm
 * @param shares what they fall on where there is no difference; they add up to 1
 * @returns the natural logarithm of the e-value: those of several phases add up
 */
export function logEvidence(
  counts: readonly number[],
  shares: readonly number[],
  concentration = usualConcentration,
): number {
  const n = counts.reduce((sum, count) => sum + count, 0);
  let evidence = logGamma(concentration) - logGamma(concentration + n);
  counts.forEach((count, arm) => {
    const share = shares[arm] ?? 0;
    // Nothing is expected there: what came all the same speaks for itself.
    if (share === 0) evidence += count === 0 ? 0 : Number.POSITIVE_INFINITY;
    else
      evidence += logGamma(concentration * share + count) - logGamma(concentration * share) - count * Math.log(share);
  });
  return evidence;
}

/** An e-value as a report shows it. */
export function evidenceOf(log: number): number {
  return Math.round(Math.exp(Math.min(log, 30)) * 100) / 100;
}

const lanczos = [
  676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
  -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

/** Of a number above 0: Lanczos' approximation, to 15 digits. */
function logGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  const at = x - 1;
  const sum = lanczos.reduce((so, factor, n) => so + factor / (at + n + 1), 0.99999999999980993);
  const base = at + lanczos.length - 0.5;
  return 0.5 * Math.log(2 * Math.PI) + (at + 0.5) * Math.log(base) - base + Math.log(sum);
}

/** Shares with their intervals, as the reports print them. */

/** Wilson's interval of a share, at 95 %: sound for small counts and for shares near 0 and 1. */
function wilson(hits: number, of: number): { low: number; high: number } {
  if (of === 0) return { low: 0, high: 1 };
  const z = 1.96;
  const share = hits / of;
  const middle = share + (z * z) / (2 * of);
  const spread = z * Math.sqrt((share * (1 - share)) / of + (z * z) / (4 * of * of));
  const scale = 1 + (z * z) / of;
  return { low: Math.max(0, (middle - spread) / scale), high: Math.min(1, (middle + spread) / scale) };
}

/** Such as `.712 [.68, .74] of 1009`. */
export function shareText(hits: number, of: number): string {
  const { low, high } = wilson(hits, of);
  return `${digits(of === 0 ? 0 : hits / of)} [${digits(low)}, ${digits(high)}] of ${of}`;
}

const digits = (share: number): string => share.toFixed(3).replace(/^0/, "");

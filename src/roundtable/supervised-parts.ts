/** Several texts that belong together, judged as one: what a supervisor changes comes back part by part. */

/** Stands between the parts while they are judged, and in none of them. */
const separator = "\n\n⸻\n\n";

export function joinParts(parts: readonly string[]): string {
  return parts.map((part) => part.replaceAll("⸻", "—")).join(separator);
}

/**
 * The parts of a judged text.
 * @returns `undefined` when they can't be told apart any more: then the whole stands in place of the first, and the others are gone.
 */
export function splitParts(text: string, count: number): string[] | undefined {
  const parts = text.split(separator);
  return parts.length === count ? parts : undefined;
}

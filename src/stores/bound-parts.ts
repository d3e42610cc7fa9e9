/** A value that is bound is at most 2,000,000 bytes (D1's limits), and a character at most three of them. */
const maxPartCharacters = 500_000;

/** Rows as JSON lists, each short enough to be bound; one that is too long by itself is in a list of its own. */
export function inParts(rows: readonly (readonly unknown[])[]): string[] {
  const parts: string[][] = [];
  let room = 0;
  for (const row of rows.map((one) => JSON.stringify(one))) {
    if (row.length > room) {
      parts.push([]);
      room = maxPartCharacters;
    }
    parts.at(-1)?.push(row);
    room -= row.length;
  }
  return parts.map((part) => `[${part.join(",")}]`);
}

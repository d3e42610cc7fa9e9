/** A text as it fits into a line of a story: white space made plain, the rest of a long one left out. */
export function oneLine(text: string, longest = 300): string {
  const flat = text.replace(/\s+/g, " ").trim();
  return flat.length <= longest ? flat : `${flat.slice(0, longest)}…`;
}

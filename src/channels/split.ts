/** Long texts in parts that a platform takes, cut where a reader would pause. */

/** From the best place to cut to the worst. A part never ends earlier than at a third of what fits. */
const pauses: readonly RegExp[] = [/\n\n+/g, /[.!?…]["')\]]*\s+|\n/g, /\s+/g];
/** What closing and opening a code block again may take. */
const fenceRoom = 60;

/**
 * Splits Markdown at paragraphs, else at sentences, else at words, else anywhere. A code block that is cut is closed and opened again.
 * @param most characters of a part
 * @example splitText("One. Two.", 6) // ["One.", "Two."]
 */
export function splitText(text: string, most: number): string[] {
  const parts: string[] = [];
  let rest = text.trim();
  let open: string | undefined;
  while (rest !== "") {
    const prefix = open === undefined ? "" : `${open}\n`;
    const room = most - prefix.length - (rest.length + prefix.length > most ? Math.min(fenceRoom, most >> 2) : 0);
    const cut = rest.length <= room ? rest.length : cutBefore(rest, room);
    const part = prefix + rest.slice(0, cut);
    open = openFence(part);
    parts.push((open === undefined ? part : `${part.trimEnd()}\n\`\`\``).trimEnd());
    // Within code white space counts.
    rest = open === undefined ? rest.slice(cut).trimStart() : rest.slice(cut).replace(/^\n/, "");
  }
  return parts.filter((part) => part !== "");
}

function cutBefore(text: string, room: number): number {
  const head = text.slice(0, room);
  for (const pause of pauses) {
    let last = 0;
    for (const { index, 0: found } of head.matchAll(pause)) last = index + found.length;
    if (last > room / 3) return last;
  }
  // A character of two code units stays whole.
  const code = text.charCodeAt(room - 1);
  return room > 1 && code >= 0xd800 && code <= 0xdbff ? room - 1 : room;
}

/** The line that opens a code block which isn't closed within the text. */
function openFence(text: string): string | undefined {
  let open: string | undefined;
  for (const line of text.split("\n")) {
    if (!/^\s{0,3}```/.test(line)) continue;
    open = open === undefined ? line.trim().slice(0, 40) : undefined;
  }
  return open;
}

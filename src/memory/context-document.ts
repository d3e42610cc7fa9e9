/** The context document: headings with items under them, within a size, and how it is made to fit. */

export const maxContextCharacters = 5_000;

export const contextHeadings = [
  "Description",
  "Facts",
  "Preferences",
  "Decisions",
  "Recommendations",
  "Topics",
  "Entities",
  "Notes",
  "Timeline",
] as const;
export type ContextHeading = (typeof contextHeadings)[number];

/** The least durable first: what is cut when a document is too long. The other four are never shortened as long as these have anything. */
const pruned: readonly ContextHeading[] = ["Topics", "Entities", "Notes", "Timeline", "Recommendations"];
const lastResort: readonly ContextHeading[] = ["Description", "Decisions", "Preferences", "Facts"];

/** Items by heading, in the order of the document. */
export type ContextSections = ReadonlyMap<ContextHeading, readonly string[]>;

const headingLine = /^#{1,3}\s+(.+?)\s*:?\s*$/;
const itemStart = /^\s*(?:[-*•]|\d+[.)])\s+/;

/** Reads a document. Lines before any heading belong to the description; lines without a bullet go on with the item before. */
export function parseContext(text: string): ContextSections {
  const sections = new Map<ContextHeading, string[]>();
  let items = sectionOf(sections, "Description");
  for (const line of text.split(/\r?\n/)) {
    const heading = headingNamed(headingLine.exec(line)?.[1]);
    if (heading !== undefined) {
      items = sectionOf(sections, heading);
      continue;
    }
    const trimmed = line.trim();
    if (trimmed === "") continue;
    const last = items.length - 1;
    if (itemStart.test(line) || last < 0 || !/^\s{2,}/.test(line)) items.push(trimmed.replace(itemStart, ""));
    else items[last] = `${items[last] ?? ""} ${trimmed}`;
  }
  return sections;
}

/** Writes a document in the order of the headings: no empty heading, no item twice. */
export function renderContext(sections: ContextSections): string {
  const seen = new Set<string>();
  const parts = contextHeadings.flatMap((heading) => {
    const items = (sections.get(heading) ?? []).filter((item) => {
      const key = itemKey(item);
      return key !== "" && !seen.has(key) && seen.add(key) !== undefined;
    });
    return items.length === 0 ? [] : [`## ${heading}\n${items.map((item) => `- ${item}`).join("\n")}`];
  });
  return parts.join("\n\n");
}

/** What two items have to share to be the same item. */
export function itemKey(item: string): string {
  return item.toLowerCase().replace(/\s+/g, " ").trim();
}

/** What is wrong with a document that a model wrote, in words for the model. */
export function contextProblems(text: string): string[] {
  const problems: string[] = [];
  if (text.trim() === "") problems.push("the document is empty");
  if (text.length > maxContextCharacters) {
    problems.push(
      `the document has ${text.length} characters; at most ${maxContextCharacters} are allowed. Shorten Topics, Entities, Notes and Timeline first`,
    );
  }
  const names = text.split(/\r?\n/).flatMap((line) => headingLine.exec(line)?.[1] ?? []);
  const unknown = names.filter((name) => headingNamed(name) === undefined);
  if (unknown.length > 0) {
    problems.push(`these headings don't exist: ${unknown.join(", ")}. The headings are ${contextHeadings.join(", ")}`);
  }
  if (names.length === 0 && text.trim() !== "") problems.push("there is no heading; begin with `## Description`");
  return problems;
}

/** The document as it is stored: in order, and short enough, the least durable items dropped first, the oldest of them first. */
export function fitContext(text: string): string {
  const sections = new Map([...parseContext(text)].map(([heading, items]) => [heading, [...items]]));
  let fitted = renderContext(sections);
  for (const heading of [...pruned, ...lastResort]) {
    const items = sections.get(heading) ?? [];
    while (fitted.length > maxContextCharacters && items.length > 0) {
      // One item alone may be the whole excess: it is cut rather than lost.
      const excess = fitted.length - maxContextCharacters;
      const [oldest = ""] = items;
      if (oldest.length > excess + 200) items[0] = `${oldest.slice(0, oldest.length - excess - 1).toWellFormed()}…`;
      else items.shift();
      fitted = renderContext(sections);
    }
  }
  return fitted;
}

function headingNamed(name: string | undefined): ContextHeading | undefined {
  const wanted = name
    ?.replaceAll(/[*_`#]/g, "")
    .trim()
    .toLowerCase();
  return contextHeadings.find((heading) => heading.toLowerCase() === wanted);
}

function sectionOf(sections: Map<ContextHeading, string[]>, heading: ContextHeading): string[] {
  const items = sections.get(heading) ?? [];
  sections.set(heading, items);
  return items;
}

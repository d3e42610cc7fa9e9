/** The context document: headings with items under them, within a size, and how it is made to fit. */

import { headingOf } from "../text/edges.js";

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

/**
 * What is cut when a document is too long: the least durable first. The last four are never shortened as long as the others have
 * anything.
 */
export const dropOrder: readonly ContextHeading[] = [
  ...(["Topics", "Entities", "Notes", "Timeline", "Recommendations"] as const),
  ...(["Description", "Decisions", "Preferences", "Facts"] as const),
];

/** Items by heading, in the order of the document. */
type ContextSections = ReadonlyMap<ContextHeading, readonly string[]>;

const itemStart = /^\s*(?:[-*•]|\d+[.)])\s+/;

/** Reads a document. Lines before any heading belong to the description; lines without a bullet go on with the item before. */
export function parseContext(text: string): ContextSections {
  const sections = new Map<ContextHeading, string[]>();
  let items = sectionOf(sections, "Description");
  for (const line of text.split(/\r?\n/)) {
    const heading = headingNamed(nameOfHeading(line));
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

/** Writes a document in the order of the headings, without empty ones. */
export function renderContext<Item>(
  sections: ReadonlyMap<ContextHeading, readonly Item[]>,
  textOf: (item: Item) => string,
): string {
  const parts = contextHeadings.flatMap((heading) => {
    const items = sections.get(heading) ?? [];
    return items.length === 0 ? [] : [`## ${heading}\n${items.map((item) => `- ${textOf(item)}`).join("\n")}`];
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
  const names = text.split(/\r?\n/).flatMap((line) => nameOfHeading(line) ?? []);
  const unknown = names.filter((name) => headingNamed(name) === undefined);
  if (unknown.length > 0) {
    problems.push(`these headings don't exist: ${unknown.join(", ")}. The headings are ${contextHeadings.join(", ")}`);
  }
  if (names.length === 0 && text.trim() !== "") problems.push("there is no heading; begin with `## Description`");
  return problems;
}

/** What a line names as a heading: of at most three marks, a colon at its end left out. */
function nameOfHeading(line: string): string | undefined {
  const heading = line.startsWith("#") ? headingOf(line) : undefined;
  if (heading === undefined || heading.level > 3) return undefined;
  return heading.title.replace(/:$/, "").trimEnd() || undefined;
}

function headingNamed(name: string | undefined): ContextHeading | undefined {
  const title = name
    ?.replaceAll(/[*_`#]/g, "")
    .trim()
    .toLowerCase();
  return contextHeadings.find((heading) => heading.toLowerCase() === title);
}

function sectionOf(sections: Map<ContextHeading, string[]>, heading: ContextHeading): string[] {
  const items = sections.get(heading) ?? [];
  sections.set(heading, items);
  return items;
}

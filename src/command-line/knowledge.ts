/** Knowledge from a folder of Markdown, HTML and text: cut at its headings, each part a reference under a name that stays. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, resolve, sep } from "node:path";
import { CommandError } from "./place.js";

export interface Part {
  readonly name: string;
  readonly description: string;
  readonly text: string;
}

/** Characters of a part at most: what one reference may bring in by itself. */
const maxCharacters = 8_000;

/** Where parts come from: each has it in its name, and in front of its description, so that those of two folders are told apart. */
export function sourceOf(root: string, named: unknown): string {
  return typeof named === "string" ? named : basename(resolve(root));
}

/** Whether a reference is a part that was imported from there, of this folder or as it was. */
export function isFrom(source: string, { name, description = "" }: { name: string; description?: string | undefined }) {
  return name.startsWith(`${slug(source)}-`) && description.startsWith(`${source}/`);
}

/** Every part of the files below a folder, in their order. The same file gives the same names again. */
export function partsOf(root: string, source: string): Part[] {
  const files =
    statSync(root, { throwIfNoEntry: false })?.isDirectory() === true
      ? readdirSync(root, { recursive: true }).map(String)
      : undefined;
  if (files === undefined) throw new CommandError(`there is no folder ${root}`);
  const names = new Set<string>();
  return files
    .toSorted()
    .filter((file) => /\.(md|markdown|html?|txt)$/i.test(file))
    .flatMap((file) => {
      const text = readFileSync(join(root, file), "utf8");
      const plain = /\.html?$/i.test(file) ? markdownOfHtml(text) : text;
      const within = file.split(sep).join("/");
      const base = `${slug(source)}-${slug(within.replace(/\.[a-z]+$/i, ""))}`;
      return sections(plain).map(({ heading, body }) => {
        const name = `${base}${heading === "" ? "" : `-${slug(heading)}`}`.slice(0, 90);
        // Two headings of one name, and one that is called as the second of those would be, are three parts.
        let unique = name;
        for (let times = 2; names.has(unique); times++) unique = `${name}-${times}`;
        names.add(unique);
        const title = `${source}/${within}${heading === "" ? "" : `: ${heading}`}`;
        return { name: unique, description: title.slice(0, 500), text: body };
      });
    });
}

interface Section {
  readonly heading: string;
  readonly body: string;
}

/** Cut at headings, but for those within fences; what is too long at paragraphs, too. */
function sections(text: string): Section[] {
  const found: { heading: string; lines: string[] }[] = [{ heading: "", lines: [] }];
  let isFenced = false;
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith("```")) isFenced = !isFenced;
    const heading = isFenced || !line.startsWith("#") ? undefined : line.slice(line.lastIndexOf("#", 6) + 1).trim();
    if (heading !== undefined && heading !== "") found.push({ heading, lines: [line] });
    else found.at(-1)?.lines.push(line);
  }
  return found.flatMap(({ heading, lines }) => {
    const body = lines.join("\n").trim();
    const isBare = body === "" || (heading !== "" && lines.slice(1).join("").trim() === "");
    return isBare ? [] : pieces(body).map((piece) => ({ heading, body: piece }));
  });
}

function pieces(text: string): string[] {
  const found: string[] = [];
  let rest = text;
  while (rest.length > maxCharacters) {
    const paragraph = rest.lastIndexOf("\n\n", maxCharacters);
    const at = paragraph > 0 ? paragraph : maxCharacters;
    found.push(rest.slice(0, at).trim());
    rest = rest.slice(at).trim();
  }
  return rest === "" ? found : [...found, rest];
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: " ", "#39": "'" };

/** Tags between which nothing is for readers; and those that begin a paragraph. */
const unread: ReadonlySet<string> = new Set(["script", "style", "head"]);
const blocks: ReadonlySet<string> = new Set(["p", "div", "br", "tr", "ul", "ol", "table", "section"]);

/** The text of a page, its headings as Markdown has them. */
function markdownOfHtml(html: string): string {
  const [first = "", ...tagged] = html.split("<");
  const read = [first];
  let hidden: string | undefined;
  for (const piece of tagged) {
    const end = piece.indexOf(">");
    const tag = /^\/?[a-z]+[1-6]?/i.exec(piece)?.[0].toLowerCase() ?? "";
    if (hidden === undefined && unread.has(tag)) hidden = tag;
    else if (tag === `/${hidden}`) hidden = undefined;
    if (hidden === undefined) read.push(markOf(tag), piece.slice(end + 1));
  }
  const text = read
    .join("")
    .replace(
      /&(#?\w{1,8});/g,
      (whole, name: string) => (Object.hasOwn(entities, name) ? entities[name] : undefined) ?? whole,
    );
  return text
    .split("\n")
    .filter((line, at, lines) => line.trim() !== "" || lines[at - 1]?.trim() !== "")
    .join("\n");
}

function markOf(tag: string): string {
  const level = /^h([1-6])$/.exec(tag)?.[1];
  if (level !== undefined) return `\n\n${"#".repeat(Number(level))} `;
  if (tag === "li") return "\n- ";
  return blocks.has(tag.replace("/", "")) || /^\/h[1-6]$/.test(tag) ? "\n\n" : "";
}

function slug(text: string): string {
  return (
    text
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "") || "part"
  );
}

// The project's own documentation as references: each page cut at its headings into parts that a prompt can hold.
import { readdirSync, readFileSync } from "node:fs";

/** What the server takes as one reference, and what it gives all references of one prompt, both in characters. */
const referenceLimit = 50_000;
const promptLimit = 16_000 * 4;

const docs = new URL("../../docs/", import.meta.url);

/**
 * Sections of docs/*.md: {name, description, text, priority}. A section has a heading of the second level; what stands before
 * the first one is a section too.
 */
export function readReferences() {
  return readdirSync(docs)
    .filter((file) => file.endsWith(".md") && file !== "README.md")
    .sort()
    .flatMap((file) => sectionsOf(file, readFileSync(new URL(file, docs), "utf8")));
}

/** Those that fit into a prompt together, in the order given: pages that people ask about come first. */
export function withinPrompt(references, pagesFirst) {
  const place = ({ page }) => (pagesFirst.includes(page) ? pagesFirst.indexOf(page) : pagesFirst.length);
  let left = promptLimit;
  return [...references]
    .sort((a, b) => place(a) - place(b))
    .filter(({ text }) => {
      const size = Math.ceil(text.length / 4) * 4;
      if (size > left) return false;
      left -= size;
      return true;
    });
}

function sectionsOf(file, markdown) {
  const page = file.slice(0, -".md".length);
  const title = /^# (.+)$/m.exec(markdown)?.[1] ?? page;
  return cutAtHeadings(markdown).map((text) => {
    const heading = /^## (.+)$/m.exec(text)?.[1];
    const about = heading === undefined ? title : `${title}: ${heading}`;
    if (text.length >= referenceLimit) throw new Error(`docs/${file}, "${about}", is too long for one reference`);
    return { page, name: nameOf(page, heading), description: `docs/${file}, ${about}`, text };
  });
}

function cutAtHeadings(markdown) {
  // A line that looks like a heading inside a block of code is none.
  const parts = [[]];
  let inCode = false;
  for (const line of markdown.split("\n")) {
    if (line.startsWith("```")) inCode = !inCode;
    if (!inCode && line.startsWith("## ")) parts.push([]);
    parts.at(-1).push(line);
  }
  return parts.map((lines) => lines.join("\n").trim()).filter((text) => text !== "");
}

/** Names of references are letters, digits, hyphens and underscores. */
function nameOf(page, heading) {
  const slug = (heading ?? "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
  return ["docs", page, slug]
    .filter((part) => part !== "")
    .join("-")
    .slice(0, 100);
}

/** The project's Markdown pages, as the tests of the documentation read them. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../", import.meta.url).href);
const skipped = new Set(["node_modules", ".git", ".wrangler", "coverage", "dist"]);

export interface Page {
  /** From the project's root. */
  readonly path: string;
  readonly text: string;
  /** Without blocks of code. */
  readonly prose: string;
}

export function readPages(folder = ""): Page[] {
  return readdirSync(root + folder, { withFileTypes: true }).flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : readPages(path);
    // Prompts are pages for models; a link to a page is that page.
    if (!entry.name.endsWith(".md") || path.startsWith("src/") || entry.isSymbolicLink()) return [];
    const text = readFileSync(root + path, "utf8");
    return [{ path, text, prose: text.replaceAll(/^```[\s\S]*?^```/gm, "") }];
  });
}

/** The anchors of a page's headings, as GitHub makes them. */
export function anchorsOf({ prose }: Page): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of prose.matchAll(/^#{1,6}\s+(.+)$/gm)) {
    const words = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "");
    const anchor = words.trim().replaceAll(/\s/g, "-");
    let count = 0;
    while (anchors.has(count === 0 ? anchor : `${anchor}-${count}`)) count++;
    anchors.add(count === 0 ? anchor : `${anchor}-${count}`);
  }
  return anchors;
}

/** The rows of the table under a heading. */
export function tableUnder(pages: readonly Page[], path: string, heading: string): string[] {
  const page = pages.find((one) => one.path === path)?.prose ?? "";
  const section = page.split(`\n${heading}\n`)[1]?.split("\n#")[0] ?? "";
  return section
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .slice(2);
}

/** What is named as code in the first column of a table's rows. */
export function namedIn(rows: readonly string[]): string[] {
  return rows.flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name));
}

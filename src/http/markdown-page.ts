/** A page of the documentation as HTML: as much of Markdown as our pages use, and no more. What it doesn't know stays text. */
import { html, raw } from "hono/html";
import { pageStyle } from "./page-style.js";

type Html = ReturnType<typeof html>;

export function markdownPage(name: string, text: string) {
  const title = /^# (.+)$/m.exec(text)?.[1] ?? name;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title}</title>
        <style>
          ${raw(pageStyle)}
        </style>
      </head>
      <body>
        <nav><a href="/docs">All operations and pages</a></nav>
        <main>${blocksOf(text)}</main>
      </body>
    </html>`;
}

interface Kind {
  /** Whether a block of this kind begins with the line. */
  readonly begins: RegExp;
  /** Whether the line belongs to it still; `undefined`: it is one line. */
  readonly goesOn?: RegExp;
  readonly render: (lines: readonly string[]) => Html;
}

const kinds: readonly Kind[] = [
  { begins: /^#{1,6} /, render: ([line = ""]) => heading(line) },
  { begins: /^\|/, goesOn: /^\|/, render: table },
  { begins: /^- /, goesOn: /^(- |\s+\S)/, render: list },
  { begins: /^\S/, goesOn: /^(?!#{1,6} |\||- |```)\s*\S/, render: (lines) => html`<p>${inline(lines.join("\n"))}</p>` },
];

function blocksOf(text: string): Html[] {
  const blocks: Html[] = [];
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? "";
    const from = at++;
    if (line.startsWith("```")) {
      while (at < lines.length && !lines[at]?.startsWith("```")) at++;
      blocks.push(html`<pre>${lines.slice(from + 1, at++).join("\n")}</pre>`);
      continue;
    }
    const kind = kinds.find(({ begins }) => begins.test(line));
    if (kind === undefined) continue;
    while (kind.goesOn !== undefined && at < lines.length && kind.goesOn.test(lines[at] ?? "")) at++;
    blocks.push(kind.render(lines.slice(from, at)));
  }
  return blocks;
}

function heading(line: string): Html {
  const [, marks = "#", words = ""] = /^(#+) (.*)$/.exec(line) ?? [];
  const title = words.trimStart();
  return html`${raw(`<h${marks.length} id="${anchor(title)}">`)}${inline(title)}${raw(`</h${marks.length}>`)}`;
}

/** As the pages' links take it: words in lower case, with hyphens between. */
function anchor(words: string): string {
  const plain = words.replaceAll(/\[([^\][]*)\]\([^()]*\)/g, "$1").toLowerCase();
  return plain
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");
}

function table(lines: readonly string[]): Html {
  const rows = lines.filter((line) => !/^[|\s:-]+$/.test(line)).map(cellsOf);
  return html`<table>
    ${rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${inline(cell)}</td>`)}</tr>`)}
  </table>`;
}

function cellsOf(line: string): string[] {
  const cells = line.trim().replace(/^\|/, "").replace(/\|$/, "");
  return cells.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function list(lines: readonly string[]): Html {
  const items = lines.join("\n").split(/^- /m).slice(1);
  return html`<ul>${items.map((item) => html`<li>${inline(item.trim())}</li>`)}</ul>`;
}

const inlineMarks = /(`[^`]+`|\*\*[^*]+\*\*|\[[^\][]+\]\([^()\s]+\))/;

function inline(text: string): (Html | string)[] {
  return text.split(inlineMarks).map((part) => {
    if (/^`.+`$/s.test(part)) return html`<code>${part.slice(1, -1)}</code>`;
    if (/^\*\*.+\*\*$/s.test(part)) return html`<strong>${part.slice(2, -2)}</strong>`;
    const [, words = "", target = ""] = /^\[([^\][]+)\]\(([^()\s]+)\)$/.exec(part) ?? [];
    return words === "" ? part : link(words, target);
  });
}

/** Pages link to each other by file. What the Worker doesn't serve is no link. */
function link(words: string, target: string): Html {
  const page = /^([\w-]+)\.md(#.*)?$/.exec(target);
  const href = page === null ? target : `/docs/${page[1]}${page[2] ?? ""}`;
  return /^(https:|#|\/docs\/)/.test(href) ? html`<a href="${href}">${words}</a>` : html`${words}`;
}

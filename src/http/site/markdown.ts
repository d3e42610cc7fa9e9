/** A page of the documentation as HTML: as much of Markdown as our pages use, and no more. What it doesn't know stays text. */
import { html, raw } from "hono/html";
import { anchorOf, type Html } from "./layout.js";
import { addressOf } from "./site-map.js";

/** @param path the page's own in the repository, which its links start from */
export function markdown(path: string, text: string): Html[] {
  const blocks: Html[] = [];
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? "";
    const from = at++;
    if (line.startsWith("```")) {
      while (at < lines.length && !lines[at]?.startsWith("```")) at++;
      blocks.push(html`<pre tabindex="0">${lines.slice(from + 1, at++).join("\n")}</pre>`);
      continue;
    }
    const kind = kinds.find(({ begins }) => begins.test(line));
    if (kind === undefined) continue;
    while (kind.goesOn !== undefined && at < lines.length && kind.goesOn.test(lines[at] ?? "")) at++;
    blocks.push(kind.render(lines.slice(from, at), (words) => inline(words, path)));
  }
  return blocks;
}

type Inline = (text: string) => (Html | string)[];

interface Kind {
  /** Whether a block of this kind begins with the line. */
  readonly begins: RegExp;
  /** Whether the line belongs to it still; `undefined`: it is one line. */
  readonly goesOn?: RegExp;
  readonly render: (lines: readonly string[], inline: Inline) => Html;
}

const kinds: readonly Kind[] = [
  { begins: /^#{1,6} /, render: heading },
  { begins: /^\|/, goesOn: /^\|/, render: table },
  { begins: /^- /, goesOn: /^(- |\s+\S)/, render: (lines, words) => html`<ul>${items(lines, /^- /m, words)}</ul>` },
  {
    begins: /^\d+\. /,
    goesOn: /^(\d+\. |\s+\S)/,
    render: (lines, words) => html`<ol>${items(lines, /^\d+\. /m, words)}</ol>`,
  },
  {
    begins: /^\S/,
    goesOn: /^(?!#{1,6} |\||- |```)\s*\S/,
    render: (lines, words) => html`<p>${words(lines.join("\n"))}</p>`,
  },
];

function heading([line = ""]: readonly string[], inline: Inline): Html {
  const [, marks = "#", words = ""] = /^(#+) (.*)$/.exec(line) ?? [];
  const title = words.trimStart();
  return html`${raw(`<h${marks.length} id="${anchorOf(title)}">`)}${inline(title)}${raw(`</h${marks.length}>`)}`;
}

function table(lines: readonly string[], inline: Inline): Html {
  const [head = [], ...rows] = lines.filter((line) => !/^[|\s:-]+$/.test(line)).map(cellsOf);
  return html`<div class="wide" tabindex="0"><table>
<tr>${head.map((cell) => (cell === "" ? html`<td></td>` : html`<th>${inline(cell)}</th>`))}</tr>
${rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${inline(cell)}</td>`)}</tr>`)}
</table></div>`;
}

function cellsOf(line: string): string[] {
  const cells = line.trim().replace(/^\|/, "").replace(/\|$/, "");
  return cells.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function items(lines: readonly string[], mark: RegExp, inline: Inline): Html[] {
  const texts = lines.join("\n").split(mark).slice(1);
  return texts.map((item) => html`<li>${inline(item.trim())}</li>`);
}

const inlineMarks = /(`[^`]+`|\*\*[^*]+\*\*|\*[^\s*][^*]*\*|!?\[[^\][]+\]\([^()\s]+\))/;

function inline(text: string, path: string): (Html | string)[] {
  return text.split(inlineMarks).map((part) => {
    if (/^`.+`$/s.test(part)) return html`<code>${part.slice(1, -1)}</code>`;
    if (/^\*\*.+\*\*$/s.test(part)) return html`<strong>${part.slice(2, -2)}</strong>`;
    if (/^\*.+\*$/s.test(part)) return html`<em>${part.slice(1, -1)}</em>`;
    const [, picture, words = "", target = ""] = /^(!?)\[([^\][]+)\]\(([^()\s]+)\)$/.exec(part) ?? [];
    if (words === "") return part;
    const address = addressOf(target, path);
    if (address === undefined) return html`${inline(words, path)}`;
    return picture === "!"
      ? html`<img src="${address}" alt="${words}">`
      : html`<a href="${address}">${inline(words, path)}</a>`;
  });
}

/**
 * Markdown, as models write it, in the formats of chat platforms. Only what chats show is understood: bold, italic, struck, code,
 * links, headings, lists; anything else stays as it reads.
 */

import { headingOf } from "../text/edges.js";

/** How a platform writes what Markdown marks. Texts reach the functions escaped. */
export interface Dialect {
  readonly escape: (text: string) => string;
  readonly bold: (text: string) => string;
  readonly italic: (text: string) => string;
  readonly struck: (text: string) => string;
  readonly code: (text: string) => string;
  readonly block: (text: string, language: string) => string;
  readonly link: (label: string, url: string) => string;
  readonly bullet: string;
}

const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const same = (text: string): string => text;

export const dialects = {
  /** Slack's mrkdwn. What is escaped can't mention anybody either. */
  slack: {
    escape: escapeHtml,
    bold: (text) => `*${text}*`,
    italic: (text) => `_${text}_`,
    struck: (text) => `~${text}~`,
    code: (text) => `\`${text}\``,
    block: (text) => `\`\`\`\n${text}\n\`\`\``,
    link: (label, url) => `<${url.replaceAll("|", "%7C")}|${label.replaceAll("|", "/")}>`,
    bullet: "• ",
  },
  /** The HTML that Telegram takes. */
  telegram: {
    escape: (text) => escapeHtml(text).replaceAll('"', "&quot;"),
    bold: (text) => `<b>${text}</b>`,
    italic: (text) => `<i>${text}</i>`,
    struck: (text) => `<s>${text}</s>`,
    code: (text) => `<code>${text}</code>`,
    block: (text, language) =>
      language === "" ? `<pre>${text}</pre>` : `<pre><code class="language-${language}">${text}</code></pre>`,
    link: (label, url) => `<a href="${url}">${label}</a>`,
    bullet: "• ",
  },
  whatsapp: {
    escape: same,
    bold: (text) => `*${text}*`,
    italic: (text) => `_${text}_`,
    struck: (text) => `~${text}~`,
    code: (text) => `\`${text}\``,
    block: (text) => `\`\`\`${text}\`\`\``,
    link: (label, url) => (label === url ? url : `${label} (${url})`),
    bullet: "- ",
  },
} as const satisfies Readonly<Record<string, Dialect>>;

/**
 * Translates Markdown.
 * @example translate("**Yes**, see [here](https://a.example)", dialects.slack) // "*Yes*, see <https://a.example|here>"
 */
export function translate(markdown: string, dialect: Dialect): string {
  const out: string[] = [];
  let fence: { readonly language: string; readonly lines: string[] } | undefined;
  for (const line of markdown.split("\n")) {
    const mark = /^\s{0,3}```\s*([A-Za-z0-9+#-]{0,30})$/.exec(line.trimEnd());
    if (mark !== null && fence === undefined) fence = { language: mark[1] ?? "", lines: [] };
    else if (mark !== null && fence !== undefined) {
      out.push(blockOf(fence, dialect));
      fence = undefined;
    } else if (fence !== undefined) fence.lines.push(line);
    else out.push(lineOf(line, dialect));
  }
  // A block that was never closed is one to its end.
  if (fence !== undefined) out.push(blockOf(fence, dialect));
  return out.join("\n");
}

function blockOf(
  { language, lines }: { readonly language: string; readonly lines: readonly string[] },
  dialect: Dialect,
) {
  return dialect.block(dialect.escape(lines.join("\n")), language);
}

function lineOf(line: string, dialect: Dialect): string {
  const heading = headingOf(line);
  if (heading !== undefined) return dialect.bold(inline(heading.title.replaceAll("**", ""), dialect));
  const item = /^(\s*)[-*+]\s(.*)$/s.exec(line);
  if (item !== null) return `${item[1] ?? ""}${dialect.bullet}${inline((item[2] ?? "").trimStart(), dialect)}`;
  return inline(line, dialect);
}

/** In the order in which they are looked for at a place; each runs in linear time over a line. */
const spans: readonly {
  readonly pattern: RegExp;
  readonly render: (match: readonly string[], dialect: Dialect) => string;
}[] = [
  { pattern: /`([^`\n]{1,2000})`/y, render: ([, code = ""], dialect) => dialect.code(dialect.escape(code)) },
  {
    pattern: /\[([^\][\n]{1,500})\]\((https?:\/\/[^\s()<>"]{1,1500})\)/y,
    render: ([, label = "", url = ""], dialect) => dialect.link(dialect.escape(label), dialect.escape(url)),
  },
  {
    pattern: /\*\*(?=\S)([^*\n]{1,2000}?)(?<=\S)\*\*/y,
    render: ([, text = ""], dialect) => dialect.bold(dialect.escape(text)),
  },
  {
    pattern: /~~(?=\S)([^~\n]{1,2000}?)(?<=\S)~~/y,
    render: ([, text = ""], dialect) => dialect.struck(dialect.escape(text)),
  },
  {
    pattern: /(?<![\w*])\*(?=[^\s*])([^*\n]{1,2000}?)(?<=\S)\*(?![\w*])/y,
    render: ([, text = ""], dialect) => dialect.italic(dialect.escape(text)),
  },
  {
    pattern: /(?<!\w)_(?=[^\s_])([^_\n]{1,2000}?)(?<=\S)_(?!\w)/y,
    render: ([, text = ""], dialect) => dialect.italic(dialect.escape(text)),
  },
];

function inline(text: string, dialect: Dialect): string {
  let out = "";
  let plainFrom = 0;
  let at = 0;
  while (at < text.length) {
    const found = "`[*~_".includes(text.charAt(at)) ? spanAt(text, at, dialect) : undefined;
    if (found === undefined) {
      at++;
      continue;
    }
    out += dialect.escape(text.slice(plainFrom, at)) + found.rendered;
    at += found.length;
    plainFrom = at;
  }
  return out + dialect.escape(text.slice(plainFrom));
}

function spanAt(text: string, at: number, dialect: Dialect): { rendered: string; length: number } | undefined {
  for (const { pattern, render } of spans) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match !== null) return { rendered: render([...match], dialect), length: match[0].length };
  }
  return undefined;
}

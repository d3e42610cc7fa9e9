/** What stands around every page of the site: the side bar, the search. No script; style and pictures come from the Worker itself. */
import { html } from "hono/html";
import { addressOf, type SiteSection } from "./site-map.js";

export type Html = ReturnType<typeof html>;

export interface SiteView {
  readonly title: string;
  /** Its own, to mark it in the side bar. */
  readonly address: string;
  readonly main: Html | Html[];
  readonly query?: string;
}

export const apiAddress = "/docs/api";

export function siteLayout(sections: readonly SiteSection[], { title, address, main, query = "" }: SiteView): string {
  const item = (to: string, words: string) =>
    html`<li><a href="${to}"${to === address ? html` aria-current="page"` : ""}>${words}</a></li>`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title} · Conclave</title>
<link rel="stylesheet" href="/docs/site/style.css">
</head>
<body>
<header>
<a href="/docs"><b>Conclave</b></a> <a class="small" href="#pages">Pages</a>
<form action="/docs" role="search"><input type="search" name="q" value="${query}" aria-label="Search the documentation" placeholder="Search" maxlength="200"> <button>Search</button></form>
</header>
<main>${main}</main>
<nav id="pages" aria-label="Pages">
${sections.map(
  ({ title: name, pages }) => html`<h2>${name}</h2>
<ul>${pages.map((page) => item(addressOf(page.path, "") ?? "", page.title))}${name === "Reference" ? item(apiAddress, "API reference") : ""}</ul>`,
)}
</nav>
</body>
</html>`.toString();
}

/** As links name headings: words in lower case, with hyphens between. */
export function anchorOf(words: string): string {
  const plain = words.replaceAll(/\[([^\][]*)\]\([^()]*\)/g, "$1").toLowerCase();
  return plain
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");
}

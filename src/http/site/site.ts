/** The site: every page of it by its address, made when it is first asked for and kept. */
import { html } from "hono/html";
import { MadeOnce } from "../made-once.js";
import type { Html } from "./layout.js";
import { siteLayout } from "./layout.js";
import { markdown } from "./markdown.js";
import { type ReferencePage, referencePages } from "./reference.js";
import { excerptOf, findPassages, type Passage, passagesOf, readSynonyms, type Synonyms } from "./search.js";
import { addressOf, fileOf, firstPage, readSiteMap, type SitePage, type SiteSection } from "./site-map.js";

/** Reads a file of `docs`, by its path in the repository. */
export type ReadText = (file: string) => Promise<string | undefined>;

type ReadDocument = (read: ReadText) => Promise<string>;

export class Site {
  private readonly made = new Map<string, MadeOnce>();
  private sections: readonly SiteSection[] | undefined;
  private reference: ReadonlyMap<string, () => ReferencePage> | undefined;
  private index: { readonly passages: readonly Passage[]; readonly synonyms: Synonyms } | undefined;

  /** @param document reads the API's document */
  constructor(private readonly document: ReadDocument) {}

  /** The page at an address, such as `/docs/sessions`; `undefined` where there is none. */
  async page(address: string, read: ReadText): Promise<MadeOnce | undefined> {
    const known = this.made.get(address);
    if (known !== undefined) return known;
    const view = (await this.ofMarkdown(address, read)) ?? (await this.ofReference(address, read));
    if (view === undefined) return undefined;
    const sections = await this.map(read);
    const page = new MadeOnce(() => siteLayout(sections, { ...view, address }));
    this.made.set(address, page);
    return page;
  }

  /** A page as it was written. */
  async source(address: string, read: ReadText): Promise<string | undefined> {
    const page = await this.listed(address, read);
    return page === undefined ? undefined : read(fileOf(page.path));
  }

  async found(query: string, read: ReadText): Promise<string> {
    this.index ??= await this.madeIndex(read);
    const { passages, synonyms } = this.index;
    const found = findPassages(passages, query, synonyms);
    const main = html`<h1>Search</h1>
<p>${found.length === 0 ? "Nothing was found. Try fewer words, or a page of the list." : `What was found for “${query}”, the best first.`}</p>
<ul class="found">${found.map((passage) => foundView(passage, excerptOf(passage, query, synonyms)))}</ul>`;
    return siteLayout(await this.map(read), { title: "Search", address: "", main, query });
  }

  private async madeIndex(read: ReadText) {
    const pages = (await this.map(read)).flatMap((section) => section.pages);
    const passages = pages.map(async (page) => passagesOf(page, (await read(fileOf(page.path))) ?? ""));
    const synonyms = readSynonyms((await read("docs/site/synonyms.txt")) ?? "");
    return { passages: (await Promise.all(passages)).flat(), synonyms };
  }

  private async ofMarkdown(address: string, read: ReadText): Promise<{ title: string; main: Html[] } | undefined> {
    const page = await this.listed(address, read);
    const text = page && (await read(fileOf(page.path)));
    return text === undefined || page === undefined
      ? undefined
      : { title: page.title, main: markdown(page.path, text) };
  }

  private async ofReference(address: string, read: ReadText): Promise<ReferencePage | undefined> {
    if (!/^\/docs\/(api|shapes)(\/|$)/.test(address)) return undefined;
    this.reference ??= referencePages(await this.document(read));
    return this.reference.get(address)?.();
  }

  private async listed(address: string, read: ReadText): Promise<SitePage | undefined> {
    if (address === "/docs") return { path: firstPage, title: "Documentation", about: "", section: "" };
    const pages = (await this.map(read)).flatMap((section) => section.pages);
    return pages.find(({ path }) => addressOf(path, "") === address);
  }

  private async map(read: ReadText): Promise<readonly SiteSection[]> {
    if (this.sections !== undefined) return this.sections;
    const first = await read(firstPage);
    // Kept only once it came: a page that couldn't be fetched for a moment is no site without pages.
    if (first === undefined) return [];
    this.sections = readSiteMap(first);
    return this.sections;
  }
}

function foundView({ address, page, heading }: Passage, excerpt: string): Html {
  return html`<li><a href="${address}">${page}${heading === page ? "" : ` › ${heading.replaceAll("`", "")}`}</a>
<p>${excerpt}${excerpt === "" ? "" : " …"}</p></li>`;
}

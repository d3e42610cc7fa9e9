/** The documentation as its first page, `docs/README.md`, lists it. What a row of its tables begins with is served; nothing else is. */

export interface SitePage {
  /** In the repository: `docs/jobs/support-bot.md`. */
  readonly path: string;
  readonly title: string;
  /** What it answers. */
  readonly about: string;
  /** The section's title. */
  readonly section: string;
}

export interface SiteSection {
  readonly title: string;
  readonly pages: readonly SitePage[];
}

export const firstPage = "docs/README.md";
/** Pages of the repository that stand outside of what is served; links in `docs` bring them there. */
const outside = new Map([
  ["README.md", "docs/conclave.md"],
  ["CHANGELOG.md", "docs/changelog.md"],
]);
const repository = "https://repository.invalid/";

/** @param text that of `docs/README.md` */
export function readSiteMap(text: string): SiteSection[] {
  const sections = text
    .split("\n## ")
    .slice(1)
    .map((section) => {
      const [name = "", ...lines] = section.split("\n");
      const pages = lines.flatMap((line) => {
        const [, title = "", target = "", about = ""] =
          /^\| \[([^\][]+)\]\(([^()\s]+\.md)\) \| (.*) \|$/.exec(line) ?? [];
        return target === ""
          ? []
          : [{ path: new URL(target, repository + firstPage).pathname.slice(1), title, about, section: name }];
      });
      return { title: name, pages };
    });
  return sections.filter(({ pages }) => pages.length > 0);
}

/** Where the Worker serves what a page links to, such as `/docs/errors#invalid`; `undefined`: it serves no such thing. */
export function addressOf(target: string, from: string): string | undefined {
  if (target.startsWith("#") || target.startsWith("https://")) return target;
  if (!URL.canParse(target, repository + from)) return undefined;
  const { href, pathname, hash } = new URL(target, repository + from);
  const path = pathname.slice(1);
  if (!href.startsWith(repository)) return undefined;
  if (path === firstPage) return `/docs${hash}`;
  // Notes on decisions aren't uploaded: docs/.assetsignore.
  if (!outside.has(path) && !/^docs\/(?!decisions\/)/.test(path)) return undefined;
  return `/${fileOf(path).replace(/\.md$/, "")}${hash}`;
}

/** The file below `docs` that a page's text is read from. */
export function fileOf(path: string): string {
  return outside.get(path) ?? path;
}

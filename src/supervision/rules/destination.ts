/** Where a link or an image leads, as browsers and Markdown renderers read it. */

/** What a renderer takes for another sign, as far as it can be a part of a scheme or a host. */
const namedSigns: ReadonlyMap<string, string> = new Map([
  ["colon", ":"],
  ["sol", "/"],
  ["bsol", "\\"],
  ["period", "."],
  ["amp", "&"],
  ["commat", "@"],
  ["num", "#"],
  ["quest", "?"],
  ["lpar", "("],
  ["equals", "="],
  ["tab", ""],
  ["newline", ""],
]);

/**
 * The hosts that a destination may lead to. None where it stays on the page's own host, or isn't fetched from one.
 * @example hostsOf("https://user@evil.example:8080/p") // ["evil.example"]
 * @example hostsOf("/help") // []
 */
export function hostsOf(destination: string): string[] {
  const read = withoutEntities(destination);
  // Markdown takes a sign behind a backslash for the sign, HTML for both.
  const forms = new Set([read, read.replace(/\\([!-/:-@[-`{-~])/g, "$1")]);
  return [...forms].flatMap((form) => hostOf(form) ?? []);
}

function withoutEntities(text: string): string {
  const signs = text.replace(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,10}));?/gi,
    (whole: string, ...found: string[]) => {
      const [decimal, hex, name = ""] = found;
      const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
      return Number.isNaN(code) || code > 0x10ffff
        ? (namedSigns.get(name.toLowerCase()) ?? whole)
        : String.fromCodePoint(code);
    },
  );
  // Browsers read over line breaks and tabs, and over what doesn't show before a scheme.
  return signs.replace(/\p{Cc}/gu, "").trimStart();
}

function hostOf(text: string): string | undefined {
  const [, scheme, slashes = "", authority = ""] = /^(https?:|ftp:|wss?:)?([/\\]*)([^/\\?#\s]*)/i.exec(text) ?? [];
  const isWww = slashes === "" && /^www\./i.test(authority);
  if (scheme === undefined && slashes.length < 2 && !isWww) return undefined;
  const host = authority
    .slice(authority.lastIndexOf("@") + 1)
    .replace(/:\d*$/, "")
    .replace(/\.$/, "")
    .toLowerCase();
  // Without a scheme two slashes are as often a comment or a path.
  return host === "" || (scheme === undefined && !/[.[]/.test(host)) ? undefined : host;
}

/** Whether a host is one of those that a list names: `shop.example` itself, `*.shop.example` what is below it. */
export function isAllowedHost(host: string, allowed: readonly string[]): boolean {
  return allowed.some((one) => (one.startsWith("*.") ? host.endsWith(one.slice(1)) : host === one));
}

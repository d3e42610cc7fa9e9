/** Addresses of OAuth: where answers may go, and what tokens are for. */

const loopback = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;
/** Schemes under which a browser does something itself. */
const ofBrowsers =
  /^(?:javascript|data|vbscript|file|filesystem|blob|about|view-source|ws|wss|ftp|mailto|tel|sms|intent):$/;
const longestRedirect = 500;

/**
 * Whether answers may go to an address: https, http on the program's own machine, or a scheme of an application's own.
 * @example isRedirectAddress("http://evil.example/cb") // false
 */
export function isRedirectAddress(address: string): boolean {
  const url = /^[\x21-\x7e]+$/.test(address) && address.length <= longestRedirect ? URL.parse(address) : null;
  if (url === null || address.includes("#") || url.username !== "" || url.password !== "") return false;
  if (url.protocol === "https:") return true;
  if (url.protocol === "http:") return loopback.test(url.hostname);
  return !ofBrowsers.test(url.protocol);
}

/**
 * Whether a program may have its answer there: exactly an address that it has registered; on its own machine with whatever port (RFC 8252, 7.3).
 * @example matchesRedirect("http://127.0.0.1/cb", "http://127.0.0.1:5123/cb") // true
 */
export function matchesRedirect(registered: string, asked: string): boolean {
  if (registered === asked) return true;
  const [one, other] = [URL.parse(registered), URL.parse(asked)];
  if (one === null || other === null || !isRedirectAddress(asked)) return false;
  if (one.protocol !== "http:" || !loopback.test(one.hostname)) return false;
  one.port = other.port;
  return one.href === other.href;
}

/** Where an answer goes, for people: a host, or the scheme of an application. */
export function redirectHost(address: string): string {
  const { protocol, hostname } = new URL(address);
  return /^https?:$/.test(protocol) ? hostname : protocol;
}

/** What tokens of grants are for, as the audience of each says: locally the machine's two names are one. */
export function audienceOf(origin: string): string {
  return `${origin.replace(/^http:\/\/127\.0\.0\.1(?=:|$)/, "http://localhost")}/mcp`;
}

/** Whether what a program wants to reach is what tokens are for here (RFC 8707). A query chooses what is shown, and opens nothing. */
export function isResource(resource: string, origin: string): boolean {
  const url = URL.parse(resource);
  if (url === null || url.hash !== "") return false;
  return url.pathname.replace(/\/$/, "") === "/mcp" && audienceOf(url.origin) === audienceOf(origin);
}

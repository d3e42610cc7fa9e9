/** What keeps others out of the console: headers, forms of our own pages alone, and the cookie. */
import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { FaceEnv } from "../http/face.js";
import { longestSessionMs } from "../tenancy/person.js";

const policy = [
  "default-src 'none'",
  ...["script", "style", "connect", "form-action"].map(
    (what) => `${what.replace(/^(script|style|connect)$/, "$1-src")} 'self'`,
  ),
  "img-src 'self' data:",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types console",
].join("; ");

/**
 * The policy of a page whose form leads to an address of others: browsers hold a form's redirects against it. Of an address that a policy can't name
 * (an application's own scheme, an IPv6 address) the scheme.
 */
export function policyWith(formsTo: string): string {
  const { protocol, origin, hostname } = new URL(formsTo);
  const source = /^https?:$/.test(protocol) && !hostname.startsWith("[") ? origin : protocol;
  return policy.replace("form-action 'self'", `form-action 'self' ${source}`);
}

/** On every answer of the console. */
export const consoleHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": policy,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  "cache-control": "no-store",
};

/** Whether a form was sent by a page of ours: browsers say so themselves, and a page can't make them say it. */
export function isOwnForm(request: Request): boolean {
  const site = request.headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  return request.headers.get("origin") === new URL(request.url).origin;
}

/** Browsers take `__Host-` over https alone; locally Safari refuses `Secure` too. */
function cookieOf({ protocol }: URL): { readonly name: string; readonly secure: boolean } {
  return protocol === "https:" ? { name: "__Host-conclave", secure: true } : { name: "conclave", secure: false };
}

/** What a session's cookie holds. */
export function sessionSecret(c: Context<FaceEnv>): string | undefined {
  return getCookie(c, cookieOf(new URL(c.req.url)).name);
}

/** `Lax`: with `Strict` whoever follows a link from a chat would be asked to sign in. */
export function keepSession(c: Context<FaceEnv>, secret: string): void {
  const { name, secure } = cookieOf(new URL(c.req.url));
  setCookie(c, name, secret, { path: "/", httpOnly: true, sameSite: "Lax", secure, maxAge: longestSessionMs / 1_000 });
}

export function dropSession(c: Context<FaceEnv>): void {
  const { name, secure } = cookieOf(new URL(c.req.url));
  deleteCookie(c, name, { path: "/", secure });
  // Whoever sits down next finds nothing of it, neither pages nor drafts.
  c.header("clear-site-data", '"cache", "storage"');
}

/** Somebody's address, by which wrong tries are counted. */
export function addressOf(request: Request): string {
  return request.headers.get("cf-connecting-ip") ?? "";
}

/** Where to go after signing in: a page of the console, and nothing else. */
export function wayBack(to: string | undefined): string {
  return to !== undefined &&
    /^\/console\/[\w\-/?=&%.+~*]*$/.test(to) &&
    !to.includes("..") &&
    !to.startsWith("/console/sign-")
    ? to
    : "/console";
}

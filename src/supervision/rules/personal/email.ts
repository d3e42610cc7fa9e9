/** E-mail addresses (RFC 5321 and 6531, without quoted local parts and address literals). */
import type { Finding } from "../detector.js";
import type { Seek } from "../expression-scanner.js";
import { isUnspaced } from "./context.js";

/** A candidate, as RE2 source. */
export const emailCandidate = String.raw`[\p{L}\p{N}\p{M}._%+'&/=?^{|}~!#$*\-]*[\p{L}\p{N}\p{M}_%+\-]@(?:[\p{L}\p{N}\p{M}\-]+\.)+(?:[\p{L}\p{M}]{2,24}|xn--[a-zA-Z0-9\-]{2,59})`;

/** Every candidate has one `@`, and no white space before it. */
export const seekEmail: Seek = (text, from) => {
  const at = text.indexOf("@", from);
  if (at < 0) return undefined;
  let start = at;
  while (start > from && !isWhite(text.charCodeAt(start - 1))) start -= 1;
  return { start, until: at + 1 };
};
const isWhite = (unit: number): boolean => unit === 32 || (unit >= 9 && unit <= 13);

/** Names of image files for screens of higher density look like addresses. */
const densitySuffix = /@\d(?:\.\d)?x\.(?:png|jpe?g|gif|webp|svg|avif)$/i;

/** The address in a candidate, without what stands before it in code, in a path or in a script without spaces. */
export function findEmail(text: string, start: number, end: number): Finding[] {
  const candidate = text.slice(start, end);
  if (densitySuffix.test(candidate)) return [];
  const at = candidate.indexOf("@");
  let opening = /^[^\p{L}\p{N}_+]*/u.exec(candidate)?.[0].length ?? 0;
  const local = candidate.slice(0, at);
  opening = Math.max(opening, local.lastIndexOf("/") + 1);
  opening += /^[\w.?&-]*[\w-]=/.exec(local.slice(opening))?.[0].length ?? 0;
  const letters = Array.from(local.slice(opening));
  if (/[a-z0-9]$/i.test(local)) {
    const glued = letters.findLastIndex(isUnspaced);
    opening += letters.slice(0, glued + 1).join("").length;
  }
  return [{ start: start + opening, end: start + at + domainLength(candidate.slice(at)), mask: "[email]" }];
}

/** A domain of Latin letters ends where a script without spaces goes on straight after it. */
function domainLength(domain: string): number {
  const last = domain.lastIndexOf(".") + 1;
  const latin = /^[a-z]{2,24}/i.exec(domain.slice(last))?.[0] ?? "";
  const next = domain.slice(last + latin.length);
  return latin !== "" && isUnspaced(next.charAt(0)) ? last + latin.length : domain.length;
}

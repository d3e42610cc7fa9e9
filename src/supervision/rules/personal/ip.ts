/** Internet addresses: IPv4 in dotted decimal (RFC 6943), IPv6 in every text form of RFC 4291, without zone and prefix. */
import { trimEndOf } from "../../../text/edges.js";
import type { Finding } from "../detector.js";
import { isPartOfWord, leftOf } from "./context.js";

/** A candidate, as RE2 source: anything of hexadecimal digits, dots and colons with three of the latter two. */
export const ipCandidate =
  "[0-9A-Fa-f]{0,4}(?:[.:]{1,2}[0-9A-Fa-f]{1,4}){2,8}(?:::)?(?:[.:][0-9A-Fa-f]+)*|::[0-9A-Fa-f.:]*";

/** What four numbers with dots are after these. */
const notAnAddress =
  /(?:\bv|§+\s?|[a-z]\/|\b(?:version|versión|versão|versione|versie|version:|ver|firmware|release|build|section|chapter|clause|kapitel|abschnitt|oid|rev|sdk|driver|chrome|agent)s?[\s:=.#v]{0,3}|версия\s?|版本[:号]?\s?|バージョン\s?|إصدار\s?|संस्करण\s?|sürüm\w*\s?)$/i;

/** Ranges that are nobody's in particular: private, loopback, link-local, shared, unspecified, masks, multicast, documentation of none. */
const privateV4 =
  /^(?:0|10|127|2(?:2[4-9]|[34]\d|5[0-5]))\.|^192\.168\.|^169\.254\.|^172\.(?:1[6-9]|2\d|3[01])\.|^100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./;
const privateV6 = /^(?:::1?$|f[cd][0-9a-f]{2}:|fe[89ab][0-9a-f]:|ff[0-9a-f]{2}:)/i;

/** No address with the punctuation after it is longer; looking at longer ones would take more than linear time. */
const longestCandidate = 128;

/** Whether a text has a candidate that may be an address: four numbers, two colons in a row, or at least six colons. */
export const hasIp = /\d\.\d{1,3}\.\d{1,3}\.\d|::|(?:[0-9a-f]{1,4}:){6}/i;

/** Finds the address of a candidate; those of private ranges only if asked for. */
export function findIp(withPrivate: boolean): (text: string, start: number, end: number) => Finding[] {
  return (text, start, end) => {
    if (end - start > longestCandidate) return [];
    const before = start === 0 ? "" : text.charAt(start - 1);
    if (isPartOfWord(before) || /[.:-]/.test(before)) return [];
    const address = addressOf(text.slice(start, end));
    const after = text.charAt(start + address.length);
    if (isPartOfWord(after) && start + address.length === end) return [];
    const isCounted = address.includes(":") ? isV6(address) : isV4(address);
    if (!isCounted || (!address.includes(":") && notAnAddress.test(leftOf(text, start)))) return [];
    const isPrivate = address.includes(":") ? privateV6.test(address) : privateV4.test(address);
    return isPrivate && !withPrivate ? [] : [{ start, end: start + address.length, mask: "[ip]" }];
  };
}

/** A candidate without the full stop or colon of its sentence, and an IPv4 address without its port. */
function addressOf(candidate: string): string {
  const portless = /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/.exec(candidate)?.[1];
  if (portless !== undefined) return portless;
  return candidate.endsWith("::") ? candidate : trimEndOf(candidate, /[.:]/);
}

function isV4(text: string): boolean {
  return (
    /^\d{1,3}(?:\.\d{1,3}){3}$/.test(text) && text.split(".").every((part) => Number(part) < 256 && !/^0\d/.test(part))
  );
}

function isV6(text: string): boolean {
  const halves = text.split("::");
  if (halves.length > 2) return false;
  let groups = 0;
  for (const half of halves) {
    for (const part of half === "" ? [] : half.split(":")) {
      if (/^[0-9a-f]{1,4}$/i.test(part)) groups += 1;
      else if (isV4(part) && text.endsWith(part)) groups += 2;
      else return false;
    }
  }
  if (halves.length === 1) return groups === 8;
  // Two names with :: between are code more often than an address.
  return (
    groups <= 7 &&
    (/^::|^[23][0-9a-f]{3}:|^f[c-f][0-9a-f]{2}:|^64:ff9b:/i.test(text) || (groups >= 3 && /\d/.test(text)))
  );
}

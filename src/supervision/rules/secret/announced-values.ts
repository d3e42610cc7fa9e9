/** Finds values that a name announces: "password: …", `DB_PASSWORD=…`, "login: bob / …". */
import { trimEndOf } from "../../../text/edges.js";
import { wordsFor } from "./announcing-words.js";
import { closing, hasThreeClasses, isMixed, isPlausible, isStrong } from "./plausible.js";

const quote = String.raw`["'\x60*]{0,2}`;
const nameEnd = String.raw`[\w.\[\]-]{0,16}${quote}\)?`;
/** Further words between a name and its value: "password for the database is". */
const aside = String.raw`(?:\s{1,2}\(?[\p{L}\p{N}'’._-]{1,20}\)?){0,4}?`;
const linkOf = (): string => String.raw`\s{0,4}(?:${wordsFor("link").join("|")})\s{0,4}${quote}`;

/** Matches what a text ends with. The look-behind is tried first: at once, from the end, it rules out most texts. */
class Ending {
  private readonly behind: RegExp;
  private readonly leftmost: RegExp;

  constructor(source: string) {
    this.behind = new RegExp(`(?<=${source})`, "iuy");
    this.leftmost = new RegExp(`(?:${source})$`, "iu");
  }

  /** The longest ending that matches. */
  of(text: string): string | undefined {
    this.behind.lastIndex = text.length;
    return this.behind.test(text) ? this.leftmost.exec(text)?.[0] : undefined;
  }
}

interface Announcement {
  /** Before a candidate: name, aside, link. */
  before: Ending;
  /** Before a candidate, without a link. */
  bare: Ending;
  /** Within a candidate: a name at its end. */
  within: Ending;
}

function announcement(names: readonly string[]): Announcement {
  const [name, link] = [`(?:${names.join("|")})`, linkOf()];
  return {
    before: new Ending(`${name}${nameEnd}${aside}${link}`),
    bare: new Ending(String.raw`${name}\s{0,2}${quote}`),
    within: new Ending(String.raw`${name}[\w.\[\]-]{0,16}`),
  };
}

/** A user's name, and what stands between it and the password. */
const user = String.raw`[^\s/|:,;"'\x60]{1,40}`;
const divider = String.raw`${quote}(?:\s{0,2}[/|:,]\s{0,2}|\s{1,2})${quote}`;
const accountOf = (): string => `(?:${wordsFor("account").join("|")})${nameEnd}${linkOf()}`;

/** An id behind the kind of what it names, such as `order_7f3a9c21e0` and `size:7f6a939dc8f4`: records and caches are full of them. */
const recordId = /^(?!(?:tok|token|key|sk|pk|pat|api|auth|access|secret)[_-])[a-z]{1,20}[_:.-][0-9a-f]{6,16}$/;
/** Names after which anything that looks made up is a secret, an id too. */
const passwordNames = /pass|pw|secret/i;

function isRecordId(value: string, name: string): boolean {
  return recordId.test(trimEndOf(value, closing)) && !passwordNames.test(name);
}

const scheme = /\b(?:bearer|basic|token|apikey)\s{1,4}$/i;
const schemeValue = /^[A-Za-z0-9._~+/-]{12,}=*$/;

/** Fewest characters of a value. */
export const minValue = 6;
/** Most characters of a name. */
const nameWithin = 40;
/** Characters of a value that are looked at: longer ones are as secret. Looking at all would take more than linear time. */
const valueWithin = 256;

/** Place of a value in its candidate. */
interface Value {
  start: number;
  end: number;
}

export class AnnouncedValues {
  private readonly strongly = announcement(wordsFor("secret"));
  private readonly weakly = announcement([...wordsFor("weak"), ...wordsFor("vendor")]);
  private readonly harmless = new RegExp(wordsFor("harmless").join("|"), "iu");
  /** "login: bob / ", before the password. */
  private readonly beforePassword = new Ending(`${accountOf()}${user}${divider}`);
  /** "login: ", before `bob/` and the password in one candidate. */
  private readonly beforeUser = new Ending(`${accountOf()}|(?<![\\w-])(?:-u|--user)[ =]`);

  /** The announced value in a candidate; `left` is what stands before it. */
  find(candidate: string, left: string): Value | undefined {
    const within = this.within(candidate, left);
    if (within !== undefined) return { start: within, end: endOfValue(candidate, within) };
    if (this.isAnnounced(candidate.slice(0, valueWithin), left)) return { start: 0, end: endOfValue(candidate, 0) };
    const start = this.afterUser(candidate.slice(0, valueWithin), left);
    return start === undefined ? undefined : { start, end: candidate.length };
  }

  /** Where the value starts in a candidate such as `DB_PASSWORD=hunter22`. */
  private within(candidate: string, left: string): number | undefined {
    for (const { 0: sign, index } of candidate.matchAll(/[=:]{1,3}>?|\|\|/g)) {
      const start = index + sign.length;
      if (candidate.length - start < minValue) return undefined;
      const from = Math.max(0, start - nameWithin - 2);
      const near = candidate.slice(from, start + valueWithin);
      const value = near.slice(start - from, endOfValue(near, start - from));
      if (!isPlausible(value)) continue;
      const before = candidate.slice(Math.max(0, index - nameWithin), index);
      const name = index >= nameWithin ? before : (left + before).slice(-nameWithin);
      const isNamed =
        this.strongly.within.of(name) !== undefined || (isStrong(value) && this.weakly.within.of(name) !== undefined);
      if (!isNamed || this.harmless.test(name)) continue;
      // What stands in it is no name with a value of its own.
      return isRecordId(value, name) ? undefined : start;
    }
    return undefined;
  }

  /** Whether what stands before a candidate announces it. The value is looked at first: that is quicker. */
  private isAnnounced(value: string, left: string): boolean {
    if (!isPlausible(value)) return false;
    if (value.length >= 12 && /\d/.test(value) && scheme.test(left)) return schemeValue.test(trimEndOf(value, closing));
    if (this.isHarmful(this.strongly.before.of(left), value)) return true;
    const isStrongValue = isStrong(value);
    if (isStrongValue || isMixed(value)) {
      const weak = this.strongly.bare.of(left) ?? (isStrongValue ? this.weakly.before.of(left) : undefined);
      if (this.isHarmful(weak, value)) return true;
    }
    return hasThreeClasses(value) && this.isHarmful(this.beforePassword.of(left), value);
  }

  private isHarmful(announcement: string | undefined, value: string): boolean {
    return announcement !== undefined && !this.harmless.test(announcement) && !isRecordId(value, announcement);
  }

  /** Where the password starts in a candidate such as `bob/Passw0rd!` after "login: ". */
  private afterUser(candidate: string, left: string): number | undefined {
    const start = /^[\w.@+-]{1,40}[/|:]/.exec(candidate)?.[0].length;
    if (start === undefined || !hasThreeClasses(candidate.slice(start))) return undefined;
    return this.beforeUser.of(left) === undefined ? undefined : start;
  }
}

/** In an address a value ends at the next parameter. */
function endOfValue(candidate: string, start: number): number {
  const isParameter = /[?&][\w.-]{1,40}=$/.test(candidate.slice(Math.max(0, start - 42), start));
  const next = isParameter ? candidate.slice(start).search(/[&#]/) : -1;
  return next < 0 ? candidate.length : start + next;
}

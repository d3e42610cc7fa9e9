/** Texts of others, as a reviewer has to see them: what a model reads and an eye doesn't is shown, long ones are folded, links say where they go. */
import type { Child } from "hono/jsx";
import { ownValue } from "../conversation/own-value.js";

/** Characters that can't be seen, or turn the order of others. */
const hidden = /(?![\n\t])(?:\p{Cc}|\p{Cf}|[\u{e0100}-\u{e01ef}])/u;
const address = /https?:\/\/[^\s<>"'`]{1,2000}/;
/** A word, so that letters that look alike are seen to be of different scripts. */
const word = /[\p{L}\p{M}]{2,100}/u;
const pieces = new RegExp(`(${address.source})|(${word.source})|(${hidden.source})`, "gu");

const lookAlike = [
  ["Latin", /\p{Script=Latin}/u],
  ["Cyrillic", /\p{Script=Cyrillic}/u],
  ["Greek", /\p{Script=Greek}/u],
] as const;
/** What a joiner belongs behind: emoji, and letters of scripts that join. */
const joins =
  /(?:\p{Extended_Pictographic}|\ufe0f|\p{Emoji_Modifier}|\p{Script=Arabic}|\p{Script=Devanagari}|\p{Script=Bengali}|\p{Script=Malayalam}|\p{Script=Sinhala}|\p{Script=Kannada}|\p{Script=Telugu}|\p{Script=Tamil})$/u;

const names: Readonly<Record<string, string>> = {
  "00AD": "soft hyphen",
  "061C": "Arabic letter mark",
  "200B": "zero-width space",
  "200C": "zero-width non-joiner",
  "200D": "zero-width joiner",
  "200E": "left-to-right mark",
  "200F": "right-to-left mark",
  "202A": "left-to-right embedding",
  "202B": "right-to-left embedding",
  "202C": "end of embedding",
  "202D": "left-to-right override",
  "202E": "right-to-left override",
  "2060": "word joiner",
  "2066": "left-to-right isolate",
  "2067": "right-to-left isolate",
  "2068": "isolate",
  "2069": "end of isolate",
  FEFF: "byte order mark",
};

/** What is shown of a text at once, in characters. */
const foldAt = 2_000;

/** A text of somebody else. @param text as it is stored */
export function Text({ text, inline }: { readonly text: string; readonly inline?: boolean }) {
  if (inline) return <bdi>{visible(text)}</bdi>;
  if (text.length <= foldAt * 1.5)
    return (
      <div class="text" dir="auto">
        {visible(text)}
      </div>
    );
  const cut = cutOf(text);
  return (
    <div class="text" dir="auto">
      {visible(text.slice(0, cut))}
      <details class="rest">
        <summary>{`The other ${(text.length - cut).toLocaleString("en")} characters`}</summary>
        {visible(text.slice(cut))}
      </details>
    </div>
  );
}

/** At a space, if there is one near; never within a character. */
function cutOf(text: string): number {
  const space = text.lastIndexOf(" ", foldAt);
  if (space > foldAt / 2) return space + 1;
  return (text.charCodeAt(foldAt) & 0xfc00) === 0xdc00 ? foldAt + 1 : foldAt;
}

/** The text with its hidden characters as marks, words of mixed scripts marked, and addresses as links to the page that asks first. */
function visible(text: string): Child[] {
  const shown: Child[] = [];
  let end = 0;
  for (const found of text.matchAll(pieces)) {
    const [whole, link, letters] = found;
    const made =
      link === undefined
        ? letters === undefined
          ? markOf(whole, text.slice(Math.max(0, found.index - 2), found.index))
          : mixed(letters)
        : linkTo(link);
    if (made === undefined) continue;
    if (found.index > end) shown.push(text.slice(end, found.index));
    shown.push(made);
    end = found.index + whole.length;
  }
  shown.push(text.slice(end));
  return shown;
}

function markOf(character: string, before: string): Child {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  if ((code === "200C" || code === "200D") && joins.test(before)) return undefined;
  const name = ownValue(names, code) ?? (code.startsWith("E0") ? "invisible tag" : "control character");
  return (
    <b class="mark" title={`U+${code} ${name}`}>
      {`⟨${name}⟩`}
    </b>
  );
}

function mixed(letters: string): Child {
  const scripts = lookAlike.flatMap(([name, pattern]) => (pattern.test(letters) ? [name] : []));
  if (scripts.length < 2) return undefined;
  return (
    <b class="mark" title={`${scripts.join(" and ")} letters in one word`}>
      {letters}
    </b>
  );
}

function linkTo(to: string): Child {
  return (
    <a class="away" href={`/console/link?to=${encodeURIComponent(to)}`}>
      {to}
    </a>
  );
}

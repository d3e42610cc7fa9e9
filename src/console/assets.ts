/** The console's style and script: files of their own at addresses that change with what is in them. */
import { lazily } from "../text/lazily.js";
import script from "./page/script.js";
import style from "./page/style.css";

interface Asset {
  readonly text: string;
  readonly type: string;
}

const files = {
  style: { text: style, type: "text/css; charset=utf-8", end: "css" },
  script: { text: script, type: "text/javascript; charset=utf-8", end: "js" },
} as const;

const addresses = lazily(() =>
  Object.fromEntries(
    Object.entries(files).map(([name, { text, end }]) => [name, `/console/assets/${digest(text)}.${end}`]),
  ),
);

export function addressOf(name: keyof typeof files): string {
  return addresses()[name] ?? "";
}

/** What is at this address; nothing where another version was. */
export function assetAt(path: string): Asset | undefined {
  return Object.entries(files).flatMap(([name, asset]) => (addresses()[name] === path ? [asset] : []))[0];
}

/** Tells texts apart, without a promise that a request would leave behind: FNV-1a over 52 bits. No secret rests on it. */
export function digest(text: string): string {
  let [low, high] = [0x811c9dc5, 0x1b873593];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ (code + at), 0x01000193);
  }
  return (low >>> 0).toString(36) + (high >>> 0).toString(36);
}

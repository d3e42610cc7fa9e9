/** The console's style and script: files of their own at addresses that change with what is in them. They are written in `page`. */

interface Asset {
  readonly address: string;
  readonly text: string;
  readonly type: string;
}

const files = {
  style: { file: "style.css", type: "text/css; charset=utf-8", end: "css" },
  script: { file: "script.js", type: "text/javascript; charset=utf-8", end: "js" },
} as const;

const read = new Map<string, Asset>();

/** Before a page is made: reads them once. */
export async function readAssets(readPage: (file: string) => Promise<ArrayBuffer | undefined>): Promise<void> {
  for (const [name, { file, type, end }] of Object.entries(files)) {
    if (read.has(name)) continue;
    const found = await readPage(`docs/generated/console/${file}`);
    if (found === undefined) throw new Error(`docs/generated has no ${file}: node scripts/assets.mjs makes it`);
    const text = new TextDecoder().decode(found);
    read.set(name, { address: `/console/assets/${digest(text)}.${end}`, text, type });
  }
}

export function addressOf(name: keyof typeof files): string {
  return read.get(name)?.address ?? "";
}

/** What is at this address; nothing where another version was. */
export function assetAt(path: string): Asset | undefined {
  return [...read.values()].find(({ address }) => address === path);
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

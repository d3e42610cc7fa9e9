/** Our own training texts: parts in `data/own-parts.txt`, put together in a fixed order that looks random. */

type Kind = "secret" | "frame" | "override" | "whole" | "harmless" | "manner" | "prose";

export interface OwnText {
  readonly lang: string;
  readonly label: 0 | 1;
  readonly text: string;
}

/** How many texts a language gets of each mixture. */
const mixtures: readonly { label: 0 | 1; outer: Kind; inner: Kind; share: number }[] = [
  { label: 1, outer: "frame", inner: "secret", share: 1.5 },
  { label: 1, outer: "override", inner: "secret", share: 0.75 },
  { label: 1, outer: "override", inner: "harmless", share: 1.5 },
  { label: 1, outer: "override", inner: "whole", share: 0.5 },
  { label: 0, outer: "manner", inner: "harmless", share: 4 },
];

/** Texts of all languages from their parts. */
export function ownTexts(file: string): OwnText[] {
  const texts: OwnText[] = [];
  for (const [lang, parts] of readParts(file)) {
    for (const kind of ["secret", "whole", "harmless", "prose"] as const) {
      for (const text of parts.get(kind) ?? [])
        texts.push({ lang, label: kind === "harmless" || kind === "prose" ? 0 : 1, text });
    }
    for (const { label, outer, inner, share } of mixtures) {
      const [outers, inners] = [parts.get(outer) ?? [], parts.get(inner) ?? []];
      if (outers.length === 0 || inners.length === 0) continue;
      const count = Math.min(outers.length * inners.length, Math.round(outers.length * share));
      // Steps of a size that has no divisor in common with most lengths meet each part about equally often.
      for (let at = 0; at < count; at++) {
        const part = inners[(at * 7 + Math.floor(at / outers.length)) % inners.length] ?? "";
        texts.push({ lang, label, text: (outers[at % outers.length] ?? "").replace("{a}", () => part) });
      }
    }
  }
  return texts;
}

function readParts(file: string): Map<string, Map<Kind, string[]>> {
  const languages = new Map<string, Map<Kind, string[]>>();
  let parts: string[] = [];
  for (const line of file.split("\n")) {
    const head = /^\[([a-z]{2}) (secret|frame|override|whole|harmless|manner|prose)\]$/.exec(line);
    if (head !== null) {
      const [, lang = "", kind] = head;
      parts = [];
      const ofLanguage = languages.get(lang) ?? new Map<Kind, string[]>();
      languages.set(lang, ofLanguage);
      ofLanguage.set(kindOf(kind), parts);
    } else if (line !== "" && !line.startsWith("# ")) parts.push(line);
  }
  return languages;
}

function kindOf(name: string | undefined): Kind {
  switch (name) {
    case "secret":
    case "frame":
    case "override":
    case "whole":
    case "manner":
    case "prose":
      return name;
    default:
      return "harmless";
  }
}

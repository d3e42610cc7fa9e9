/** Our own labelled texts: rows of language, label, perhaps a technique, and the text with `\n` for a line's end, parted by tabs. */
import { readFileSync } from "node:fs";
import { type LabelledText, labelledTextSchema } from "./rule-labels.js";

/** Reads the rows of a file. @param source what they say they are from; without it, the technique of each */
export function readLabelledRows(file: string, source?: string): LabelledText[] {
  const rows = readFileSync(file, "utf8").trimEnd().split("\n");
  return rows.map((row) => {
    const [lang, label, ...more] = row.split("\t");
    const text = more.at(-1)?.replaceAll("\\n", "\n");
    const named = source ?? (more.length > 1 ? more[0] : "");
    return labelledTextSchema.parse({ text, label: Number(label), lang, source: named, family: "own", split: "own" });
  });
}

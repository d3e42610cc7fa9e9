/** Reads files of JSON lines, plain or gzipped. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/** The values of a file's lines; empty lines are passed over. @param path of a file; one that ends in `.gz` is unpacked. */
export function readJsonLines(path: string): unknown[] {
  const bytes = readFileSync(path);
  const text = path.endsWith(".gz") ? gunzipSync(bytes).toString("utf8") : bytes.toString("utf8");
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line): unknown => JSON.parse(line));
}

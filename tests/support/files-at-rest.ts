/** What stands in the files of a Worker's objects, databases and buckets, whichever row or free byte it stands in. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync } from "node:zlib";
import { z } from "zod";

const pageBytes = 4_096;
const pages = z.array(z.object({ pageno: z.int(), name: z.string() }));

/**
 * Which of the words stand in which table's pages, used and free bytes alike, as `folder/table: word`. What a write-ahead log holds is written
 * into its file first, as SQLite does with it sooner or later. What lies in a bucket is read as it was before it was compressed.
 * @param isVacuumed as SQLite leaves a file that it has written anew: rows alone
 */
export function wordsOnDisk(storage: string, words: readonly string[], isVacuumed = false): string[] {
  const copy = mkdtempSync(join(tmpdir(), "conclave-files-"));
  try {
    cpSync(storage, copy, { recursive: true });
    const files = readdirSync(copy, { recursive: true, encoding: "utf8" });
    return [
      ...files
        .filter((file) => file.endsWith(".sqlite") && /(^|\/)(do|d1|r2)\//.test(file))
        .flatMap((file) =>
          wordsInFile(join(copy, file), words, isVacuumed).map((found) => `${basename(dirname(file))}/${found}`),
        ),
      ...blobsIn(copy).flatMap((text) => words.filter((word) => text.includes(word)).map((word) => `bucket: ${word}`)),
    ];
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** What lies in buckets. */
export function blobsIn(storage: string): string[] {
  return readdirSync(storage, { recursive: true, encoding: "utf8" })
    .filter((file) => /(^|\/)r2\/.*\/blobs\/[^/]+$/.test(file))
    .map((file) => readFileSync(join(storage, file)))
    .map((bytes) =>
      (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString("latin1").toLowerCase(),
    );
}

function wordsInFile(file: string, words: readonly string[], isVacuumed: boolean): string[] {
  const database = new DatabaseSync(file);
  if (isVacuumed) database.exec("VACUUM");
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  const tables = new Map(
    pages.parse(database.prepare("SELECT pageno, name FROM dbstat").all()).map(({ pageno, name }) => [pageno, name]),
  );
  database.close();
  const text = readFileSync(file, "latin1").toLowerCase();
  const found = new Set<string>();
  for (const word of words) {
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
      found.add(`${tables.get(Math.floor(at / pageBytes) + 1) ?? "free page"}: ${word}`);
    }
  }
  return [...found];
}

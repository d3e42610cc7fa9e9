// Makes what the Worker serves and doesn't need to have in its upload, in `docs/generated`: the API's document, the schemas of files, the
// console's style and script. Wrangler runs it before it builds (wrangler.toml, *build*), tests before they start. Does nothing where
// what they are made of is as it was.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const sources = ["src", "scripts/make-assets.ts", "scripts/openapi-document.ts", "package-lock.json"];
const madeOf = join(root, "docs/generated/made-of.txt");

const now = digest();
if (!existsSync(madeOf) || readFileSync(madeOf, "utf8") !== now) {
  mkdirSync(dirname(madeOf), { recursive: true });
  const { status } = spawnSync("tsx", ["scripts/make-assets.ts"], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, PATH: `${join(root, "node_modules/.bin")}:${process.env.PATH}` },
  });
  if (status !== 0) throw new Error("the assets can't be made");
  writeFileSync(madeOf, now);
}

function digest() {
  const hash = createHash("sha256");
  for (const source of sources) {
    const path = join(root, source);
    const files = source === "src" ? filesOf(path) : [path];
    for (const file of files)
      if (existsSync(file)) hash.update(`${file.slice(root.length)}\n`).update(readFileSync(file));
  }
  return hash.digest("hex");
}

function filesOf(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []))
    .sort();
}

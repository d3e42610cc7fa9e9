// Writes `docs/generated`; `scripts/assets.mjs` says when.
import { copyFileSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileSchema, kindsOfFiles } from "../src/http/document/file-schema.js";
import { apiDocumentOfAll } from "./openapi-document.js";

const folder = "docs/generated";
const document = apiDocumentOfAll();
write("openapi.json", JSON.stringify(document));
for (const kind of kindsOfFiles(document)) write(`schemas/${kind}.json`, JSON.stringify(fileSchema(document, kind)));
for (const file of ["script.js", "style.css"])
  put(`console/${file}`, (to) => copyFileSync(`src/console/page/${file}`, to));

function write(name: string, text: string): void {
  put(name, (to) => writeFileSync(to, text));
}

/** All at once: others may read it meanwhile, or write the same. */
function put(name: string, write: (to: string) => void): void {
  const [whole, made] = [join(folder, name), join(".wrangler", `${process.pid}-${name.replace("/", "-")}`)];
  for (const file of [whole, made]) mkdirSync(dirname(file), { recursive: true });
  write(made);
  renameSync(made, whole);
}

// The API's document, made without a Worker. Run with a file's name it is written there: `tsx scripts/openapi-document.ts openapi.json`.
import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { describedFaces } from "../src/faces.js";
import { apiDocument } from "../src/http/document/api-document.js";
import type { ApiDocument } from "../src/http/document/model.js";

export async function apiDocumentOfAll(): Promise<ApiDocument> {
  return apiDocument(await Promise.all(describedFaces.map((load) => load())));
}

export async function openApiDocument(): Promise<string> {
  return JSON.stringify(await apiDocumentOfAll(), null, 1);
}

const [, script = "", file] = process.argv;
if (import.meta.url === pathToFileURL(script).href) writeFileSync(file ?? "openapi.json", await openApiDocument());

// The API's document, made without a Worker. Run with a file's name it is written there: `tsx scripts/openapi-document.ts openapi.json`.
import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { api } from "../src/http/api.js";
import { apiDocument } from "../src/http/document/api-document.js";
import type { ApiDocument } from "../src/http/document/model.js";
import { documentationFace } from "../src/http/openapi.js";
import { system } from "../src/http/routes/health.js";
import { describedOpenAi } from "../src/openai/document.js";

export function apiDocumentOfAll(): ApiDocument {
  return apiDocument([system, api, describedOpenAi, documentationFace]);
}

export function openApiDocument(): string {
  return JSON.stringify(apiDocumentOfAll(), null, 1);
}

const [, script = "", file] = process.argv;
if (import.meta.url === pathToFileURL(script).href) writeFileSync(file ?? "openapi.json", openApiDocument());

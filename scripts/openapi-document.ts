// The API's document, made without a Worker. Run with a file's name it is written there: `tsx scripts/openapi-document.ts openapi.json`.
import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { createApp } from "../src/http/app.js";
import { apiDocument } from "../src/http/openapi.js";
import { openAiFace } from "../src/openai/face.js";

export function openApiDocument(): string {
  const app = createApp(
    () => {
      throw new Error("no request is made here");
    },
    {},
    [openAiFace],
  );
  return JSON.stringify(apiDocument(app), null, 1);
}

const [, script = "", file] = process.argv;
if (import.meta.url === pathToFileURL(script).href) writeFileSync(file ?? "openapi.json", openApiDocument());

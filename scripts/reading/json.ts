/** Where JSON is parsed without the limits of `readJson`: only what we wrote ourselves may be. */
import { Visitor } from "oxc-parser";
import { lineOf, type SourceFile } from "./sources.js";

/** Whose JSON is ours, and why. Places are files, or folders that end in a slash. */
const ownJson: Readonly<Record<string, string>> = {
  "src/text/json.ts": "readJson itself",
  "src/stores/": "rows that we wrote: what came from outside was read by readJson on its way in",
  "durable-objects/": "rows that we wrote, and calls between our own objects",
  "src/gateways/wire.ts": "what crosses between the Worker and its objects",
  "src/conversation/actor-record.ts": "a column that we wrote",
  "src/catalogues/events.ts": "events that we stored",
  "src/catalogues/outbox.ts": "what we put into the outbox",
  "src/catalogues/webhooks.ts": "events that we stored",
  "src/chat/turn-calls.ts": "events that we stored",
  "src/http/ui-chat/stream.ts": "our own stream of events",
  "src/mcp/steps.ts": "our own stream of events",
  "src/http/openapi.ts": "schemas that were made before the upload",
  "src/http/site/reference.ts": "our own document, made before the upload",
  "src/client/": "runs in the caller's process, and reads our answers",
  "src/command-line/": "runs in the caller's process, and reads its own files",
};

const isIn = (path: string) => (place: string) => (place.endsWith("/") ? path.startsWith(place) : path === place);

/** A line for each place that parses JSON by itself, and for each row of the table that is about nothing. */
export function unboundedJson(files: readonly SourceFile[], own: Readonly<Record<string, string>> = ownJson): string[] {
  const found = files.flatMap((file) => parsedIn(file).map((line) => ({ path: file.path, line })));
  const places = Object.keys(own);
  return [
    ...found
      .filter(({ path }) => !places.some(isIn(path)))
      .map(({ path, line }) => `${path}:${line}: reads JSON without limits; use readJson of src/text/json.ts`),
    ...places
      .filter((place) => !found.some(({ path }) => isIn(path)(place)))
      .map((place) => `${place}: parses no JSON any more; take it out of scripts/reading/json.ts`),
  ];
}

/** Lines with `JSON.parse`, called or passed on, or with `something.json()`. */
function parsedIn({ source, program }: SourceFile): number[] {
  const lines: number[] = [];
  new Visitor({
    MemberExpression({ object, property, start }) {
      if (object.type !== "Identifier" || object.name !== "JSON") return;
      if (property.type === "Identifier" && property.name === "parse") lines.push(lineOf(source, start));
    },
    CallExpression({ callee, arguments: given, start }) {
      if (callee.type !== "MemberExpression" || given.length > 0) return;
      if (callee.property.type === "Identifier" && callee.property.name === "json") lines.push(lineOf(source, start));
    },
  }).visit(program);
  return lines;
}

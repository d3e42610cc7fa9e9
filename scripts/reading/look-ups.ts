/**
 * Where a plain object is asked for a name that somebody else may have chosen: it also answers to the names of its prototype (`constructor`,
 * `toString`), and what is written under `__proto__` is lost. `ownValue` looks up what it has itself; `Object.fromEntries` makes one of any names.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type Node, SyntaxKind } from "typescript/unstable/ast";
import { isBinaryExpression, isElementAccessExpression } from "typescript/unstable/ast/is";
import { API } from "typescript/unstable/sync";
import { lineOf } from "./sources.js";

/** Where names are ours, and why. Places are files, or folders that end in a slash. */
const ownNames: Readonly<Record<string, string>> = {
  "src/http/document/": "the document, which is made of our own routes",
  "src/http/act-routes.ts": "fields that an act's route names",
  "src/channels/connection.ts": "kinds of the table itself",
  "src/client/perform.ts": "parameters of the table of operations",
  "src/command-line/": "runs in the caller's process, over the caller's own files",
  "src/stores/list-filter.ts": "names of indexes",
  "src/model/providers/offline/schema-reading.ts": "keywords that the callers write out",
  "src/application/subjects/read-subject.ts": "kinds of the table of what is a person's",
  "src/application/as-read.ts": "names that were listed of the records themselves",
  "src/roundtable/estimates.ts": "one of the four signs that the pattern finds",
  "src/supervision/rules/personal/national-id-checks.ts": "checks that our own table names",
};

const isIn = (path: string) => (place: string) => (place.endsWith("/") ? path.startsWith(place) : path === place);

/** A line for each look-up by a text that isn't one of known ones, and for each row of the table that is about nothing. */
export function foreignLookUps(
  config = "tsconfig.json",
  folders: readonly string[] = ["src", "durable-objects"],
  own: Readonly<Record<string, string>> = ownNames,
): string[] {
  const api = new API();
  try {
    const [project] = api.updateSnapshot({ openProjects: [config] }).getProjects();
    if (project === undefined) return [`${config}: there is no such project`];
    const { program, checker } = project;
    const found = folders.flatMap(sourcesIn).flatMap((path) => {
      const file = program.getSourceFile(join(process.cwd(), path)) ?? program.getSourceFile(path);
      if (file === undefined) return [];
      const looked = lookUpsIn(file);
      if (looked.length === 0) return [];
      const types = checker.getTypeAtLocation(looked.map(({ name }) => name));
      return looked.flatMap(({ name, object, around }, at) => {
        const type = types[at];
        if (type === undefined || !/\bstring\b/.test(checker.typeToString(type))) return [];
        const [written, of] = [name, object].map((node) => file.text.slice(node.pos, node.end).trim());
        const isAsked = file.text.slice(around.pos, around.end).includes(`Object.hasOwn(${of}, ${written})`);
        return isAsked ? [] : [{ path, line: lineOf(file.text, name.pos), written: `${of}[${written}]` }];
      });
    });
    const places = Object.keys(own);
    return [
      ...found
        .filter(({ path }) => !places.some(isIn(path)))
        .map(({ path, line, written }) => `${path}:${line}: ${written} finds what isn't its own; use ownValue`),
      ...places
        .filter((place) => !found.some(({ path }) => isIn(path)(place)))
        .map((place) => `${place}: looks nothing up any more; take it out of scripts/reading/look-ups.ts`),
    ];
  } finally {
    api.close();
  }
}

function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path) && !path.endsWith(".d.ts"))
    .map((path) => `${folder}/${path.replaceAll("\\", "/")}`)
    .toSorted();
}

interface LookUp {
  readonly object: Node;
  readonly name: Node;
  /** The statement or condition that it stands in. */
  readonly around: Node;
}

/** `object[name]`, read or written, and `name in object`. */
function lookUpsIn(file: Node): LookUp[] {
  const found: LookUp[] = [];
  const visit = (node: Node, around: Node): void => {
    if (isElementAccessExpression(node)) found.push({ object: node.expression, name: node.argumentExpression, around });
    if (isBinaryExpression(node) && node.operatorToken.kind === SyntaxKind.InKeyword)
      found.push({ object: node.right, name: node.left, around });
    const isStatement = node.kind >= SyntaxKind.FirstStatement && node.kind <= SyntaxKind.LastStatement;
    node.forEachChild((child) => visit(child, isStatement ? node : around));
  };
  file.forEachChild((child) => visit(child, child));
  return found;
}

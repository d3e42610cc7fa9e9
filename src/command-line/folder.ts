/** A tenant's configuration as a folder: a file for each resource, YAML or, of rules and references, Markdown with front matter. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Document, isMap, isScalar, LineCounter, parseDocument, stringify } from "yaml";
import { fileNamed } from "./private-file.js";

export const folders = [
  ...["agents", "supervisors", "rules", "references", "tools", "teams", "panels", "prompts"],
  ...["limits", "webhooks", "channels"],
] as const;
export type Folder = (typeof folders)[number];

const inMarkdown: ReadonlySet<string> = new Set(["rules", "references"]);

export type Body = Readonly<Record<string, unknown>>;

export interface ConfigFile {
  readonly path: string;
  /** `settings` of the tenant's. */
  readonly folder: Folder | "settings";
  readonly name: string;
  readonly body: Body;
  /** The line of a field, counted from 1; that of the nearest field around it. */
  readonly lineOf: (field: readonly (string | number)[]) => number;
}

/** What is wrong with a file, where, and what would be right. */
export interface FileFault {
  /** With the line, counted from 1: `agents/clerk.yaml:5`. */
  readonly path: string;
  readonly message: string;
}

/** Files that can't be stored; nothing was changed. */
export class FolderError extends Error {
  override readonly name = "FolderError";
  constructor(readonly faults: readonly FileFault[]) {
    super("the folder can't be read or stored like this. Nothing was changed");
  }
}

export const faultAt = (path: string, line: number, message: string): FileFault => ({
  path: `${path}:${line}`,
  message,
});

const wrong = (path: string, line: number, message: string): FolderError =>
  new FolderError([faultAt(path, line, message)]);

const named = /^([A-Za-z0-9_-]{1,100})\.(yaml|yml|json|md)$/;
const frontMatter = /^---\r?\n([\s\S]*?)^---\r?\n?/m;

/** Every file of a folder. @throws {FolderError} for the first that can't be read */
export function readFolder(root: string): ConfigFile[] {
  const files = folders.flatMap((folder) => {
    const place = join(root, folder);
    if (!existsSync(place)) return [];
    return readdirSync(place)
      .toSorted()
      .filter((file) => !file.startsWith("."))
      .map((file) => readConfigFile(join(place, file), folder, file));
  });
  const settings = join(root, "settings.yaml");
  const whole = existsSync(settings) ? [...files, readYaml(settings, "settings", "settings", 0)] : files;
  const seen = new Map<string, string>();
  for (const { folder, name, path } of whole) {
    const other = seen.get(`${folder}/${name}`);
    if (other !== undefined) throw wrong(path, 1, `it is ${folder}/${name}, as ${other} is: keep one of them`);
    seen.set(`${folder}/${name}`, path);
  }
  return whole;
}

function readConfigFile(path: string, folder: Folder, file: string): ConfigFile {
  const [, name = "", form] = named.exec(file) ?? [];
  const right = inMarkdown.has(folder) ? "name.md or name.yaml" : "name.yaml";
  if (name === "" || (form === "md" && !inMarkdown.has(folder))) {
    throw wrong(path, 1, `a file in ${folder} is called ${right}: letters, digits, hyphens and underscores`);
  }
  return form === "md" ? readMarkdown(path, folder, name) : readYaml(path, folder, name, 0);
}

function readYaml(
  path: string,
  folder: ConfigFile["folder"],
  name: string,
  linesBefore: number,
  text = readFileSync(path, "utf8"),
): ConfigFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [error] = document.errors;
  if (error !== undefined) {
    throw wrong(
      path,
      lines.linePos(error.pos[0]).line + linesBefore,
      `${error.message.split(" at line ")[0]}: write fields as \`name: value\``,
    );
  }
  const body: unknown = document.toJS() ?? {};
  if (!isBody(body)) throw wrong(path, 1 + linesBefore, "it has to hold fields, as `name: value`");
  return { path, folder, name, body, lineOf: (field) => lineOf(document, lines, field) + linesBefore };
}

function readMarkdown(path: string, folder: Folder, name: string): ConfigFile {
  const text = readFileSync(path, "utf8");
  const [head = "", fields = ""] = text.startsWith("---") ? (frontMatter.exec(text) ?? []) : [];
  if (head === "" && text.startsWith("---"))
    throw wrong(path, 1, "its front matter doesn't end: close it with a line `---`");
  const file = readYaml(path, folder, name, head === "" ? 0 : 1, fields);
  const after = head.split("\n").length;
  return {
    ...file,
    body: { ...file.body, text: text.slice(head.length).replace(/\r?\n$/, "") },
    lineOf: (field) => (field[0] === "text" ? after : file.lineOf(field)),
  };
}

function lineOf(document: Document, lines: LineCounter, field: readonly (string | number)[]): number {
  for (let depth = field.length; depth > 0; depth--) {
    const holder = depth === 1 ? document.contents : document.getIn(field.slice(0, depth - 1), true);
    const last = field[depth - 1];
    const pair = isMap(holder) ? holder.items.find(({ key }) => String(key) === String(last)) : undefined;
    const node: unknown = pair?.key ?? document.getIn(field.slice(0, depth), true);
    const range = typeof node === "object" && node !== null && "range" in node ? node.range : undefined;
    if (Array.isArray(range) && typeof range[0] === "number") return lines.linePos(range[0]).line;
  }
  return 1;
}

/** Writes what the tenant has; in a file that is there comments and the order of fields stay. @returns the path */
export function writeConfigFile(
  root: string,
  known: ConfigFile | undefined,
  of: { folder: ConfigFile["folder"]; name: string; body: Body; schema: string },
): string {
  const { folder, name, body, schema } = of;
  const form = inMarkdown.has(folder) && !known?.path.endsWith("ml") ? "md" : "yaml";
  const path =
    known?.path ?? (folder === "settings" ? join(root, "settings.yaml") : fileNamed(join(root, folder), name, form));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, path.endsWith(".md") ? markdownOf(body, known) : yamlOf(body, known, schema));
  return path;
}

export function removeConfigFile({ path }: ConfigFile): void {
  rmSync(path);
}

function markdownOf({ text, ...fields }: Body, known: ConfigFile | undefined): string {
  const before = known === undefined ? undefined : (frontMatter.exec(readFileSync(known.path, "utf8"))?.[1] ?? "");
  const head = Object.keys(fields).length === 0 ? "" : `---\n${merged(before ?? "", fields)}---\n`;
  return `${head}${String(text)}\n`;
}

function yamlOf(body: Body, known: ConfigFile | undefined, schema: string): string {
  if (known === undefined) return `# yaml-language-server: $schema=${schema}\n${stringify(body, { lineWidth: 0 })}`;
  return merged(readFileSync(known.path, "utf8"), body);
}

/** The text with these fields: what is the same stays as it is written, with its comments. */
function merged(text: string, body: Body): string {
  const document = parseDocument(text);
  if (!isMap(document.contents)) return stringify(body, { lineWidth: 0 });
  mergeInto(document, [], document.toJS(), body);
  return document.toString({ lineWidth: 0 });
}

function mergeInto(document: Document, at: readonly (string | number)[], before: unknown, after: unknown): void {
  if (isBody(before) && isBody(after)) {
    for (const field of Object.keys(before)) if (!(field in after)) document.deleteIn([...at, field]);
    for (const [field, value] of Object.entries(after)) mergeInto(document, [...at, field], before[field], value);
    return;
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    for (const [index, item] of after.entries()) mergeInto(document, [...at, index], before[index], item);
    return;
  }
  if (JSON.stringify(before) === JSON.stringify(after)) return;
  const node: unknown = document.getIn(at, true);
  // A value in its place keeps the comment behind it.
  if (isScalar(node) && (typeof after !== "object" || after === null)) node.value = after;
  else document.setIn(at, document.createNode(after));
}

export function isBody(value: unknown): value is Body {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Which deployment a command talks to, with which key, and how it says what came of it. */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import { Conclave, ConclaveError, type Page } from "../client/index.js";
import { FolderError, isBody } from "./folder.js";
import { writePrivately } from "./private-file.js";

/** Variables of the environment. */
type Environment = Readonly<Record<string, string | undefined>>;

/** Options of every command. */
export interface Common {
  readonly json?: boolean;
  readonly url?: string;
  readonly dir?: string;
}

/** A command that can't be done, with what to do about it. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

export interface Place {
  readonly url: string;
  readonly root: string;
  readonly conclave: Conclave;
}

/** CONCLAVE_URL and CONCLAVE_KEY come before `conclave.yaml` and what `conclave login` has kept. */
export function placeOf({ url: given, dir = "." }: Common, env: Environment = process.env): Place {
  const named = given ?? env.CONCLAVE_URL ?? urlOfFolder(dir);
  const url = named === undefined ? undefined : withoutSlash(named);
  if (url === undefined)
    throw new CommandError(
      "which deployment? Give --url, set CONCLAVE_URL, or write `url: https://…` into conclave.yaml",
    );
  const token = env.CONCLAVE_KEY ?? keysKept(env)[url];
  if (token === undefined)
    throw new CommandError(`there is no key for ${url}: set CONCLAVE_KEY, or run \`conclave login --url ${url}\``);
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new CommandError("the key isn't one: keys are cnk_ and letters and digits. Was it copied whole?");
  return { url, root: dir, conclave: new Conclave({ baseUrl: url, token }) };
}

export function urlOfFolder(dir: string): string | undefined {
  const path = join(dir, "conclave.yaml");
  if (!existsSync(path)) return undefined;
  const read: unknown = parse(readFileSync(path, "utf8"));
  return isBody(read) && typeof read.url === "string" ? read.url : undefined;
}

function keyFile(env: Environment): string {
  return join(env.XDG_CONFIG_HOME ?? join(homedir(), ".config"), "conclave", "keys.json");
}

function keysKept(env: Environment): Readonly<Record<string, string>> {
  const path = keyFile(env);
  if (!existsSync(path)) return {};
  const read: unknown = JSON.parse(readFileSync(path, "utf8"));
  return isBody(read) ? Object.fromEntries(Object.entries(read).map(([url, key]) => [url, String(key)])) : {};
}

/** Into a file that only its owner reads. @returns its path */
export function keepKey(url: string, key: string, env: Environment = process.env): string {
  const path = keyFile(env);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writePrivately(path, `${JSON.stringify({ ...keysKept(env), [withoutSlash(url)]: key }, null, 2)}\n`);
  return path;
}

/** An address without a slash at its end, under which its key is kept. */
function withoutSlash(url: string): string {
  return url.endsWith("/") ? url.slice(0, -1) : url;
}

/** Everything that a list has, page after page. */
export async function allPages<T>(
  read: (page: { readonly limit: number; readonly cursor?: string }) => Promise<Page<T>>,
  limit = 200,
): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<T> = await read({ limit, ...(cursor === null ? {} : { cursor }) });
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return items;
}

/** What is piped in. */
export const input = { read: (): string => readFileSync(0, "utf8") };

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Says how far a long work is; nothing once it is done. */
export type Progress = (line: string) => void;

/** On one line of the terminal that the next one replaces; where nobody looks, or JSON is asked for, nothing. */
export function progressOf(
  { json }: Common,
  to: Pick<NodeJS.WriteStream, "isTTY" | "write"> = process.stderr,
): Progress {
  if (json === true || !to.isTTY) return () => {};
  return (line) => to.write(`\r\x1b[K${line}`);
}

/** The result as JSON where that was asked for, else its lines. */
export function show({ json }: Common, result: unknown, lines: readonly string[]): void {
  if (json === true) say(JSON.stringify(result, null, 2));
  else for (const line of lines) say(line);
}

/** What failed, in words for who runs the command. */
export function failureOf(error: unknown): {
  code: string;
  detail: string;
  errors?: readonly { path: string; message: string }[] | undefined;
} {
  if (error instanceof FolderError) return { code: "folder", detail: error.message, errors: error.faults };
  if (error instanceof ConclaveError) return { code: error.code, detail: error.detail, errors: error.more.errors };
  if (error instanceof TypeError && error.message === "fetch failed")
    return { code: "unreachable", detail: "the deployment can't be reached: is its address right, and does it run?" };
  return { code: "failed", detail: error instanceof Error ? error.message : String(error) };
}

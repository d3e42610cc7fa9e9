/** What a GET returned is taken by PUT: fields that the server adds are left out, and a secret that was hidden stays what it is. */
import type { z } from "zod";
import { issuesOf } from "../conversation/issues.js";
import { type ProblemIssue, problem } from "../conversation/problem.js";
import { hiddenSecret } from "../conversation/secret-text.js";
import { isRecord } from "../text/json.js";

/** The same thing twice: as it is stored, with its secrets, and as a GET returns it, with {@link hiddenSecret} in their place. */
interface Current {
  readonly open: unknown;
  readonly shown: unknown;
}

interface Target {
  readonly name: string;
  /** Where in the request it stands, where it isn't the whole body. */
  readonly place?: string;
  /** What a GET adds to what a PUT takes. `name` has to be that of the path; of the others none is looked at. */
  readonly serverFields: readonly string[];
  /** What is stored under the name; asked for only where a secret was sent hidden. */
  readonly current: () => Promise<Current | undefined>;
}

/**
 * The body of a PUT, read by its schema.
 * @throws {ProblemError} `invalid`, with the places
 */
export async function readPut<T>(schema: z.ZodType<T>, sent: unknown, target: Target): Promise<T> {
  const body = isRecord(sent) ? withoutServerFields(sent, target) : sent;
  const current = holdsHidden(body) ? await target.current() : undefined;
  const read = schema.safeParse(current === undefined ? body : withSecrets(body, current, true));
  if (read.success) return read.data;
  const { place } = target;
  const errors = issuesOf(read.error);
  throw wrongBody(place === undefined ? errors : errors.map((error) => ({ ...error, path: `${place}.${error.path}` })));
}

/** The version that a body says it was read as. */
export function versionRead(sent: unknown): number | undefined {
  if (!isRecord(sent) || sent.version === undefined) return undefined;
  if (typeof sent.version === "number" && Number.isSafeInteger(sent.version) && sent.version > 0) return sent.version;
  throw wrongBody([{ path: "version", message: "it has to be the version that GET returned, or left out" }]);
}

function withoutServerFields(sent: Fields, { name, serverFields }: Target): Fields {
  if (sent.name !== undefined && sent.name !== name) {
    throw wrongBody([
      { path: "name", message: `the path says "${name}"; leave the name out, or store it under its own` },
    ]);
  }
  return Object.fromEntries(
    Object.entries(sent).filter(([field]) => field !== "name" && !serverFields.includes(field)),
  );
}

/**
 * The body with stored secrets where hidden ones were sent. A secret goes nowhere else than before: where an address beside or above it
 * differs from the stored one it stays hidden, which no schema takes.
 */
function withSecrets(sent: unknown, { open, shown }: Current, isSameAddress: boolean): unknown {
  if (sent === hiddenSecret) return isSameAddress && shown === hiddenSecret ? open : sent;
  if (Array.isArray(sent)) {
    return sent.map((item, at) => {
      const index = indexOfSame(item, at, open);
      return withSecrets(item, { open: itemOf(open, index), shown: itemOf(shown, index) }, isSameAddress);
    });
  }
  if (!isRecord(sent)) return sent;
  const [before, view] = [fieldsOf(open), fieldsOf(shown)];
  const addresses = [...new Set([...Object.keys(sent), ...before.keys()])].filter((field) => /url$/i.test(field));
  const same = isSameAddress && addresses.every((field) => sent[field] === before.get(field));
  return Object.fromEntries(
    Object.entries(sent).map(([field, value]) => [
      field,
      withSecrets(value, { open: before.get(field), shown: view.get(field) }, same),
    ]),
  );
}

/** Where an item stood: items with an id are known by it, others by their place. */
function indexOfSame(item: unknown, at: number, items: unknown): number {
  if (!isRecord(item) || item.id === undefined || !Array.isArray(items)) return at;
  return items.findIndex((other) => isRecord(other) && other.id === item.id);
}

function itemOf(items: unknown, index: number): unknown {
  return Array.isArray(items) ? items[index] : undefined;
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(isRecord(value) ? value : {}));
}

function holdsHidden(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return value === hiddenSecret;
  return Object.values(value).some(holdsHidden);
}

function wrongBody(errors: ProblemIssue[]) {
  return problem("invalid", "The body isn't what this route takes; see errors, and GET /openapi.json.", { errors });
}

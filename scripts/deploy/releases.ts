/**
 * The releases, and what each has added to what is stored: by this a deployment knows whether an older version reads what a newer one has
 * written. `npm run release` adds to `scripts/releases.json`, and writes the table of CHANGELOG.md after it.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";

const releaseSchema = z.object({
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  date: z.iso.date(),
  /** Classes of objects. Cloudflare goes back past no change of them. */
  objects: z.array(z.string()),
  /** How many the database has. */
  migrations: z.int(),
  /** Schema steps of objects that no release before it had. */
  steps: z.array(z.string()),
  /** The oldest release that reads what this one stores; the first one itself, since those of before pass over no step. */
  readableFrom: z.string(),
  /** What a caller has to do. */
  callers: z.string(),
});

export type Release = z.infer<typeof releaseSchema>;

/** What the code of this checkout adds and stores. */
export interface CodeFacts {
  readonly objects: readonly string[];
  readonly migrations: number;
  readonly steps: readonly { readonly name: string; readonly readableFrom?: string | undefined }[];
}

export const releasesFile = fileURLToPath(new URL("../releases.json", import.meta.url).href);

/** Oldest first. */
export function readReleases(): Release[] {
  return z.array(releaseSchema).parse(JSON.parse(readFileSync(releasesFile, "utf8")));
}

const stepsSchema = z.array(z.object({ name: z.string(), sql: z.string(), readableFrom: z.string().optional() }));

/** @param target what wrangler.toml and the folder of migrations say */
export async function readCodeFacts(target: {
  readonly objects: readonly string[];
  readonly migrations: readonly string[];
}): Promise<CodeFacts> {
  const folder = new URL("../../durable-objects/", import.meta.url).href;
  const names = readdirSync(fileURLToPath(folder));
  const modules = await Promise.all(names.map((name): Promise<object> => import(`${folder}${name}/schema.ts`)));
  const lists = modules
    .flatMap((module) => Object.values(module))
    .flatMap((value) => stepsSchema.safeParse(value).data ?? []);
  return { objects: target.objects, migrations: target.migrations.length, steps: lists };
}

/**
 * What a release of this code is, after those before it.
 * @param said `readableFrom` where something else than a schema step keeps older versions from reading: how a text is sealed, a field
 * @example nextRelease(facts, [], { version: "0.2.0", … }).readableFrom // "0.2.0": the first
 */
export function nextRelease(
  { objects, migrations, steps }: CodeFacts,
  releases: readonly Release[],
  said: Pick<Release, "version" | "date" | "callers"> & { readonly readableFrom?: string | undefined },
): Release {
  const known = new Set(releases.flatMap((release) => release.steps));
  const added = steps.filter(({ name }) => !known.has(name));
  const [first] = releases;
  const readableFrom = [said.readableFrom, ...added.map((step) => step.readableFrom)]
    .filter((from) => from !== undefined)
    .reduce((newest, from) => (compareVersions(from, newest) > 0 ? from : newest), first?.version ?? said.version);
  return {
    version: said.version,
    date: said.date,
    objects: [...objects],
    migrations,
    steps: added.map(({ name }) => name),
    readableFrom,
    callers: said.callers,
  };
}

/** Marks what is deployed between releases: what it has stored is in no table. */
const between = "+next";

/**
 * The tag that a version is deployed under.
 * @returns the release's number, or that of the one before with a mark where the code isn't that release's
 */
export function tagOf(version: string, facts: CodeFacts, releases: readonly Release[]): string {
  const known = new Set(releases.flatMap(({ steps }) => steps));
  const release = releases.find((one) => one.version === version);
  const isRelease =
    release?.migrations === facts.migrations &&
    release.objects.join() === facts.objects.join() &&
    facts.steps.every(({ name }) => known.has(name));
  return isRelease ? version : version + between;
}

export function isRelease(tag: string | undefined): tag is string {
  return tag !== undefined && !tag.endsWith(between);
}

/** @returns less than 0 if a is older than b; what is deployed behind a release is newer than it */
export function compareVersions(a: string, b: string): number {
  const numbersOf = (version: string): number[] => [
    ...version.replace(between, "").split(".").map(Number),
    version.endsWith(between) ? 1 : 0,
  ];
  const [left, right] = [numbersOf(a), numbersOf(b)];
  return left.map((number, at) => number - (right[at] ?? 0)).find((difference) => difference !== 0) ?? 0;
}

/** @returns a row a release, the newest first */
export function releaseRows(releases: readonly Release[]): string[] {
  return releases.toReversed().map((release) => {
    const { version, date, objects, migrations, steps, readableFrom, callers } = release;
    return `| ${version} | ${date} | ${migrations} | ${steps.length} | ${objects.length} | ${readableFrom} | ${callers} |`;
  });
}

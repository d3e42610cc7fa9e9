/** What an environment of wrangler.toml is to have on the account. */
import { readdirSync, readFileSync } from "node:fs";
import { z } from "zod";
import { readCodeFacts, readReleases, tagOf } from "./releases.js";

export interface Target {
  readonly environment: string;
  readonly worker: string;
  /** The names of its databases, by their numbers: tenants live in one or another. */
  readonly databases: readonly [first: string, ...others: string[]];
  /** Those that are written to and those that are only read. */
  readonly queues: readonly string[];
  /** Where the audit's old rows go, where wrangler.toml has it. */
  readonly bucket?: Bucket | undefined;
  /** File names, in order. */
  readonly migrations: readonly string[];
  /** Without these wrangler deploys nothing. */
  readonly secrets: readonly string[];
  /** Classes of objects. */
  readonly objects: readonly string[];
  /** Of package.json; `/health` says it. */
  readonly version: string;
  /** What the version is deployed as: the release's number, with a mark where this code isn't that release's. */
  readonly tag: string;
}

export interface Bucket {
  readonly name: string;
  /** The law that it lies under: that of the first database. */
  readonly jurisdiction?: string | undefined;
}

const configSchema = z.object({
  name: z.string(),
  d1_databases: z.array(z.object({ binding: z.string(), database_name: z.string(), migrations_dir: z.string() })),
  r2_buckets: z
    .array(z.object({ binding: z.string(), bucket_name: z.string(), jurisdiction: z.string().optional() }))
    .default([]),
  queues: z.object({
    producers: z.array(z.object({ queue: z.string() })).default([]),
    consumers: z.array(z.object({ queue: z.string(), dead_letter_queue: z.string().optional() })).default([]),
  }),
  secrets: z.object({ required: z.array(z.string()) }),
  exports: z.record(z.string(), z.unknown()),
});

/** How the Worker knows its bucket. */
export const bucketBinding = "ARCHIVE";

/** How the Worker knows a database. */
export function bindingOf(number: number): string {
  return number === 0 ? "DB" : `DB_${String(number).padStart(2, "0")}`;
}

/** wrangler.toml with one database more for an environment, behind those that it has. */
export function withDatabase(toml: string, environment: string): { readonly toml: string; readonly name: string } {
  const header = `[[env.${environment}.d1_databases]]`;
  const blocks = [...toml.matchAll(/^\[\[env\.([A-Za-z0-9_-]+)\.d1_databases\]\]\n(?:[a-z_]+ = .*\n)+/gm)].filter(
    ([, of]) => of === environment,
  );
  const [first] = blocks;
  const last = blocks.at(-1);
  const named = /database_name = "([^"]+)"/.exec(first?.[0] ?? "")?.[1];
  if (last === undefined || named === undefined)
    throw new TypeError(`wrangler.toml has no database for ${environment}`);
  const name = `${named}-${String(blocks.length).padStart(2, "0")}`;
  const added = [
    header,
    `binding = "${bindingOf(blocks.length)}"`,
    `database_name = "${name}"`,
    'migrations_dir = "migrations"',
  ];
  const end = last.index + last[0].length;
  return { toml: `${toml.slice(0, end)}\n${added.join("\n")}\n${toml.slice(end)}`, name };
}

/** Those that can be deployed: the top level is the local one. */
export function environmentsOf(toml: string): string[] {
  return [...toml.matchAll(/^\[env\.([A-Za-z0-9_-]+)\]$/gm)].map(([, name = ""]) => name);
}

/** Reads wrangler.toml as wrangler does. Its library is large: it is loaded when a target is wanted. */
export async function readTarget(environment: string): Promise<Target> {
  const { unstable_readConfig } = await import("wrangler");
  const config = configSchema.parse(unstable_readConfig({ config: "wrangler.toml", env: environment }));
  const [database, ...others] = config.d1_databases;
  if (database === undefined) throw new TypeError(`wrangler.toml has no database for ${environment}`);
  others.forEach(({ binding }, at) => {
    const wanted = bindingOf(at + 1);
    if (binding !== wanted)
      throw new TypeError(`wrangler.toml has ${binding} for ${environment} where ${wanted} has to stand`);
  });
  const { producers, consumers } = config.queues;
  const queues = [...producers, ...consumers].map(({ queue }) => queue);
  const dead = consumers.flatMap(({ dead_letter_queue: queue }) => queue ?? []);
  const migrations = readdirSync(database.migrations_dir)
    .filter((name) => name.endsWith(".sql"))
    .sort();
  const objects = Object.keys(config.exports).sort();
  const archive = config.r2_buckets.find(({ binding }) => binding === bucketBinding);
  const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync("package.json", "utf8")));
  return {
    environment,
    worker: config.name,
    databases: [database.database_name, ...others.map((one) => one.database_name)],
    queues: [...new Set([...queues, ...dead])],
    bucket: archive && { name: archive.bucket_name, jurisdiction: archive.jurisdiction },
    migrations,
    secrets: config.secrets.required,
    objects,
    version,
    tag: tagOf(version, await readCodeFacts({ objects, migrations }), readReleases()),
  };
}

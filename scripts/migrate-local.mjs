// Brings the local databases up to date: `node scripts/migrate-local.mjs [folder]`, by default the one that `wrangler dev` uses. It keeps
// the list that `wrangler d1 migrations apply --local` keeps, and takes a second where that starts a runtime for each step.
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { unstable_readConfig as readConfig, unstable_splitSqlQuery as splitSqlQuery } from "wrangler";

// The one that wrangler itself serves with.
const ofWrangler = createRequire(createRequire(import.meta.url).resolve("wrangler/package.json"));
const { convertV4MiniflareOptions, Miniflare } = ofWrangler("miniflare");

const [folder = ".wrangler/state"] = process.argv.slice(2);
const databases = readConfig({ config: "wrangler.toml" }, { hideWarnings: true }).d1_databases;
const miniflare = new Miniflare(
  convertV4MiniflareOptions({
    resourcePersistencePath: join(folder, "v3"),
    modules: true,
    script: "export default {}",
    d1Databases: Object.fromEntries(databases.map(({ binding, database_id }) => [binding, { id: database_id }])),
  }),
);
try {
  for (const { binding, database_name, migrations_dir } of databases) {
    console.log(`bringing the local database ${database_name} up to date …`);
    await migrate(await miniflare.getD1Database(binding), migrations_dir);
  }
} finally {
  await miniflare.dispose();
}

/** Each step that isn't applied yet, in order, whole with its line in the list or not at all: what is killed here, the next start goes on with. */
async function migrate(database, migrations) {
  await database
    .prepare(
      "CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)",
    )
    .run();
  const { results } = await database.prepare("SELECT name FROM d1_migrations").all();
  const applied = new Set(results.map(({ name }) => name));
  const steps = readdirSync(migrations).filter((name) => name.endsWith(".sql") && !applied.has(name));
  for (const name of steps.sort()) {
    const statements = splitSqlQuery(readFileSync(join(migrations, name), "utf8"));
    await database.batch([
      ...statements.map((statement) => database.prepare(statement)),
      database.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(name),
    ]);
  }
}

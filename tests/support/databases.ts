/** The databases of the Worker under test. */
import { env } from "cloudflare:workers";

/** The second one. */
export function secondDatabase(): D1Database {
  const db = env.DB_01;
  if (db === undefined) throw new Error("wrangler.toml has no DB_01 for the local environment");
  return db;
}

/** Runs in workerd before each test file: the databases as the migrations make them; and spies and clocks are given back after each test. */
import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, vi } from "vitest";
import { secondDatabase } from "./databases.js";

for (const db of [env.DB, secondDatabase()]) await applyD1Migrations(db, env.TEST_MIGRATIONS);

// One Worker runs many files: what a test that failed has left in its place would be met by those after it.
afterEach(() => {
  // First: a watched timer that is given back later would be the false one.
  vi.restoreAllMocks();
  vi.useRealTimers();
});

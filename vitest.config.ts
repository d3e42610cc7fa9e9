import { availableParallelism } from "node:os";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { importsAtOnce } from "./tests/support/imports-at-once.js";

/** Folders of tests/ that mirror pure code; they run in plain Node. Everything else runs in workerd. */
const domain = [
  "agent",
  "asks",
  "channels",
  "chat",
  "command-line",
  "conversation",
  "docs",
  "evidence",
  "memory",
  "model",
  "roundtable",
  "routing",
  "scripts",
  "statistics",
  "supervision",
  "tenancy",
  "text",
  "tools",
];

/** How long a condition may take to come true, in milliseconds: a busy machine is no fault. As long as `tests/support/eventually.ts`. */
const poll = { timeout: 30_000 };

/** When a test or a hook counts as hung, in milliseconds: what is only slow, on a machine that does much else, ends long before. */
const hung = (milliseconds: number) => ({ testTimeout: milliseconds, hookTimeout: milliseconds });

/**
 * One Worker runs many files, and what earlier ones left still works beside a test: one that fails is tried again, with a tenant of its own, and
 * counts as failed where it fails each time.
 */
const retry = 1;

export default defineConfig({
  test: {
    // More than cores: tests wait for their Workers, for leases that run out and for processes that start more than they work.
    maxWorkers: 2 * availableParallelism(),
    // The Worker's own log is of use where a test failed.
    silent: "passed-only",
    coverage: {
      provider: "istanbul",
      include: ["src/**/*.ts", "durable-objects/**/*.ts"],
      reporter: ["text-summary", "json-summary"],
      reportsDirectory: "coverage",
    },
    projects: [
      {
        test: {
          name: "domain",
          ...hung(30_000),
          // Pure code keeps nothing between files.
          isolate: false,
          include: domain.map((folder) => `tests/${folder}/**/*.test.ts`),
          globalSetup: ["tests/support/global-setup.ts"],
        },
      },
      {
        test: {
          // Apart from the domain's, which run in seconds: these start, kill and start real Workers.
          name: "process",
          ...hung(240_000),
          retry,
          expect: { poll },
          include: ["tests/process/**/*.test.ts", "tests/clients/*.test.ts"],
          globalSetup: ["tests/support/global-setup.ts", "tests/support/unpacked-browser.ts"],
        },
      },
      {
        plugins: [
          importsAtOnce,
          cloudflareTest(async ({ inject }) => ({
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: {
              // Deployed environments have it; here it takes what it is given and keeps nothing.
              // As a deployed environment's `DOOR`, but narrower: for the tests of it alone.
              ratelimits: { NARROW_DOOR: { namespace_id: "1", simple: { limit: 1, period: 60 } } },
              analyticsEngineDatasets: { METRICS: { dataset: "conclave_test" } },
              bindings: {
                ADMIN_SECRET: "test-admin-secret-of-forty-characters-and",
                SEALING_SECRET: "test-sealing-secret-of-forty-characters-x",
                OPENAI_API_KEY: "test-openai-key",
                OPENAI_BASE_URL: `${inject("upstreamUrl")}/v1`,
                TEST_UPSTREAM: inject("upstreamUrl"),
                TEST_MIGRATIONS: await readD1Migrations("migrations"),
              },
            },
          })),
        ],
        test: {
          name: "runtime",
          // One Worker for many files, as deployed; each test makes a tenant of its own. A Worker per file costs as much as its tests.
          isolate: false,
          // A second Worker that begins later is sent all that is kept there in one message, and dies of its 32 MiB; and so does each one after it.
          fsModuleCache: false,
          include: ["tests/**/*.test.ts"],
          exclude: [...domain, "process", "clients"].map((folder) => `tests/${folder}/**`),
          globalSetup: ["tests/support/global-setup.ts"],
          setupFiles: ["tests/support/runtime-setup.ts"],
          ...hung(60_000),
          retry,
          expect: { poll },
        },
      },
    ],
  },
});

import { fileURLToPath } from "node:url";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

const root = fileURLToPath(new URL("..", import.meta.url).href);

/** The runtime of the tests, for a measurement inside an object. */
export default defineConfig({
  root,
  plugins: [
    cloudflareTest(async ({ inject }) => ({
      wrangler: { configPath: `${root}wrangler.toml` },
      miniflare: {
        bindings: {
          ADMIN_SECRET: "bench-admin-secret-that-is-long-enough",
          SEALING_SECRET: "bench-sealing-secret-that-is-long-enough",
          OPENAI_API_KEY: "bench",
          OPENAI_BASE_URL: `${inject("upstreamUrl")}/v1`,
          TEST_UPSTREAM: inject("upstreamUrl"),
          TEST_MIGRATIONS: await readD1Migrations(`${root}migrations`),
        },
      },
    })),
  ],
  test: {
    include: ["bench/*.bench.ts"],
    globalSetup: ["tests/support/global-setup.ts"],
    setupFiles: ["tests/support/runtime-setup.ts"],
    testTimeout: 600_000,
    disableConsoleIntercept: true,
  },
});

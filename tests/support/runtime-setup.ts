/** Runs in workerd before each test file: the database as the migrations make it; and spies and clocks are given back after each test. */
import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, vi } from "vitest";
import { mcpClient } from "../../src/application/mcp-servers.js";
import { faces } from "../../src/faces.js";
import { providerModules } from "../../src/model/directory.js";
import { adapters } from "../../src/webhooks/channels/table.js";

await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);

// In the bundle `import()` evaluates what is there; here it asks for the module, once for all who ask meanwhile. A request that waits for
// what another asked for has nothing under way of its own, and workerd takes it for one that hangs.
const loads = [
  ...faces.map(({ load }) => load),
  ...Object.values(providerModules),
  ...Object.values(adapters),
  mcpClient,
];
await Promise.all(loads.map((load) => load()));

// One Worker runs many files: what a test that failed has left in its place would be met by those after it.
afterEach(() => {
  // First: a watched timer that is given back later would be the false one.
  vi.restoreAllMocks();
  vi.useRealTimers();
});

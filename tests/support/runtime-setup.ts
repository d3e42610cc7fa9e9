/** Runs in workerd before each test file: the database as the migrations make it; and spies and clocks are given back after each test. */
import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, vi } from "vitest";
import "../../src/application/mcp-client.js";
import { faces } from "../../src/faces.js";
import "../../src/model/providers/offline.js";
import "../../src/model/providers/openai-compatible.js";
import "../../src/model/providers/workers-ai.js";
import "../../src/webhooks/channels/discord.js";
import "../../src/webhooks/channels/generic.js";
import "../../src/webhooks/channels/slack.js";
import "../../src/webhooks/channels/telegram.js";
import "../../src/webhooks/channels/whatsapp.js";

await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);

// In the bundle `import()` evaluates what is there; here it fetches a module, once for all who ask meanwhile. A request that waits for
// the fetch of another request has nothing under way of its own, and workerd takes it for one that hangs.
await Promise.all(faces.map(({ load }) => load()));

// One Worker runs many files: what a test that failed has left in its place would be met by those after it.
afterEach(() => {
  // First: a watched timer that is given back later would be the false one.
  vi.restoreAllMocks();
  vi.useRealTimers();
});

// Serves what `bundle.ts` has built: node serve-bundle.mjs <bundle> <storage> <port> <variables as JSON>
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

// The one that wrangler itself serves with.
const ofWrangler = createRequire(createRequire(import.meta.url).resolve("wrangler/package.json"));
const { convertV4MiniflareOptions, Miniflare } = ofWrangler("miniflare");

const [bundle, storage, port, variables] = process.argv.slice(2);
const worker = JSON.parse(readFileSync(join(bundle, "worker.json"), "utf8"));
const bindings = { ...worker.bindings, ...JSON.parse(variables) };
const modules = worker.modules.map(({ type, path }) => ({ type, path: join(bundle, path) }));
const miniflare = new Miniflare(
  convertV4MiniflareOptions({
    ...{ host: "127.0.0.1", port: Number(port), unsafeTriggerHandlers: true, cf: false },
    // As `wrangler dev --persist-to` lays it out.
    resourcePersistencePath: join(storage, "v3"),
    workers: [{ ...worker, bindings, modulesRoot: bundle, modules }],
  }),
);
await miniflare.ready;

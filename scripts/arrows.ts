// Who may import whom. `npm test` and `npm run check` fail on an arrow that no row of this table allows.
//
// A row names a place (a folder, or a file), the places it may import, and the packages. It may name only rows below it: so no
// circle between places can be written down, and none can exist. The longest name that fits a file is its row.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { pathToFileURL } from "node:url";

export interface Row {
  /** A folder, or a file. */
  readonly place: string;
  readonly imports: readonly string[];
  readonly packages?: readonly string[];
}

/** Packages that compute and touch nothing. */
const pure = ["zod", "diff", "jsonrepair", "re2js", "ibantools"];
const hono = ["hono", "@hono/zod-openapi"];

const ground = ["src/conversation", "src/text", "src/statistics"];
const underAgent = ["src/asks", "src/model", ...ground];
const underSupervision = ["src/agent", ...underAgent];
const underRouting = ["src/roundtable", "src/supervision", ...underSupervision];
const underChat = ["src/routing", "src/memory", ...underRouting];
const domain = [
  "src/catalogues",
  "src/tenancy",
  "src/channels",
  "src/chat",
  "src/evidence",
  "src/evidence/proof",
  ...underChat,
];
/** Which providers there are, they know; what speaks to one, nobody but the directory. */
const underApplication = [
  "src/stores",
  "src/gateways",
  "src/platform",
  "src/model/provider-table.ts",
  "src/channels/connection.ts",
  ...domain,
];
const underObject = ["durable-objects/kit", "src/composition", "src/application", ...underApplication];
const underFace = ["src/application", "src/platform", "src/channels/connection.ts", ...domain];
/** Faces that the app mounts know what it gives them, and nothing else of it. */
const mounted = ["src/http/face.ts", "src/http/retry-fields.ts", ...underFace];

const objects = [
  "channel-conversation",
  "chat-session",
  "roundtable",
  "routing-run",
  "memory-thread",
  "tenant-budget",
  "dataset",
  "subject-job",
].map((name) => `durable-objects/${name}`);
const faces = ["http", "openai", "mcp", "webhooks", "queue", "console", "oauth"].map((name) => `src/${name}`);

export const arrows: readonly Row[] = [
  // Only index.ts knows everybody, and composition/ what lies below the faces. Objects ask composition/objects.ts for what is made of their bindings.
  {
    place: "src/index.ts",
    imports: ["src/faces.ts", ...objects, "src/composition", ...faces, "src/application", "src/tenancy"],
  },
  // A line a face.
  { place: "src/faces.ts", imports: ["src/http/face.ts", ...faces, "src/text"] },
  ...objects.map((place) => ({ place, imports: underObject, packages: [...pure, "cloudflare:workers"] })),
  {
    place: "src/composition",
    imports: ["src/application", "src/model/directory.ts", "src/model/providers", ...underApplication],
  },
  // Types of bindings that only deployed environments have.
  { place: "src/env.d.ts", imports: ["src/model/providers", "src/stores"] },

  // Faces parse, call one act of the application, and render.
  {
    place: "src/http",
    imports: mounted,
    packages: [...pure, ...hono, "@asteasolutions/zod-to-openapi"],
  },
  { place: "src/openai", imports: mounted, packages: [...pure, ...hono, "@asteasolutions/zod-to-openapi"] },
  { place: "src/mcp", imports: mounted, packages: [...pure, ...hono, "@modelcontextprotocol/server"] },
  {
    place: "src/webhooks",
    imports: mounted,
    packages: [...pure, ...hono],
  },
  { place: "src/queue", imports: underFace, packages: pure },
  { place: "src/console", imports: mounted, packages: [...pure, ...hono] },
  { place: "src/oauth", imports: mounted, packages: hono },
  { place: "src/http/face.ts", imports: underFace, packages: hono },
  { place: "src/http/retry-fields.ts", imports: ["src/conversation"] },
  {
    place: "src/command-line",
    imports: ["src/client", "src/evidence/proof"],
    packages: ["yaml", "node:fs", "node:os", "node:path", "node:readline/promises", "node:util"],
  },
  { place: "src/create-conclave", imports: [], packages: ["node:child_process", "node:fs", "node:path", "node:url"] },
  // The typed client knows the API's document and nothing of the house.
  { place: "src/client", imports: [], packages: ["openapi-fetch"] },

  // The kit knows no object.
  {
    place: "durable-objects/kit",
    imports: ["src/application", "src/gateways", "src/platform", ...domain],
    packages: [...pure, "cloudflare:workers"],
  },
  {
    place: "src/application",
    imports: underApplication,
    packages: [...pure, "@cfworker/json-schema", "@modelcontextprotocol/client"],
  },
  // These implement ports.
  { place: "src/stores", imports: ["src/platform", "src/channels/connection.ts", ...domain], packages: pure },
  { place: "src/gateways", imports: ["src/platform", ...domain], packages: pure },
  // Which chat platforms there are, those above know; what speaks to one, nobody else.
  {
    place: "src/channels/connection.ts",
    imports: ["src/channels/platforms", "src/channels", ...ground],
    packages: pure,
  },
  {
    place: "src/channels/platforms",
    imports: ["src/platform", "src/channels", ...ground],
    packages: [...pure, "@chat-adapter/slack", "discord-interactions"],
  },
  { place: "src/platform", imports: domain, packages: [...pure, "ulid"] },

  // The domain gets ports: no platform, no face, no object, no provider, no package that touches the world.
  { place: "src/catalogues", imports: ["src/tenancy", "src/chat", "src/evidence", ...underChat], packages: pure },
  { place: "src/tenancy", imports: ["src/chat", ...underChat], packages: pure },
  { place: "src/channels", imports: underAgent, packages: pure },
  { place: "src/chat", imports: ["src/evidence", ...underChat], packages: pure },
  { place: "src/evidence", imports: ["src/supervision", "src/roundtable", ...underSupervision], packages: pure },
  // What proves the audit, for whoever seals it and whoever verifies it.
  { place: "src/evidence/proof", imports: [] },
  { place: "src/routing", imports: underRouting, packages: pure },
  { place: "src/roundtable", imports: ["src/supervision", ...underSupervision], packages: pure },
  { place: "src/supervision", imports: underSupervision, packages: pure },
  { place: "src/memory", imports: ["src/agent", ...underAgent], packages: pure },
  { place: "src/agent", imports: underAgent, packages: pure },
  { place: "src/asks", imports: ground, packages: pure },
  // Whoever needs a model gets the port. Providers know nothing else either.
  {
    place: "src/model/directory.ts",
    imports: ["src/model/provider-table.ts", "src/model/providers", "src/model", ...ground],
    packages: pure,
  },
  { place: "src/model/provider-table.ts", imports: ["src/model/providers", "src/model", ...ground], packages: pure },
  { place: "src/model/providers", imports: ["src/model", ...ground], packages: [...pure, "openai"] },
  { place: "src/model", imports: ground, packages: pure },

  // The ground floor.
  { place: "src/text", imports: ["src/conversation"], packages: pure },
  { place: "src/statistics", imports: [] },
  { place: "src/conversation", imports: [], packages: pure },

  // Texts.
  { place: "docs", imports: [] },
];

/**
 * What is wrong with the table: rows that name a row above them or none at all. Empty: no circle is possible.
 */
export function checkTable(table: readonly Row[]): string[] {
  const places = table.map(({ place }) => place);
  return table.flatMap(({ place, imports }, row) =>
    imports.flatMap((to) => {
      const target = places.indexOf(to);
      if (target === -1) return [`the table lets ${place} import ${to}, which has no row`];
      if (target <= row) return [`the table lets ${place} import ${to}, which stands above it: that allows a circle`];
      return [];
    }),
  );
}

/**
 * What is wrong with the imports of these files: one line for each that no row allows, and for each file without a row.
 * @param files path from the root of the repository → source
 */
export function checkFiles(files: ReadonlyMap<string, string>, table: readonly Row[] = arrows): string[] {
  const rowOf = (path: string): Row | undefined =>
    table
      .filter(({ place }) => path === place || path.startsWith(`${place}/`))
      .sort((a, b) => b.place.length - a.place.length)[0];
  return [...files].flatMap(([path, source]) => {
    const from = rowOf(path);
    if (from === undefined)
      return [`${path} has no row in scripts/arrows.ts: say what may import it and what it imports`];
    return importsOf(source).flatMap((specifier) => {
      if (!specifier.startsWith(".")) {
        const allowed = from.packages?.some((name) => specifier === name || specifier.startsWith(`${name}/`)) === true;
        return allowed ? [] : [`${path} imports the package ${specifier}: ${from.place} may not`];
      }
      const target = normalize(join(dirname(path), specifier)).replace(/\.js$/, ".ts");
      const to = rowOf(target);
      if (to === undefined) return [`${path} imports ${target}, which has no row in scripts/arrows.ts`];
      if (to === from || from.imports.includes(to.place)) return [];
      return [`${path} imports ${target}: ${from.place} may not import ${to.place}`];
    });
  });
}

/** What a source imports or passes on, types included, as it is written after Biome has formatted it. */
function importsOf(source: string): string[] {
  const statements = source.matchAll(/^(?:import|export)\s+(?:type\s+)?(?:[\w$*{},\s]+?\s+from\s+)?"([^"]+)"/gm);
  const calls = source.matchAll(/\bimport\("([^"]+)"\)/g);
  return [...statements, ...calls].map(([, specifier = ""]) => specifier);
}

/** The sources of the product. */
function sources(): Map<string, string> {
  const files = new Map<string, string>();
  for (const root of ["src", "durable-objects"])
    for (const entry of readdirSync(root, { recursive: true, withFileTypes: true }))
      if (entry.isFile() && /\.tsx?$/.test(entry.name)) {
        const path = join(entry.parentPath, entry.name);
        files.set(path, readFileSync(path, "utf8"));
      }
  return files;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const files = sources();
  const problems = [...checkTable(arrows), ...checkFiles(files)];
  for (const problem of problems) console.error(problem);
  console.log(`arrows: ${files.size} files, ${problems.length} forbidden`);
  process.exit(problems.length > 0 ? 1 : 0);
}

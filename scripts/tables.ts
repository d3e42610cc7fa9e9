/**
 * What follows from the tables of kinds and stands in other files: the tables of pages, the client's types. `npm run tables` writes it;
 * `tests/docs/tables.test.ts` holds it equal. What a row says of a kind stands as `@tags` in the first comment of the kind's file.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { eventDefinitions } from "../src/catalogues/events.js";
import { outboxTopics } from "../src/catalogues/outbox.js";
import { commands } from "../src/command-line/commands.js";
import { pageOf } from "../src/command-line/run.js";
import { toolFamilies } from "../src/mcp/tools/all.js";
import { modeNames } from "../src/roundtable/modes/table.js";
import { strategyNames } from "../src/routing/strategies/table.js";
import { readReleases, releaseRows } from "./deploy/releases.js";
import { apiDocumentOfAll } from "./openapi-document.js";

interface Derived {
  readonly path: string;
  /** What stands before the lines, and is unique in the file. */
  readonly after: string;
  /** Which lines after that are derived. */
  readonly isDerived: (line: string) => boolean;
  readonly lines: readonly string[];
}

const root = fileURLToPath(new URL("../", import.meta.url).href);
const read = (path: string): string => readFileSync(root + path, "utf8");

/** @param head the first row of the table. */
function table(path: string, head: string, lines: readonly string[]): Derived {
  const rule = `|${head
    .split("|")
    .slice(1, -1)
    .map(() => "---|")
    .join("")}`;
  return { path, after: `${head}\n${rule}\n`, isDerived: (line) => line.startsWith("|"), lines };
}

/** The rows of kinds that are a file each, of what the file says under these tags. */
function kindRows(folder: string, names: readonly string[], tags: readonly string[]): string[] {
  return names.map((name) => {
    const path = `${folder}/${name}.ts`;
    if (!existsSync(root + path)) throw new Error(`the kind "${name}" has no file ${path}`);
    const [comment = ""] = read(path).split("*/");
    const cells = tags.map((tag) => {
      const said = new RegExp(`@${tag} (.+)`).exec(comment)?.[1];
      if (said === undefined)
        throw new Error(`${path}: its first comment has to say @${tag}, for the table of the page`);
      return said;
    });
    return `| \`${name}\` | ${cells.join(" | ")} |`;
  });
}

/** Everything that follows. */
export async function derivedTexts(): Promise<readonly Derived[]> {
  const fields = await eventFields();
  return [
    {
      path: "docs/command-line.md",
      after: "## Pages\n\n",
      isDerived: () => true,
      lines: commands.flatMap((command, at) => [
        ...(at === 0 ? [] : [""]),
        ...[`### conclave ${command.name}`, "", "```text", ...pageOf(command).split("\n"), "```"],
      ]),
    },
    table(
      "docs/roundtables.md",
      "| mode | who speaks when | use it to |",
      kindRows("src/roundtable/modes", modeNames, ["speaks", "use"]),
    ),
    table(
      "docs/routing.md",
      "| | how it decides | state |",
      kindRows("src/routing/strategies", strategyNames, ["decides", "state"]),
    ),
    table(
      "docs/events.md",
      "| event | in | for | data | what happened |",
      eventDefinitions().map(
        ({ type, roots, audience, description, live }) =>
          `| \`${type}\` | ${roots.join(", ")} | ${audience} | ${fields(type)} | ${description}${live ? " Not stored: it has no id." : ""} |`,
      ),
    ),
    table(
      "docs/mcp.md",
      "| family | tool | |",
      Object.entries(toolFamilies).flatMap(([family, tools]) =>
        tools.map(({ name, listed }) => `| \`${family}\` | \`${name}\` | ${listed().title} |`),
      ),
    ),
    table(
      "AGENTS.md",
      "| topic | handler | what is sent |",
      Object.entries(outboxTopics).map(
        ([topic, { handler, description }]) => `| \`${topic}\` | ${handler} | ${description} |`,
      ),
    ),
    table(
      "CHANGELOG.md",
      "| version | date | migrations | steps that it adds to objects | classes of objects | oldest version that reads what it stores | callers have to |",
      releaseRows(readReleases()),
    ),
    {
      path: "src/client/roundtable-types.ts",
      after: "export type DebateMode =\n",
      isDerived: (line) => line.startsWith("  |"),
      lines: modeNames.map((name, at) => `  | "${name}"${at === modeNames.length - 1 ? ";" : ""}`),
    },
  ];
}

/** What a file says now in place of what is derived, and the file as it has to be. */
export function compared({ path, after, isDerived, lines }: Derived): { now: string[]; mended: string } {
  const text = read(path);
  const start = text.indexOf(after) + after.length;
  if (start < after.length) throw new Error(`${path}: there is no ${JSON.stringify(after)}`);
  const rest = text.slice(start).split("\n");
  const count = rest.findIndex((line) => !isDerived(line));
  return { now: rest.slice(0, count), mended: text.slice(0, start) + [...lines, ...rest.slice(count)].join("\n") };
}

export function componentOf(type: string): string {
  const words = type.split(".").map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `Event.${words.join("")}`;
}

/** What an event's data holds, as the API's document says: its fields, or the name of the shape. */
async function eventFields(): Promise<(type: string) => string> {
  const schemas: Record<string, unknown> = apiDocumentOfAll().components?.schemas ?? {};
  const objectSchema = z.object({
    properties: z.record(z.string(), z.unknown()),
    required: z.array(z.string()).default([]),
  });
  /** Of an object of one of these shapes; a `?` stands behind those that can be absent. */
  const fieldList = (shapes: readonly z.infer<typeof objectSchema>[]): string =>
    [...new Set(shapes.flatMap(({ properties }) => Object.keys(properties)))]
      .map((field) => (shapes.every(({ required }) => required.includes(field)) ? field : `${field}?`))
      .join(", ");
  const dataSchema = z.union([
    z.object({ $ref: z.string() }).transform(({ $ref }) => `\`${$ref.split("/").at(-1)}\``),
    z
      .union([
        objectSchema.transform((one) => [one]),
        z.object({ anyOf: z.array(objectSchema) }).transform((one) => one.anyOf),
      ])
      .transform(fieldList),
  ]);
  const component = z.object({ properties: z.object({ data: dataSchema }) });
  return (type) => component.parse(schemas[componentOf(type)]).properties.data;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const derived of await derivedTexts()) writeFileSync(root + derived.path, compared(derived).mended);
}

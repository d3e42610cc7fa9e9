/** Arguments of tools in either spelling: the seeds write `raw_entry`, our own API `rawEntry`. A host may send both. */
import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import type { z } from "zod";
import { issuesOf } from "../conversation/issues.js";

/** A schema that publishes its own spelling and takes the other one too, and says what is wrong as over HTTP. */
export function inEitherSpelling<T extends z.ZodObject>(schema: T): StandardSchemaWithJSON<z.input<T>, z.output<T>> {
  const standard = schema["~standard"];
  const names = new Map(Object.keys(schema.shape).map((name) => [spellingKey(name), name]));
  return {
    "~standard": {
      ...standard,
      validate: (value: unknown) => {
        const parsed = schema.safeParse(respelled(value, names));
        if (parsed.success) return { value: parsed.data };
        const issues = issuesOf(parsed.error);
        return { issues: issues.map(({ path, message }) => ({ message, path: path === "" ? [] : path.split(".") })) };
      },
    },
  };
}

function respelled(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [names.get(spellingKey(name)) ?? name, held]));
}

/** What `raw_entry` and `rawEntry` share. */
function spellingKey(name: string): string {
  return name.replaceAll("_", "").toLowerCase();
}

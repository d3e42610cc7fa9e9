/** Checks arguments against a tool's JSON Schema, in words. Compiles nothing, which Workers forbid, and nothing in it can run away. */
import { type OutputUnit, Validator } from "@cfworker/json-schema";
import { RE2JS } from "re2js";
import { z } from "zod";
import type { AgentTool } from "../agent/tools.js";

/** How many faults are told at once. */
const maxProblems = 5;

export function validateArguments(tool: Pick<AgentTool, "parameters">, args: unknown): string[] {
  try {
    const { valid, errors } = new Validator(withoutPatterns(tool.parameters), "2020-12", false).validate(args);
    const problems = valid
      ? []
      : errors.filter(isLeaf).map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`);
    return [...problems, ...patternProblems(tool.parameters, args, "#")].slice(0, maxProblems);
  } catch (error) {
    // A keyword that is none, a reference to nothing: whoever stored the tool or runs its server has to mend it.
    return [`they can't be checked, because its schema is broken (${error instanceof Error ? error.message : error})`];
  }
}

/** The units that only say that something below them failed tell nothing. */
function isLeaf(unit: OutputUnit, _index: number, all: OutputUnit[]): boolean {
  return !all.some((other) => other !== unit && other.keywordLocation.startsWith(`${unit.keywordLocation}/`));
}

const objectSchema = z.record(z.string(), z.unknown());

/** Keywords whose values are schemas by name: a name may be "pattern" without being the keyword. */
const byName: ReadonlySet<string> = new Set(["properties", "$defs", "definitions", "dependentSchemas"]);

/**
 * The validator would run patterns as native expressions, which can take for ever on a text made for it. They are taken out, and run
 * in linear time instead. With the patterns of names goes what depends on them.
 */
function withoutPatterns(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const open = "patternProperties" in schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([keyword, value]) => {
      if (keyword === "pattern" || keyword === "patternProperties") return [];
      if (open && (keyword === "additionalProperties" || keyword === "unevaluatedProperties")) return [];
      if (keyword === "const" || keyword === "enum" || keyword === "default" || keyword === "examples")
        return [[keyword, value]];
      return [[keyword, stripped(value, byName.has(keyword))]];
    }),
  );
}

function stripped(value: unknown, named: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => stripped(item, false));
  const object = objectSchema.safeParse(value);
  if (!object.success) return value;
  return named
    ? Object.fromEntries(Object.entries(object.data).map(([name, inner]) => [name, stripped(inner, false)]))
    : withoutPatterns(object.data);
}

/** The patterns of texts, where the schema says plainly which text is meant: in properties and items, at any depth. */
function patternProblems(schema: unknown, value: unknown, place: string): string[] {
  const rules = objectSchema.safeParse(schema).data;
  if (rules === undefined) return [];
  if (typeof value === "string") {
    const { pattern } = rules;
    return typeof pattern !== "string" || matches(pattern, value)
      ? []
      : [`${place}: it doesn't match the pattern ${pattern}`];
  }
  if (Array.isArray(value))
    return value.flatMap((item, index) => patternProblems(rules.items, item, `${place}/${index}`));
  const fields = objectSchema.safeParse(value).data ?? {};
  const properties = objectSchema.safeParse(rules.properties).data ?? {};
  return Object.entries(fields).flatMap(([name, field]) =>
    Object.hasOwn(properties, name) ? patternProblems(properties[name], field, `${place}/${name}`) : [],
  );
}

/** A pattern that can't be run in linear time (look-around, back references) is left to the tool itself. */
function matches(pattern: string, text: string): boolean {
  try {
    return RE2JS.compile(pattern).matcher(text).find();
  } catch {
    // Only read, never run: a pattern that nobody can read is the schema's fault.
    new RegExp(pattern, "u");
    return true;
  }
}

/**
 * Checks arguments against a tool's JSON Schema, in words. Compiles nothing, which Workers forbid, and nothing in it can run away: the
 * cost is known before the check begins, patterns run in linear time, and formats are our own checks.
 */
import { type OutputUnit, Validator } from "@cfworker/json-schema";
import { RE2JS } from "re2js";
import { z } from "zod";
import { countValues, maxCheckSteps, resolvePointer, schemaProblem, weightOf } from "../agent/schema-limits.js";
import type { AgentTool } from "../agent/tools.js";
import { hasFormat } from "./text-formats.js";

/** How many faults are reported at once. */
const maxProblems = 5;
/** The most that arguments may have, as JSON, in characters. */
const maxArgumentCharacters = 256_000;

export function validateArguments({ parameters }: Pick<AgentTool, "parameters">, args: unknown): string[] {
  const broken = schemaProblem(parameters);
  if (broken !== undefined) return [brokenSchema(broken)];
  const length = (JSON.stringify(args) ?? "").length;
  if (length > maxArgumentCharacters) return [`they have ${length} characters, of at most ${maxArgumentCharacters}`];
  const steps = weightOf(parameters) * countValues(args);
  if (steps > maxCheckSteps) {
    return [
      `they hold too many values to be checked against this schema (${steps} steps, of at most ${maxCheckSteps})`,
    ];
  }
  try {
    const { valid, errors } = new Validator(checkable(parameters), "2020-12", false).validate(args);
    const problems = valid
      ? []
      : leavesOf(errors).map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`);
    return [...problems, ...valueProblems(parameters, parameters, args, "#")].slice(0, maxProblems);
  } catch (error) {
    // A keyword that is none: whoever stored the tool or runs its server has to mend it.
    return [brokenSchema(error instanceof Error ? error.message : String(error))];
  }
}

function brokenSchema(why: string): string {
  return `they can't be checked, because its schema is broken (${why})`;
}

/** The units that only say that something below them failed add nothing. */
function leavesOf(errors: readonly OutputUnit[]): OutputUnit[] {
  const inner = new Set<string>();
  for (const { keywordLocation } of errors) {
    for (let end = keywordLocation.lastIndexOf("/"); end > 0; end = keywordLocation.lastIndexOf("/", end - 1)) {
      const prefix = keywordLocation.slice(0, end);
      if (inner.has(prefix)) break;
      inner.add(prefix);
    }
  }
  return errors.filter(({ keywordLocation }) => !inner.has(keywordLocation));
}

const objectSchema = z.record(z.string(), z.unknown());

/** Keywords whose values are schemas by name: a name may be "pattern" without being the keyword. */
const byName: ReadonlySet<string> = new Set(["properties", "$defs", "definitions", "dependentSchemas"]);
/** What the validator would check in a time that depends on the text or squares with the list; and names that only say where a schema lies. */
const leftOut: ReadonlySet<string> = new Set([
  "pattern",
  "patternProperties",
  "format",
  "uniqueItems",
  "$id",
  "id",
  "$anchor",
  "$dynamicAnchor",
  "$recursiveAnchor",
]);
const plainValues: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);

/** The schema without what {@link valueProblems} checks. With the patterns of names goes what depends on them. */
function checkable(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const open = "patternProperties" in schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([keyword, value]) => {
      if (leftOut.has(keyword)) return [];
      if (open && (keyword === "additionalProperties" || keyword === "unevaluatedProperties")) return [];
      return [[keyword, plainValues.has(keyword) ? value : checkableWithin(value, byName.has(keyword))]];
    }),
  );
}

function checkableWithin(value: unknown, named: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => checkableWithin(item, false));
  const object = objectSchema.safeParse(value);
  if (!object.success) return value;
  return named
    ? Object.fromEntries(Object.entries(object.data).map(([name, inner]) => [name, checkableWithin(inner, false)]))
    : checkable(object.data);
}

/** Patterns, formats and unique items, where the schema says plainly which value is meant: in properties, items, `$ref` and `allOf`. */
function valueProblems(root: unknown, schema: unknown, value: unknown, place: string): string[] {
  const rules = objectSchema.safeParse(schema).data;
  if (rules === undefined) return [];
  const { $ref, allOf } = rules;
  const others = [
    ...(typeof $ref === "string" ? [resolvePointer(root, $ref)] : []),
    ...(Array.isArray(allOf) ? allOf : []),
  ].flatMap((other) => valueProblems(root, other, value, place));
  return [...others, ...ownProblems(root, rules, value, place)];
}

function ownProblems(root: unknown, rules: Readonly<Record<string, unknown>>, value: unknown, place: string): string[] {
  if (typeof value === "string") return textProblems(rules, value, place);
  if (Array.isArray(value)) {
    const repeated = rules.uniqueItems === true ? repeatedAt(value) : undefined;
    return [
      ...(repeated === undefined ? [] : [`${place}/${repeated}: it stands there twice`]),
      ...value.flatMap((item, index) => valueProblems(root, rules.items, item, `${place}/${index}`)),
    ];
  }
  const fields = objectSchema.safeParse(value).data ?? {};
  const properties = objectSchema.safeParse(rules.properties).data ?? {};
  return Object.entries(fields).flatMap(([name, field]) =>
    Object.hasOwn(properties, name) ? valueProblems(root, properties[name], field, `${place}/${name}`) : [],
  );
}

function textProblems({ pattern, format }: Readonly<Record<string, unknown>>, text: string, place: string): string[] {
  return [
    ...(typeof pattern !== "string" || matches(pattern, text)
      ? []
      : [`${place}: it doesn't match the pattern ${pattern}`]),
    ...(typeof format !== "string" || hasFormat(format, text) ? [] : [`${place}: it isn't a valid ${format}`]),
  ];
}

/** Where a list holds something for the second time. Objects are the same whatever the order of their fields. */
function repeatedAt(list: readonly unknown[]): number | undefined {
  const seen = new Set<string>();
  for (const [index, item] of list.entries()) {
    const text = canonical(item);
    if (seen.has(text)) return index;
    seen.add(text);
  }
  return undefined;
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    const object = Array.isArray(inner) ? undefined : objectSchema.safeParse(inner).data;
    return object === undefined
      ? inner
      : Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
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

/** Holds answers against what Open Responses has published. */
import { dereference, type Schema, validate } from "@cfworker/json-schema";
import { expect } from "vitest";
import published from "../fixtures/open-responses-2026-04-24.json" with { type: "json" };

const root: { readonly $defs: Readonly<Record<string, Schema>> } = JSON.parse(JSON.stringify(published));
const lookup = dereference(root);

/** Fails where the value isn't what the published schema of this name says. */
export function expectPublished(name: keyof typeof published.$defs, value: unknown): void {
  const { valid, errors } = validate(value, root.$defs[name] ?? false, "2020-12", lookup, false);
  expect(valid ? [] : errors.map((one) => `${one.instanceLocation} ${one.keyword}: ${one.error}`)).toEqual([]);
}

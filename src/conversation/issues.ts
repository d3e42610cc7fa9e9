import { z } from "zod";
import { ownValue } from "./own-value.js";
import type { ProblemIssue } from "./problem.js";

/** `errors` of refusals and `warnings` of answers, on the wire. */
export const issuesSchema = z.array(z.object({ path: z.string(), message: z.string() }));

/** zod's issues as places and words. */
export function issuesOf(error: { readonly issues: readonly z.core.$ZodIssue[] }): ProblemIssue[] {
  return error.issues.flatMap((issue) => {
    const path = issue.path.join(".");
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => ({
        path: path === "" ? key : `${path}.${key}`,
        message: "there is no such field",
      }));
    }
    if (issue.code === "invalid_union") {
      // Of the ways in which it could have been right, the nearest are those that take such a value at all (an object, a
      // text), and of them the one with the fewest faults.
      const ofItsType = issue.errors.filter((faults) => !faults.some(isOfAnotherType));
      const [nearest] = (ofItsType.length > 0 ? ofItsType : issue.errors).toSorted((a, b) => a.length - b.length);
      if (nearest !== undefined && nearest.length > 0) {
        return issuesOf({ issues: nearest }).map((inner) => ({
          ...inner,
          path: [path, inner.path].filter((part) => part !== "").join("."),
        }));
      }
    }
    return [{ path, message: issueWords(issue) }];
  });
}

/** What zod says in the words of its own schema language, for who wrote JSON or a query; what a schema says itself stays as it is. */
export function issueWords(issue: z.core.$ZodIssue): string {
  const { message } = issue;
  if (issue.code === "invalid_type") {
    const received = message.startsWith("Invalid input: expected ") ? message.split(", received ").at(1) : undefined;
    if (received === undefined) return message;
    if (received === "undefined") return `it is missing: ${named(issue.expected)}`;
    const given = Object.hasOwn(types, received) && issue.expected !== "int" ? `, and is ${named(received)}` : "";
    return `it has to be ${named(issue.expected)}${given}`;
  }
  if (issue.code === "too_small" && message.startsWith("Too small: expected")) {
    return `it has to ${sized(issue.inclusive === false ? "more than" : "at least", Number(issue.minimum), issue)}`;
  }
  if (issue.code === "too_big" && message.startsWith("Too big: expected")) {
    return `it has to ${sized(issue.inclusive === false ? "less than" : "at most", Number(issue.maximum), issue)}`;
  }
  if (message.startsWith("Invalid option: expected one of") && issue.code === "invalid_value") {
    return `it has to be one of ${issue.values.map(String).join(", ")}`;
  }
  const kinds = /^Invalid discriminator value\. Expected (.+)$/.exec(message)?.[1];
  if (kinds !== undefined) return `it has to be one of ${kinds.replaceAll("'", "").replaceAll(" | ", ", ")}`;
  if (message === "Invalid ISO datetime") return "it has to be a time, such as 2026-11-22T09:30:00Z";
  return message;
}

/** Types as JSON has them, and how they are spoken of. */
const types: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

function named(type: string): string {
  return ownValue(types, type) ?? type;
}

function sized(
  bound: string,
  size: number,
  { origin, exact }: Pick<z.core.$ZodIssueTooSmall, "origin" | "exact">,
): string {
  const limit = `${exact === true ? "exactly" : bound} ${size}`;
  const unit = origin === "string" ? "character" : origin === "array" || origin === "set" ? "item" : undefined;
  return unit === undefined ? `be ${limit}` : `have ${limit} ${unit}${size === 1 ? "" : "s"}`;
}

function isOfAnotherType({ code, path }: z.core.$ZodIssue): boolean {
  return code === "invalid_type" && path.length === 0;
}

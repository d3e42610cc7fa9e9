import type { z } from "zod";
import type { ProblemIssue } from "./problem.js";

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
    return [{ path, message: issue.message }];
  });
}

function isOfAnotherType({ code, path }: z.core.$ZodIssue): boolean {
  return code === "invalid_type" && path.length === 0;
}

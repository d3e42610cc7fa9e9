/** One example for each body, request and answer. */
import type { Operation } from "./model.js";

export const exampleComponents: Readonly<Record<string, unknown>> = {};

export function withExamples(operation: Operation): Operation {
  return operation;
}

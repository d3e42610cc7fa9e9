/**
 * How the MCP packages check values against JSON Schemas: within the bounds of all other arguments. What a server promises of its tools'
 * results (`outputSchema`) is a stranger's schema, and a pattern in it could keep an object busy for hours in the check that they bring.
 */
import type { JsonSchemaType, JsonSchemaValidator } from "@modelcontextprotocol/client";
import { z } from "zod";
import { validateArguments } from "./argument-check.js";

const schemaOfOthers = z.record(z.string(), z.unknown());

export const boundedSchemaCheck = {
  getValidator<T>(schema: JsonSchemaType): JsonSchemaValidator<T> {
    const parameters = schemaOfOthers.parse(schema);
    return (input) => {
      const problems = validateArguments({ parameters }, input);
      return problems.length === 0
        ? { valid: true, data: z.custom<T>().parse(input), errorMessage: undefined }
        : { valid: false, data: undefined, errorMessage: problems.join("; ") };
    };
  },
};

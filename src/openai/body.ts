/** Bodies and queries of requests, read by a schema: what is wrong is a 400 that names the parameter. */
import { z } from "zod";
import { issueWords } from "../conversation/issues.js";
import { ownValue } from "../conversation/own-value.js";
import { readJson } from "../text/json.js";
import { OpenAiError, paramOf } from "./errors.js";

export function readBody<T extends z.ZodType>(schema: T, text: string | undefined): z.infer<T> {
  const { value, problem, isTooMuch } = readJson(text ?? "");
  if (isTooMuch) throw new OpenAiError(400, "invalid_value", `${problem}.`);
  if (problem !== undefined) throw new OpenAiError(400, "invalid_request", "Send the request as a JSON body.");
  return parsed(schema, value);
}

/** The parameters of an address, likewise. Whether they are known is asked before. */
export function readQuery<T extends z.ZodType>(schema: T, query: Readonly<Record<string, string>>): z.infer<T> {
  return parsed(schema, query);
}

function parsed<T extends z.ZodType>(schema: T, value: unknown): z.infer<T> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  if (issue === undefined) throw new OpenAiError(400, "invalid_request", "The body isn't what this route takes.");
  const path = issue.path.map(String);
  if (issue.code === "unrecognized_keys") {
    const param = paramOf([...path, issue.keys[0] ?? ""].join("."));
    throw new OpenAiError(400, "unknown_parameter", `There is no parameter "${param}" here.`, param);
  }
  const param = paramOf(path.join("."));
  const isMissing =
    issue.code === "invalid_type" && issue.input === undefined && valueAt(value, issue.path) === undefined;
  const code = isMissing ? "missing_required_parameter" : "invalid_value";
  throw new OpenAiError(
    400,
    code,
    param === "" ? issueWords(issue) : `${param}: ${issueWords(issue)}`,
    param === "" ? null : param,
  );
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, key) => {
    const object = z.record(z.string(), z.unknown()).safeParse(inner);
    if (object.success) return ownValue(object.data, String(key));
    return Array.isArray(inner) ? inner[Number(key)] : undefined;
  }, value);
}

/** A parameter that is taken only as what we do anyway. */
export function only<const T extends string | number | boolean>(values: readonly T[], what: string) {
  return z
    .unknown()
    .refine((value) => value === undefined || value === null || values.some((one) => one === value), what)
    .optional();
}

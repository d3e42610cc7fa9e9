/** A call's arguments as fields: made of the tool's JSON schema, and read back with the types that it has. */
import { type ProblemIssue, problem } from "../../conversation/problem.js";
import { isRecord, readJson } from "../../text/json.js";
import { Choice, Field } from "../parts.js";
import type { Visit } from "../screen.js";

type Args = Readonly<Record<string, unknown>>;

interface Call {
  readonly args: Args;
  readonly parameters?: Args | undefined;
}

type Type = "string" | "number" | "boolean" | "choice" | "json";

interface ArgField {
  readonly name: string;
  readonly type: Type;
  readonly title: string;
  readonly hint: string | undefined;
  readonly isRequired: boolean;
  /** Of a choice, as JSON. */
  readonly choices: readonly string[];
  /** As it stands in the field; empty where there is none. */
  readonly stored: string;
}

/** More of them are one field with all of them as JSON. */
const mostFields = 40;
/** Longer than this, or of several lines, a text has room. */
const longLine = 60;
const wholeName = "args";

/** @example fieldsOf({ args: { amount: 3 }, parameters }) // [{ name: "amount", type: "number", stored: "3", … }] */
function fieldsOf({ args, parameters = {} }: Call): readonly ArgField[] {
  const properties = isRecord(parameters.properties) ? parameters.properties : {};
  const names = [...new Set([...Object.keys(properties), ...Object.keys(args)])];
  if (names.length === 0 || names.length > mostFields) return [];
  const required: readonly unknown[] = Array.isArray(parameters.required) ? parameters.required : [];
  const own = new Map(Object.entries(properties));
  const given = new Map(Object.entries(args));
  return names.map((name) => {
    const known = own.get(name);
    const schema = isRecord(known) ? known : {};
    const value = given.get(name);
    const type = typeOf(schema, value);
    return {
      name,
      type,
      title: typeof schema.title === "string" ? schema.title : name,
      hint: typeof schema.description === "string" ? schema.description.slice(0, 300) : undefined,
      isRequired: required.includes(name),
      choices: Array.isArray(schema.enum) ? schema.enum.map((choice) => JSON.stringify(choice)) : [],
      stored: value === undefined ? "" : written(value, type),
    };
  });
}

/** What a field of it takes: as its schema says, if what stands there now is of that type. */
function typeOf(schema: Args, value: unknown): Type {
  if (Array.isArray(schema.enum) && schema.enum.length <= 100) return "choice";
  const types = (Array.isArray(schema.type) ? schema.type : [schema.type]).filter((type) => type !== "null");
  const type = types.length === 1 ? (types[0] === "integer" ? "number" : types[0]) : undefined;
  const is = value === undefined ? type : typeof value;
  if (type !== undefined && type !== is) return "json";
  return is === "string" || is === "number" || is === "boolean" ? is : "json";
}

function written(value: unknown, type: Type): string {
  if (type === "string") return String(value);
  return type === "json" ? JSON.stringify(value, undefined, 2) : JSON.stringify(value);
}

const plainLines = (text: string): string => text.replaceAll("\r\n", "\n");

/** What a form sent of them; undefined where it has no such fields. @throws {ProblemError} naming each field that can't be read */
export function argsSent({ sent }: Visit, call: Call): Args | undefined {
  const fields = fieldsOf(call);
  if (sent === undefined) return undefined;
  if (fields.length === 0) {
    const text = sent.get(wholeName);
    return text === null ? undefined : objectIn(text);
  }
  const faults: ProblemIssue[] = [];
  const entries = fields.flatMap((field): [string, unknown][] => {
    const text = sent.get(`${wholeName}.${field.name}`);
    const before = new Map(Object.entries(call.args)).get(field.name);
    // What wasn't touched is what it was, to the letter.
    if (text === null || plainLines(text) === plainLines(field.stored))
      return before === undefined ? [] : [[field.name, before]];
    const read = readField(field, plainLines(text));
    if ("fault" in read) faults.push({ path: `${wholeName}.${field.name}`, message: read.fault });
    return "value" in read ? [[field.name, read.value]] : [];
  });
  if (faults.length > 0) throw problem("invalid", "The arguments can't be read.", { errors: faults });
  return Object.fromEntries(entries);
}

/** The arguments that were written anew, as they stood in their fields: what they can be read as or not. */
export function argsWritten({ sent }: Visit, call: Call): readonly string[] {
  const fields = fieldsOf(call).map(({ name, title, stored }) => ({ name: `${wholeName}.${name}`, title, stored }));
  const whole = { name: wholeName, title: "Arguments", stored: JSON.stringify(call.args, undefined, 2) };
  return (fields.length === 0 ? [whole] : fields).flatMap(({ name, title, stored }) => {
    const text = sent?.get(name);
    return text == null || plainLines(text) === plainLines(stored) ? [] : [`${title}: ${text}`];
  });
}

type Read = { readonly value: unknown } | { readonly fault: string } | { readonly isEmpty: true };

function readField({ type, choices }: ArgField, text: string): Read {
  // Emptied: it is left out. A text that is to be empty is said as such by a choice, or by the tool's default.
  if (text.trim() === "") return { isEmpty: true };
  switch (type) {
    case "string":
      return { value: text };
    case "number": {
      const number = Number(text.trim());
      return Number.isFinite(number) ? { value: number } : { fault: "It has to be a number, like 12.5." };
    }
    case "boolean":
      return { value: text === "true" };
    case "choice":
      return choices.includes(text) ? { value: readJson(text).value } : { fault: "It is one of those listed." };
    case "json": {
      const { value, problem: wrong } = readJson(text);
      return wrong === undefined ? { value } : { fault: `It has to be JSON: ${wrong}.` };
    }
  }
}

function objectIn(text: string): Args {
  const { value } = readJson(text);
  if (isRecord(value)) return value;
  const errors = [{ path: wholeName, message: "It has to be a JSON object." }];
  throw problem("invalid", "The arguments can't be read.", { errors });
}

export function CallFields({ visit, call }: { readonly visit: Visit; readonly call: Call }) {
  const fields = fieldsOf(call);
  if (fields.length === 0) {
    const stored = JSON.stringify(call.args, undefined, 2);
    return <Field visit={visit} name={wholeName} label="Arguments" stored={stored} lines={8} />;
  }
  return (
    <>
      {fields.map((field) => (
        <ArgInput visit={visit} field={field} />
      ))}
    </>
  );
}

function ArgInput({ visit, field }: { readonly visit: Visit; readonly field: ArgField }) {
  const { type, title, hint, isRequired, choices, stored } = field;
  const shared = {
    visit,
    name: `${wholeName}.${field.name}`,
    label: isRequired ? title : `${title} (may be left out)`,
    stored,
    ...(hint !== undefined && { hint }),
  };
  if (type === "boolean" || type === "choice") {
    const options = type === "boolean" ? yesOrNo : choices.map((choice) => [choice, wordOf(choice)] as const);
    const none = isRequired && stored !== "" ? [] : [["", "—"] as const];
    return <Choice {...shared} options={[...none, ...options]} />;
  }
  const isLong = type === "json" || stored.length > longLine || stored.includes("\n");
  return isLong ? <Field {...shared} lines={Math.min(12, stored.split("\n").length + 1)} /> : <Field {...shared} />;
}

const yesOrNo = [
  ["true", "Yes"],
  ["false", "No"],
] as const;

/** A choice as it is read: a text without its quotes. */
function wordOf(choice: string): string {
  const { value } = readJson(choice);
  return typeof value === "string" ? value : choice;
}

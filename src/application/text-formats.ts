/** The formats of JSON Schema, each checked in time that is linear in the text. One that isn't known passes, as JSON Schema demands. */
import { z } from "zod";

interface TextFormat {
  /** Longer texts don't have the format: what is run on the text stays cheap whatever its form. */
  readonly maxLength: number;
  readonly matches: (text: string) => boolean;
}

function bySchema(maxLength: number, schema: z.ZodType): TextFormat {
  return { maxLength, matches: (text) => schema.safeParse(text).success };
}

const address: TextFormat = { maxLength: 8_000, matches: (text) => URL.canParse(text) };
const pointer: TextFormat = {
  maxLength: 8_000,
  matches: (text) => text === "" || /^(?:\/(?:[^~/]|~[01])*)+$/.test(text),
};

const formats: ReadonlyMap<string, TextFormat> = new Map([
  ["date", bySchema(40, z.iso.date())],
  ["date-time", bySchema(60, z.iso.datetime({ offset: true }))],
  [
    "time",
    { maxLength: 40, matches: (text) => z.iso.time().safeParse(text.replace(/(?:z|[+-]\d\d:\d\d)$/i, "")).success },
  ],
  ["duration", bySchema(100, z.iso.duration())],
  ["email", bySchema(320, z.email())],
  ["hostname", bySchema(253, z.hostname())],
  ["ipv4", bySchema(15, z.ipv4())],
  ["ipv6", bySchema(45, z.ipv6())],
  ["uuid", { maxLength: 36, matches: (text) => /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text) }],
  ["uri", address],
  ["url", address],
  ["json-pointer", pointer],
]);

export function hasFormat(format: string, text: string): boolean {
  const known = formats.get(format);
  return known === undefined || (text.length <= known.maxLength && known.matches(text));
}

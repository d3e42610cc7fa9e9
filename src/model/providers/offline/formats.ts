/** Texts in the formats that JSON Schema names. */

const SAMPLES: Readonly<Record<string, string>> = {
  date: "2000-01-01",
  "date-time": "2000-01-01T00:00:00Z",
  duration: "PT1M",
  email: "someone@example.com",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  "json-pointer": "/item",
  "json-pointer-uri-fragment": "#/item",
  regex: "item",
  "relative-json-pointer": "0",
  time: "00:00:00Z",
  uri: "https://example.com/",
  "uri-reference": "/item",
  "uri-template": "/item",
  url: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000",
};

const FOUND_BY: Readonly<Record<string, RegExp>> = {
  date: /\b\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])\b/g,
  "date-time": /\b\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,3})?Z/g,
  email:
    /\b[A-Za-z0-9][A-Za-z0-9+_-]{0,60}(?:\.[A-Za-z0-9+_-]{1,60}){0,5}@[A-Za-z0-9-]{1,60}(?:\.[A-Za-z]{2,20}){1,3}\b/g,
  uri: /\bhttps?:\/\/[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*(?:\/[A-Za-z0-9_~/-]*)?/g,
  url: /\bhttps?:\/\/[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*(?:\/[A-Za-z0-9_~/-]*)?/g,
  uuid: /\b[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b/gi,
};

/** The passages of a text that have the format. */
export function inFormat(format: string | undefined, text: string): string[] {
  const finder = format === undefined || !Object.hasOwn(FOUND_BY, format) ? undefined : FOUND_BY[format];
  return finder === undefined ? [] : (text.slice(0, 20_000).match(finder) ?? []);
}

/** A text of the format that stands for nothing in particular; `ordinal` tells several apart. */
export function formatSample(format: string | undefined, ordinal: number): string | undefined {
  const sample = format === undefined || !Object.hasOwn(SAMPLES, format) ? undefined : SAMPLES[format];
  if (sample === undefined || ordinal === 0) return sample;
  switch (format) {
    case "email":
      return `someone${ordinal + 1}@example.com`;
    case "uri":
    case "url":
    case "uri-reference":
    case "uri-template":
      return `${sample}${ordinal + 1}`;
    case "uuid":
      return sample.slice(0, -4) + String(ordinal % 10_000).padStart(4, "0");
    case "date":
      return `2000-01-${String((ordinal % 28) + 1).padStart(2, "0")}`;
    case "date-time":
      return `2000-01-${String((ordinal % 28) + 1).padStart(2, "0")}T00:00:00Z`;
    default:
      return sample;
  }
}

/** The secrets of resources, which are stored and never read back: headers and signing secrets. */
import { z } from "zod";

type Change = (secret: string) => string;

/** The same resource with its secrets changed. The one place that knows which fields hold them. */
export function mapSecrets(body: object, change: Change): object {
  const changed = Object.entries(body).map(([field, value]) => [field, mapField(field, value, change)]);
  return Object.fromEntries(changed);
}

/** As {@link mapSecrets}, where changing takes its time. */
export async function mapSecretsLater(body: object, change: (secret: string) => Promise<string>): Promise<object> {
  const secrets = secretsIn(body);
  if (secrets.length === 0) return body;
  const changed = new Map(await Promise.all(secrets.map(async (secret) => [secret, await change(secret)] as const)));
  return mapSecrets(body, (secret) => changed.get(secret) ?? secret);
}

/** The secrets of a resource, each once. */
export function secretsIn(body: object): string[] {
  const found = new Set<string>();
  mapSecrets(body, (secret) => {
    found.add(secret);
    return secret;
  });
  return [...found];
}

function mapField(field: string, value: unknown, change: Change): unknown {
  if (typeof value !== "object" || value === null) return value;
  switch (field) {
    case "http":
    case "mcp":
      return mapText(value, "headers", change);
    case "config":
      return mapText(value, "secret", change);
    case "workers":
      return Array.isArray(value) ? value.map((worker) => mapSecrets(worker, change)) : value;
    case "team":
      return mapSecrets(value, change);
    default:
      return value;
  }
}

/** One field's text, or the texts in it. */
function mapText(holder: object, field: string, change: Change): object {
  return Object.fromEntries(
    Object.entries(holder).map(([name, value]) => {
      if (name !== field) return [name, value];
      if (typeof value === "string") return [name, change(value)];
      const texts = Object.entries(z.record(z.string(), z.string()).parse(value));
      return [name, Object.fromEntries(texts.map(([key, text]) => [key, change(text)]))];
    }),
  );
}

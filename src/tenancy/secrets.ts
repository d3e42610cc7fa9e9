/** The secrets of resources, which are stored and never read back: headers and signing secrets. */
import { z } from "zod";
import { referredSecret } from "../conversation/secret-text.js";

/** Where a secret stands: the address that it is sent to, and its path in the body. */
interface SecretPlace {
  readonly url: string;
  readonly path: string;
}
type Change = (secret: string, place: SecretPlace) => unknown;

/** The same resource with its secrets changed. The one place that knows which fields hold them. */
export function mapSecrets(body: object, change: Change, at = ""): object {
  const changed = Object.entries(body).map(([field, value]) => [field, mapField(field, value, change, at + field)]);
  return Object.fromEntries(changed);
}

/** The same wherever a resource may lie within something else, as what somebody sent along does in the state of an object. */
export function mapSecretsBelow(value: unknown, change: Change): unknown {
  if (Array.isArray(value)) return value.map((item) => mapSecretsBelow(item, change));
  if (typeof value !== "object" || value === null) return value;
  const below = Object.entries(value).map(([field, one]) => [field, mapSecretsBelow(one, change)]);
  return mapSecrets(Object.fromEntries(below), change);
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

/** The secrets that a resource names in place of its own, each where it stands. */
export function referencesIn(body: object): (SecretPlace & { readonly name: string })[] {
  const found: (SecretPlace & { name: string })[] = [];
  mapSecrets(body, (secret, place) => {
    const name = referredSecret(secret);
    if (name !== undefined) found.push({ name, ...place });
    return secret;
  });
  return found;
}

function mapField(field: string, value: unknown, change: Change, at: string): unknown {
  if (typeof value !== "object" || value === null) return value;
  switch (field) {
    case "http":
    case "mcp":
      return mapText(mapText(value, "headers", change, at), "secret", change, at);
    case "config":
      return mapText(value, "secret", change, at);
    case "workers":
      return Array.isArray(value) ? value.map((worker, index) => mapSecrets(worker, change, `${at}.${index}.`)) : value;
    case "team":
      return mapSecrets(value, change, `${at}.`);
    default:
      return value;
  }
}

/** One field's text, or the texts in it. */
function mapText(holder: object, field: string, change: Change, at: string): object {
  const url = "url" in holder && typeof holder.url === "string" ? holder.url : "";
  const changed = (text: string, ...path: string[]): unknown => change(text, { url, path: [at, ...path].join(".") });
  return Object.fromEntries(
    Object.entries(holder).map(([name, value]) => {
      if (name !== field) return [name, value];
      if (typeof value === "string") return [name, changed(value, name)];
      const { data } = z.record(z.string(), z.string()).safeParse(value);
      if (data === undefined) return [name, value];
      return [name, Object.fromEntries(Object.entries(data).map(([key, text]) => [key, changed(text, name, key)]))];
    }),
  );
}

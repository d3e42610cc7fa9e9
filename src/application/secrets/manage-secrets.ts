/** A tenant's secrets: stored under names, listed without values, exchanged by their name alone, deleted when nothing names them. */
import { z } from "zod";
import { recordOf } from "../../conversation/actor-record.js";
import { problem } from "../../conversation/problem.js";
import { secretName } from "../../conversation/secret-text.js";
import { maxSecrets, type StoredSecret } from "../../stores/secret-store.js";
import type { WorkClaim } from "../../stores/work-claims.js";
import { lazily } from "../../text/lazily.js";
import { act } from "../act.js";
import { doOnce } from "../creation.js";
import { listOf, pageInput, readPage } from "../page.js";

const secretTag = "Secrets";

export const newSecretSchema = lazily(() =>
  z.strictObject({
    /** Sealed, and never shown. */
    value: z.string().min(1).max(4_000),
    /** Where it may be sent: hosts of addresses, with their port if that isn't the usual one. Without them anywhere. */
    hosts: z
      .array(z.string().regex(/^[a-z0-9.-]{1,253}(?::\d{1,5})?$/, "a host is written like api.shop.example"))
      .min(1)
      .max(20)
      .optional(),
    description: z.string().max(500).optional(),
  }),
);

export const secretSchema = lazily(() =>
  z.object({
    name: z.string(),
    hosts: z.array(z.string()).optional(),
    description: z.string().optional(),
    /** What names it: `tools/refund`, `webhooks/crm`, `settings.providers`. */
    usedBy: z.array(z.string()),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  }),
);

export const putSecret = act("putSecret", {
  role: "operator",
  route: {
    method: "put",
    path: "/v1/secrets/{name}",
    tag: secretTag,
    summary: "Store a secret under a name, or exchange it for all that names it (operators)",
    description:
      'Wherever a secret of a tool, a supervisor, a team, a webhook, a channel or a provider stands, `{"$secret": "NAME"}` can. The next call uses what is stored then.',
    body: "secret",
    shows: "secret",
    answer: "It was changed",
    other: { when: "created", status: 201, answer: "It is new" },
  },
  input: () => z.object({ name: secretName, secret: newSecretSchema() }),
  output: () => z.object({ created: z.boolean(), secret: secretSchema() }),
  run: async (actor, { name, secret }, services) => {
    const { tenantId } = actor;
    const store = async (claim?: WorkClaim): Promise<boolean> => {
      const outcome = await services.secrets.put(tenantId, name, secret, recordOf(actor), claim);
      if (outcome === "too_many") {
        throw problem("conflict", `A tenant has at most ${maxSecrets} secrets. Delete one that nothing names.`);
      }
      return outcome === "created";
    };
    const created = await doOnce(actor, services, store, async (note) => note === "created");
    const stored = await services.secrets.get(tenantId, name);
    if (stored === undefined) throw noSecret(name);
    return { created, secret: viewOf(stored, await services.secrets.usesOf(tenantId, name)) };
  },
});

export const listSecrets = act("listSecrets", {
  role: "operator",
  route: {
    method: "get",
    path: "/v1/secrets",
    tag: secretTag,
    summary: "The tenant's secrets by name, and what names them; no value (operators)",
    description: "`usedBy` names resources that count, webhooks, channels, and `settings.providers`.",
    answer: "A page of secrets",
  },
  input: () => z.object(pageInput()),
  output: () => listOf(secretSchema()),
  run: async ({ tenantId }, page, { secrets }) => {
    const read = (after = "", limit: number) => secrets.list(tenantId, after, limit);
    const { items, nextCursor } = await readPage(page, read, ({ name }) => name);
    const uses = await Promise.all(items.map(({ name }) => secrets.usesOf(tenantId, name)));
    return { items: items.map((one, at) => viewOf(one, uses[at] ?? [])), nextCursor };
  },
});

export const readSecret = act("readSecret", {
  role: "operator",
  route: {
    method: "get",
    path: "/v1/secrets/{name}",
    tag: secretTag,
    summary: "What is known of a secret; no value (operators)",
    description: "What names it, where it may be sent, since when it is there, and when it was exchanged last.",
    shows: "secret",
    answer: "The secret, without its value",
  },
  input: () => z.object({ name: secretName }),
  output: () => z.object({ secret: secretSchema() }),
  run: async ({ tenantId }, { name }, { secrets }) => {
    const [stored, usedBy] = await Promise.all([secrets.get(tenantId, name), secrets.usesOf(tenantId, name)]);
    if (stored === undefined) throw noSecret(name);
    return { secret: viewOf(stored, usedBy) };
  },
});

export const deleteSecret = act("deleteSecret", {
  role: "operator",
  route: {
    method: "delete",
    path: "/v1/secrets/{name}",
    tag: secretTag,
    summary: "Delete a secret that nothing names (operators)",
    description: "One that something names stays: the 409 says what does.",
    answer: "It is gone",
  },
  input: () => z.object({ name: secretName }),
  run: async (actor, { name }, services) => {
    const { tenantId } = actor;
    const done = { by: recordOf(actor), at: services.now() };
    const remove = async (claim?: WorkClaim): Promise<void> => {
      switch (await services.secrets.remove(tenantId, name, done, claim)) {
        case "removed":
          return;
        case "none":
          throw noSecret(name);
        case "used": {
          const uses = await services.secrets.usesOf(tenantId, name);
          throw problem(
            "conflict",
            `The secret ${name} is named by ${uses.join(", ")}. Give these another first. To exchange its value, PUT it.`,
          );
        }
      }
    };
    await doOnce(actor, services, remove, async () => {});
  },
});

function noSecret(name: string) {
  return problem("not_found", `There is no secret ${name}. GET /v1/secrets lists those there are.`);
}

function viewOf({ createdAt, updatedAt, ...secret }: StoredSecret, usedBy: readonly string[]) {
  return {
    ...secret,
    ...(secret.hosts === undefined ? {} : { hosts: [...secret.hosts] }),
    usedBy: [...usedBy],
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
  };
}

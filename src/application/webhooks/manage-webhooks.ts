/** A tenant's subscriptions to events: stored, read, listed, deleted. */
import { z } from "zod";
import {
  type NewWebhook,
  shownReference,
  type WebhookView,
  webhookSchema,
  webhookViewSchema,
} from "../../catalogues/webhooks.js";
import { recordOf } from "../../conversation/actor-record.js";
import { itemName } from "../../conversation/names.js";
import { problem } from "../../conversation/problem.js";
import { referredSecret, type SecretReference } from "../../conversation/secret-text.js";
import { sha256Hex } from "../../platform/digest.js";
import { refuseAddress } from "../../platform/outgoing.js";
import { newWebhookSecret } from "../../platform/webhook-signature.js";
import type { WorkClaim } from "../../stores/work-claims.js";
import { act } from "../act.js";
import { readPut } from "../as-read.js";
import { doOnce } from "../creation.js";
import { listOf, pageInput, readPage } from "../page.js";
import type { Services } from "../services.js";
import { findWebhook, noWebhook, webhookTag } from "./find-webhook.js";

interface Stored {
  readonly created: boolean;
  /** The one that was made for it, where it still signs. */
  readonly secret: string | undefined;
}

/** What a webhook's GET adds to what was put. */
const serverFields = ["status", "createdAt", "updatedAt", "lastSuccessAt", "lastFailureAt", "lastFailure"];

/** Stores a subscription, and switches it on. Another secret than before signs beside that one for a day. */
export const putWebhook = act("putWebhook", {
  role: "operator",
  route: {
    method: "put",
    path: "/v1/webhooks/{name}",
    tag: webhookTag,
    summary: "Subscribe an address of yours to events, or change the subscription (operators)",
    body: "webhook",
    bodyShape: () => webhookSchema,
    shows: "webhook",
    answer: "It was changed",
    answerName: "StoredWebhook",
    other: { when: "created", status: 201, answer: "It is new" },
  },
  input: () => z.object({ name: itemName, webhook: z.unknown() }),
  output: () => {
    const secret = z
      .union([z.string(), shownReference()])
      .optional()
      .describe("Shown once, where it was made here; as it was named.");
    return z.object({ created: z.boolean(), webhook: webhookViewSchema.extend({ secret }) });
  },
  run: async (actor, { name, webhook: sent }, services) => {
    const { secret, ...webhook } = await checkWebhook(actor.tenantId, name, sent, services);
    const made = newWebhookSecret();
    const by = recordOf(actor);
    const store = async (claim?: WorkClaim): Promise<Stored> => {
      const stored = await services.webhooks.put(actor.tenantId, name, webhook, { secret, made, by }, claim);
      return { created: stored === "created", secret: made };
    };
    // The secret that was made is shown to the request that made it, also when that comes again; never one that somebody has put since.
    const again = async (note: string): Promise<Stored> => {
      const [decision, digest = ""] = note.split(" ");
      const [{ secrets } = { secrets: [] }] = await services.webhooks.secretsOf(actor.tenantId, name);
      const digests = await Promise.all(secrets.map(sha256Hex));
      return { created: decision === "created", secret: secrets[digests.indexOf(digest)] };
    };
    const { created, secret: shown } = await doOnce(actor, services, store, again);
    const view = await findWebhook(actor, { name }, services);
    const isMade = created && secret === undefined && shown !== undefined;
    const webhookMade: Omit<WebhookView, "secret"> & { secret?: string | SecretReference | undefined } = isMade
      ? { ...view, secret: shown }
      : view;
    return { created, webhook: webhookMade };
  },
});

/**
 * A subscription as it is sent.
 * @throws {ProblemError} `invalid`, with the places
 */
export async function checkWebhook(
  tenantId: string,
  name: string,
  sent: unknown,
  { policy, secrets }: Pick<Services, "policy" | "secrets">,
): Promise<NewWebhook> {
  const webhook = await readPut(webhookSchema, sent, { name, serverFields, current: async () => undefined });
  const refused = refuseAddress(webhook.url, policy);
  if (refused !== undefined) {
    const errors = [{ path: "url", message: refused }];
    throw problem("invalid", `The webhook's address can't be called: ${refused}.`, { errors });
  }
  const named = webhook.secret === undefined ? undefined : referredSecret(webhook.secret);
  const uses = named === undefined ? [] : [{ name: named, url: webhook.url, path: "secret" }];
  const errors = await secrets.refusedUses(tenantId, uses);
  if (errors.length > 0) throw problem("invalid", "The webhook's secret can't be used; see errors.", { errors });
  return webhook;
}

export const readWebhook = act("readWebhook", {
  role: "operator",
  route: {
    method: "get",
    path: "/v1/webhooks/{name}",
    tag: webhookTag,
    summary: "Read a subscription and how its receiver does (operators)",
    answer: "The subscription, without its secret",
  },
  input: () => z.object({ name: itemName }),
  output: () => webhookViewSchema,
  run: findWebhook,
});

export const listWebhooks = act("listWebhooks", {
  role: "operator",
  route: {
    method: "get",
    path: "/v1/webhooks",
    tag: webhookTag,
    summary: "The tenant's subscriptions, by name (operators)",
    answer: "A page of subscriptions",
  },
  input: () => z.object(pageInput()),
  output: () => listOf(webhookViewSchema),
  run: async ({ tenantId }, page, { webhooks }) => {
    const read = (after = "", limit: number) => webhooks.list(tenantId, after, limit);
    return readPage(page, read, ({ name }) => name);
  },
});

/** Deletes a subscription with what is known of its deliveries; nothing more is sent. */
export const deleteWebhook = act("deleteWebhook", {
  role: "operator",
  route: {
    method: "delete",
    path: "/v1/webhooks/{name}",
    tag: webhookTag,
    summary: "End a subscription; nothing more is sent (operators)",
    answer: "It is gone",
  },
  input: () => z.object({ name: itemName }),
  run: async (actor, { name }, services) => {
    const done = { by: recordOf(actor), at: services.now() };
    const remove = async (claim?: WorkClaim): Promise<void> => {
      if (!(await services.webhooks.remove(actor.tenantId, name, done, claim))) throw noWebhook();
    };
    await doOnce(actor, services, remove, async () => {});
  },
});

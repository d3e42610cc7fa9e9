/** A tenant's subscriptions to events: stored, read, listed, deleted. */

import type { NewWebhook, WebhookView } from "../../catalogues/webhooks.js";
import { recordOf } from "../../conversation/actor-record.js";
import { ok, type Result, refuse } from "../../conversation/problem.js";
import { sha256Hex } from "../../platform/digest.js";
import { refuseAddress } from "../../platform/outgoing.js";
import { newWebhookSecret } from "../../platform/webhook-signature.js";
import type { WorkClaim } from "../../stores/work-claims.js";
import type { Actor } from "../../tenancy/actor.js";
import type { Act } from "../../tenancy/acts.js";
import { authorize } from "../../tenancy/authority.js";
import { doOnce } from "../creation.js";
import { type Page, type PageRequest, readPage } from "../page.js";
import type { Services } from "../services.js";

export interface StoredSubscription {
  /** Whether it is new. */
  readonly created: boolean;
  /** With the secret, where one was made: it is shown this once. */
  readonly webhook: WebhookView & { readonly secret?: string };
}

interface Stored {
  readonly created: boolean;
  /** The one that was made for it, where it still signs. */
  readonly secret: string | undefined;
}

/** Stores a subscription, and switches it on. Another secret than before signs beside that one for a day. */
export async function putWebhook(
  actor: Actor,
  { name, webhook: { secret, ...webhook } }: { readonly name: string; readonly webhook: NewWebhook },
  services: Services,
): Promise<Result<StoredSubscription>> {
  const allowed = authorize(actor, "putWebhook");
  if (!allowed.ok) return allowed;
  const refused = refuseAddress(webhook.url, services.policy);
  if (refused !== undefined) {
    const errors = [{ path: "url", message: refused }];
    return refuse("invalid", `The webhook's address can't be called: ${refused}.`, { errors });
  }
  const made = newWebhookSecret();
  const by = recordOf(actor);
  const store = async (claim: WorkClaim | undefined): Promise<Result<Stored>> => {
    const stored = await services.webhooks.put(actor.tenantId, name, webhook, { secret, made, by }, claim);
    return ok({ created: stored === "created", secret: made });
  };
  // The secret that was made is shown to the request that made it, also when that comes again; never one that somebody has put since.
  const again = async (note: string): Promise<Result<Stored>> => {
    const [decision, digest = ""] = note.split(" ");
    const [{ secrets } = { secrets: [] }] = await services.webhooks.secretsOf(actor.tenantId, name);
    const digests = await Promise.all(secrets.map(sha256Hex));
    return ok({ created: decision === "created", secret: secrets[digests.indexOf(digest)] });
  };
  const stored = await doOnce(actor, services, store, again);
  if (!stored.ok) return stored;
  const view = await findWebhook(actor, "putWebhook", name, services);
  if (!view.ok) return view;
  const { created, secret: shown } = stored.value;
  const isMade = created && secret === undefined && shown !== undefined;
  return ok({ created, webhook: isMade ? { ...view.value, secret: shown } : view.value });
}

export function readWebhook(actor: Actor, name: string, services: Services): Promise<Result<WebhookView>> {
  return findWebhook(actor, "readWebhook", name, services);
}

export async function listWebhooks(
  actor: Actor,
  page: PageRequest,
  services: Services,
): Promise<Result<Page<WebhookView>>> {
  const allowed = authorize(actor, "listWebhooks");
  if (!allowed.ok) return allowed;
  return readPage(
    page,
    (after = "", limit) => services.webhooks.list(actor.tenantId, after, limit),
    ({ name }) => name,
  );
}

/** Deletes a subscription with what is known of its deliveries; nothing more is sent. */
export async function deleteWebhook(actor: Actor, name: string, services: Services): Promise<Result<void>> {
  const allowed = authorize(actor, "deleteWebhook");
  if (!allowed.ok) return allowed;
  const done = { by: recordOf(actor), at: services.now() };
  const remove = async (claim: WorkClaim | undefined): Promise<Result<void>> =>
    (await services.webhooks.remove(actor.tenantId, name, done, claim)) ? ok(undefined) : noWebhook;
  return doOnce(actor, services, remove, async () => ok(undefined));
}

/** How acts on a subscription begin. */
export async function findWebhook(
  actor: Actor,
  act: Act,
  name: string,
  services: Services,
): Promise<Result<WebhookView>> {
  const allowed = authorize(actor, act);
  if (!allowed.ok) return allowed;
  const webhook = await services.webhooks.get(actor.tenantId, name);
  return webhook === undefined ? noWebhook : ok(webhook);
}

const noWebhook = refuse("not_found", "There is no such webhook.");

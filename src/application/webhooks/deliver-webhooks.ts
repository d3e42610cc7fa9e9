/**
 * Sends what subscriptions want to hear of a session or run: the events of its log, in order, from where the subscription was read to.
 * Sessions don't wait for one another, nor one receiver for another. That something is owed stands with the stream (`due_at`) from the
 * write that makes it true to the one that settles it: jobs of the queue only make it quick, and the schedule finds what is due without them.
 */

import {
  type EventOwner,
  type LaterJob,
  type WebhookJob,
  wants,
  webhookBody,
  webhookWaits,
} from "../../catalogues/webhooks.js";
import { afterTry } from "../../conversation/delivery.js";
import type { EventSource } from "../../gateways/root-gateway.js";
import { newId } from "../../platform/ids.js";
import type { PendingDelivery, StreamOf } from "../../stores/webhook-deliveries.js";
import type { StoredWebhook } from "../../stores/webhook-store.js";
import { act } from "../act.js";
import type { Services } from "../services.js";
import { ownerOf, sourceOf } from "./event-owner.js";
import { sendWebhook } from "./send-webhook.js";

/** How long one job works on a stream, in milliseconds; then it makes room, and the queue goes on with it. */
const turnMs = 10_000;
/** How long a holder of a stream may go unnoticed that has died, in milliseconds: longer than a turn whose last receiver hangs. */
const leaseMs = 30_000;
/** A try may come so much before its time, in milliseconds: clocks differ. */
const leewayMs = 1_000;
/** Events that are read at once. */
const pageSize = 50;

/** Returns what is to be done later. @throws when the database can't be reached: the queue sends the job again */
export const deliverWebhooks = act("deliverWebhooks", {
  role: "system",
  run: async (_actor, job: WebhookJob, services): Promise<readonly LaterJob[]> => {
    const { tenantId, rootId } = job;
    const webhooks = await services.webhooks.active(tenantId, job.name);
    const [webhook] = webhooks;
    if (webhook === undefined) {
      if (job.name !== undefined) await services.webhookDeliveries.rest({ tenantId, rootId, name: job.name });
      return [];
    }
    // Each receiver has a job of its own: a Worker waits for a few answers at once, and who never answers takes no other's place.
    if (webhooks.length > 1) return webhooks.map(({ name }) => ({ tenantId, rootId, name, inMs: 0 }));
    const owner = await ownerOf(tenantId, rootId, services);
    if (owner === undefined) {
      // It was deleted, perhaps after this job was sent: nothing may be left behind.
      await services.webhookDeliveries.forget(tenantId, rootId);
      return [];
    }
    const of = { tenantId, rootId, name: webhook.name };
    const later = await new Stream(of, webhook, owner, sourceOf(rootId, services), services).run();
    return later === undefined ? [] : [later];
  },
});

/** `settled`: delivered, or there is nothing to deliver. `gone`: the receiver wants no more, ever. */
type Tried = "settled" | "failed" | "gone";

class Stream {
  constructor(
    private readonly of: StreamOf,
    private readonly webhook: StoredWebhook,
    private readonly owner: EventOwner,
    private readonly source: Pick<EventSource, "events">,
    private readonly services: Services,
  ) {}

  /** Returns when to go on. What came up while the stream was held is looked at before it is let go, however it ends. */
  async run(): Promise<LaterJob | undefined> {
    const { webhookDeliveries: deliveries, now } = this.services;
    const until = now() + turnMs;
    const lease = await deliveries.claim(this.of, leaseMs);
    if (lease === undefined) return undefined;
    let { cursor } = lease;
    let last: Tried | undefined;
    for (;;) {
      const head = last === "gone" ? undefined : await deliveries.head(this.of);
      if (head === undefined) {
        const read = last === "gone" ? undefined : await this.read(cursor);
        if (read !== undefined) cursor = read;
        else if (await deliveries.release(this.of, lease)) return undefined;
        continue;
      }
      const isOver = now() >= until;
      if (head.nextAt > now() + leewayMs || isOver) {
        if (!(await deliveries.release(this.of, lease, head.nextAt))) continue;
        // Who comes before the time has come leaves it to the job of who has tried: each would only have another one follow.
        return last === "failed" || isOver ? { ...this.of, inMs: Math.max(0, head.nextAt - now()) } : undefined;
      }
      last = await this.deliver(head);
    }
  }

  /** Notes the events behind a place that the subscription wants; returns the new place, or nothing when there was no event. */
  private async read(cursor: number | undefined): Promise<number | undefined> {
    const { tenantId, rootId } = this.of;
    const { events, createdAt } = this.webhook;
    const from = cursor === undefined ? { since: createdAt } : { after: cursor };
    const seen = await this.source.events(tenantId, rootId, { ...from, limit: pageSize });
    const last = seen.at(-1);
    if (last === undefined) return undefined;
    const wanted = wants(this.webhook, this.owner) ? seen.filter(({ type }) => events.includes(type)) : [];
    await this.services.webhookDeliveries.note(
      this.of,
      wanted.map(({ seq, type }) => ({ deliveryId: newId("whd"), seq, type })),
      last.seq,
    );
    return last.seq;
  }

  private async deliver(head: PendingDelivery): Promise<Tried> {
    const { webhookDeliveries: deliveries } = this.services;
    const { tenantId, rootId } = this.of;
    const [event] = await this.source.events(tenantId, rootId, { after: head.seq - 1, limit: 1 });
    const attempts = head.attempts + 1;
    if (event?.seq !== head.seq) {
      await deliveries.settle(
        this.of,
        { ...head, attempts },
        { status: "parked", failure: "what it is about was deleted" },
      );
      return "settled";
    }
    const content = webhookBody(event, this.owner, this.webhook.includeTexts);
    const sent = await sendWebhook(this.webhook, { id: head.deliveryId, content }, this.services);
    if (sent.kind === "refused") {
      await deliveries.disable(this.of, head, sent.failure);
      return "gone";
    }
    // By its id the receiver knows what it has.
    const next = afterTry(sent, attempts, { waits: webhookWaits, knowsRepeats: true });
    await deliveries.settle(this.of, { ...head, attempts }, next);
    return next.status === "delivered" ? "settled" : "failed";
  }
}

/** Messages on their way to a platform, one after another: again where that may help, parked where it doesn't. */
import type { ChannelPlatform } from "../../src/application/channels/channel-platform.js";
import type { SendOutcome } from "../../src/channels/adapter.js";
import type { Kit } from "../kit/kit.js";
import { retryDelayMs } from "../kit/outbox.js";
import type { ConversationStore, PostRow } from "./store.js";

/** With waits that double from one second on: for a bit over an hour. */
const maxAttempts = 12;
/** The most that a platform may have us wait before the next try, in milliseconds. */
const mostWaitMs = 86_400_000;

export interface PostingPorts {
  readonly store: ConversationStore;
  readonly kit: Kit;
  readonly platform: ChannelPlatform;
}

export class Posting {
  constructor(private readonly ports: PostingPorts) {}

  async send(row: PostRow): Promise<void> {
    const outcome = await this.attempt(row);
    this.ports.kit.write(() => this.settle(row, outcome));
  }

  private async attempt({ post, target, editsKey, deliveryId }: PostRow): Promise<SendOutcome> {
    const { store, platform } = this.ports;
    const { tenantId, channelId } = store.state();
    const open = await platform.services.channels.byId(tenantId, channelId);
    if (open === undefined) return { kind: "refused", detail: "the channel was deleted" };
    const edits = editsKey === undefined ? undefined : store.postOf(editsKey)?.messageId;
    const channel = await platform.channelOf(open);
    return channel.send({ post, target, edits, key: deliveryId }, platform.call);
  }

  private settle(row: PostRow, outcome: SendOutcome): void {
    const { store, platform } = this.ports;
    const { deliveryId, editsKey, post, attempts } = row;
    const now = platform.now();
    switch (outcome.kind) {
      case "sent": {
        // What took the place of a message is known by that message's id.
        const messageId = outcome.messageId ?? (editsKey === undefined ? undefined : store.postOf(editsKey)?.messageId);
        store.delivered(deliveryId, messageId);
        if (row.reported) this.report(row, "delivered", undefined);
        return;
      }
      case "later":
      case "refused": {
        // That an answer is on its way isn't worth waiting for.
        if (post.kind === "working") store.dropPending(row.key);
        else if (outcome.kind === "refused" && editsKey !== undefined) store.withoutEdit(deliveryId);
        else {
          const isParked = outcome.kind === "refused" || attempts + 1 >= maxAttempts;
          const askedMs = outcome.kind === "later" ? (outcome.afterMs ?? retryDelayMs(attempts + 1)) : 0;
          const waitMs = Math.min(askedMs, mostWaitMs);
          store.failed(deliveryId, isParked ? "parked" : "pending", now + waitMs);
          this.report(row, isParked ? "parked" : "pending", outcome.detail);
        }
      }
    }
  }

  private report(
    { deliveryId, attempts, createdAt }: PostRow,
    status: "pending" | "delivered" | "parked",
    failure: string | undefined,
  ): void {
    const { store, kit, platform } = this.ports;
    const { channelId, conversation } = store.state();
    kit.log(status === "delivered" ? "info" : "warn", `channel.${status}`, { attempts: attempts + 1, error: failure });
    kit.outbox.put("channel_delivery", deliveryId, {
      ...{ channelId, conversation, deliveryId, status, attempts: attempts + 1, createdAt, at: platform.now() },
      ...(failure === undefined ? {} : { failure: failure.slice(0, 500) }),
    });
    kit.deliverSoon();
  }
}

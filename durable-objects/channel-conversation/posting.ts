/** Messages on their way to a platform, one after another: again where that may help, parked where it doesn't. */
import type { ChannelPlatform } from "../../src/application/channels/channel-platform.js";
import type { PlatformCall, SendOutcome } from "../../src/channels/adapter.js";
import { defined } from "../../src/conversation/defined.js";
import {
  type AfterTry,
  afterTry,
  type DeliveryOutcome,
  doublingWaits,
  type RetryRules,
} from "../../src/conversation/delivery.js";
import type { Kit } from "../kit/kit.js";
import type { ConversationStore, PostRow } from "./store.js";

/** For a bit over an hour. */
const waits = doublingWaits(1_000, 3_600_000, 12);
/** How long after a message the sign that somebody types is kept up, in milliseconds: whoever hangs types no longer. */
const longestTypingMs = 300_000;

export interface PostingPorts {
  readonly store: ConversationStore;
  readonly kit: Kit;
  readonly platform: ChannelPlatform;
}

/** How a try ended, and whether the platform would know another one. */
interface Attempt extends Pick<RetryRules, "knowsRepeats"> {
  /** Where it is a sign that lapses. */
  readonly lapsesMs?: number | undefined;
  readonly outcome: SendOutcome | DeliveryOutcome;
}

export class Posting {
  constructor(private readonly ports: PostingPorts) {}

  async send(row: PostRow): Promise<void> {
    const attempt = await this.attempt(row);
    this.ports.kit.write(() => this.settle(row, attempt));
  }

  /**
   * Sends it, unless a try of before was never heard of (its instance died, or the platform's answer was lost) and the platform wouldn't
   * know it again: chats were shown one reply ten times.
   */
  private async attempt({ post, target, editsKey, deliveryId, triedAt }: PostRow): Promise<Attempt> {
    const { store, platform } = this.ports;
    const { tenantId, channelId } = store.state();
    const open = await platform.services.channels.byId(tenantId, channelId);
    if (open === undefined)
      return { outcome: { kind: "refused", failure: "the channel was deleted" }, knowsRepeats: false };
    const edits = editsKey === undefined ? undefined : store.postOf(editsKey)?.messageId;
    const channel = await platform.channelOf(open);
    const lapsesMs = post.kind === "working" ? channel.typingLapsesMs : undefined;
    const isSameAgain = edits !== undefined || lapsesMs !== undefined;
    const repeatableMs = isSameAgain ? Number.POSITIVE_INFINITY : post.kind === "notice" ? 0 : channel.repeatableMs;
    const began = triedAt ?? platform.now();
    const knowsRepeats = () => platform.now() - began < repeatableMs;
    if (triedAt !== undefined && !knowsRepeats()) {
      return { outcome: { kind: "uncertain", failure: "it was sent, and no answer was heard" }, knowsRepeats: false };
    }
    if (repeatableMs < Number.POSITIVE_INFINITY) store.tries(deliveryId, began);
    let isLost = false;
    const call: PlatformCall = async (request) => {
      const answer = await platform.call(request);
      isLost ||= answer.isLost;
      return answer;
    };
    const sent = await channel.send({ post, target, edits, key: deliveryId }, call);
    const outcome = sent.kind === "failed" && isLost ? { kind: "uncertain" as const, failure: sent.failure } : sent;
    return { outcome, knowsRepeats: knowsRepeats(), lapsesMs };
  }

  private settle(row: PostRow, { outcome, knowsRepeats, lapsesMs }: Attempt): void {
    const { store, platform } = this.ports;
    const again = lapsesMs === undefined ? undefined : platform.now() + lapsesMs;
    const { deliveryId, editsKey, post } = row;
    const next = afterTry(outcome, row.attempts + 1, { waits, knowsRepeats });
    if (next.status === "delivered" && again !== undefined && again < row.createdAt + longestTypingMs) {
      store.showsAgain(deliveryId, again);
    } else if (next.status === "delivered") {
      const sentId = outcome.kind === "delivered" && "messageId" in outcome ? outcome.messageId : undefined;
      // What took the place of a message is known by that message's id.
      store.delivered(deliveryId, sentId ?? (editsKey === undefined ? undefined : store.postOf(editsKey)?.messageId));
      if (row.reported) this.report(row, next);
    }
    // That an answer is on its way isn't worth waiting for.
    else if (post.kind === "working") {
      const wanted = outcome.kind === "failed" && next.status === "pending" ? outcome.afterMs : undefined;
      if (wanted === undefined) store.dropPending(row.key);
      // What follows has to wait as long as the platform wants, all the same.
      else store.dropUntil(row.key, platform.now() + wanted);
    } else if (outcome.kind === "refused" && editsKey !== undefined) store.withoutEdit(deliveryId);
    else {
      const dueAt = platform.now() + (next.status === "pending" ? next.waitMs : 0);
      store.failed(deliveryId, next.status, dueAt, outcome.kind === "uncertain");
      this.report(row, next);
    }
  }

  private report({ deliveryId, attempts, createdAt }: PostRow, after: AfterTry): void {
    const { store, kit, platform } = this.ports;
    const { channelId, conversation } = store.state();
    const { status } = after;
    const failure = after.status === "delivered" ? undefined : after.failure;
    kit.log(status === "delivered" ? "info" : "warn", `channel.${status}`, { attempts: attempts + 1, error: failure });
    kit.outbox.put("channel_delivery", deliveryId, {
      channelId,
      conversation,
      deliveryId,
      status,
      attempts: attempts + 1,
      createdAt,
      at: platform.now(),
      ...defined({ failure: failure?.slice(0, 500) }),
    });
    kit.deliverSoon();
  }
}

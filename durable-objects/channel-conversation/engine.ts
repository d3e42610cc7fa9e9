/** A conversation in a chat at work: signals are dealt with in order, then what is to be posted goes out in order. */
import type { ChannelPlatform } from "../../src/application/channels/channel-platform.js";
import { isEditButton, proposedText, readButton } from "../../src/channels/questions.js";
import type { CommandKey } from "../../src/conversation/command-key.js";
import { doublingWaits } from "../../src/conversation/delivery.js";
import type { ConversationIdentity, ConversationSignal, FormText } from "../../src/gateways/channel-gateway.js";
import { describeError } from "../../src/platform/logging.js";
import { Kit } from "../kit/kit.js";
import type { WorkItem } from "../kit/work-loop.js";
import { deliverFromConversation } from "./deliveries.js";
import { Dialogue, LaterError } from "./dialogue.js";
import { Posting } from "./posting.js";
import { ConversationStore, type SignalRow } from "./store.js";

/** Of what fails for a reason that nobody foresaw. The last is a bit over a minute. */
const waits = doublingWaits(1_000, 3_600_000, 8);
const nextDeadline = "next";

export class ConversationEngine {
  readonly store: ConversationStore;
  readonly kit: Kit;
  private readonly posting: Posting;
  private readonly dialogue: Dialogue;

  constructor(
    ctx: DurableObjectState,
    private readonly platform: ChannelPlatform,
  ) {
    this.store = new ConversationStore(ctx.storage.sql);
    this.kit = new Kit(ctx, {
      now: platform.now,
      owner: () => {
        const { tenantId, channelId, conversation } = this.store.state();
        return { tenantId, id: `${channelId}/${conversation}` };
      },
      deliver: (messages) => deliverFromConversation(messages, this.store.state(), platform),
      next: () => this.next(),
      present: (_type, data) => data,
      askClosed: () => {},
      deadlinePassed: () => this.kit.loop.kick(),
    });
    this.posting = new Posting({ store: this.store, kit: this.kit, platform });
    this.dialogue = new Dialogue({ storage: ctx.storage, store: this.store, platform });
  }

  create(identity: ConversationIdentity): void {
    this.store.create(identity, this.platform.now());
    this.renewCopy();
    this.kit.deliverSoon();
  }

  renewCopy(): void {
    const { channelId, conversation } = this.store.state();
    this.kit.outbox.put("channel_conversation", "conversation", { channelId, conversation });
  }

  /** In one write: what is new is going to be dealt with, whatever dies. */
  accept(signals: readonly ConversationSignal[]): void {
    const now = this.platform.now();
    const added = signals.map((signal) => this.store.addSignal(signal, now));
    if (added.includes(true)) this.kit.loop.kick();
  }

  /** The text that a reviewer edits; nothing where that isn't asked here (any more). */
  async formText(value: string): Promise<FormText> {
    const button = readButton(value);
    if (button === undefined || !isEditButton(value)) return null;
    const ask = await this.dialogue.openAsk(button.token);
    return ask === undefined ? null : { title: "Edit the text", text: proposedText(ask) };
  }

  retry(deliveryId: string, command?: CommandKey): boolean {
    if (this.kit.commands.find(command)?.kind === "done") return true;
    return this.kit.write(() => {
      const isParked = this.store.unpark(deliveryId, this.platform.now());
      if (isParked) {
        this.kit.commands.claim(command);
        this.kit.loop.kick();
      }
      return isParked;
    });
  }

  private next(): WorkItem | undefined {
    const now = this.platform.now();
    const signal = this.store.heads().find(({ dueAt }) => dueAt <= now);
    if (signal !== undefined) return once(() => this.deal(signal));
    const post = this.store.nextPost();
    if (post !== undefined && post.dueAt <= now) return once(() => this.posting.send(post));
    const sign = this.store.shownSign();
    if (sign !== undefined && sign.dueAt <= now) return once(() => this.posting.send(sign));
    const due = [...this.store.heads(), post, sign].flatMap((one) => one?.dueAt ?? []);
    this.kit.deadlines.move(nextDeadline, due.length === 0 ? undefined : Math.min(...due));
    if (due.length === 0) this.store.forgetOld(now);
    return undefined;
  }

  /** Done, postponed, or given up with a word to the person who waits. */
  private async deal({ seq, signal, attempts }: SignalRow): Promise<void> {
    try {
      const finish = await this.dialogue.deal(signal);
      this.kit.write(() => {
        finish();
        this.store.finish(seq);
      });
    } catch (error) {
      const now = this.platform.now();
      if (error instanceof LaterError) {
        this.store.postpone(seq, now + error.afterMs);
        return;
      }
      this.kit.log("error", "channel.signal_failed", { subject: signal.kind, attempts, ...describeError(error) });
      const waitMs = waits[attempts];
      if (waitMs !== undefined) this.store.postpone(seq, now + waitMs);
      else {
        this.kit.write(() => {
          this.dialogue.giveUp(signal);
          this.store.finish(seq);
        });
      }
    }
  }
}

function once(work: () => Promise<void>): WorkItem {
  return { slice: () => work().then(() => "again") };
}

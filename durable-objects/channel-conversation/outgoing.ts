/** What is to be posted, put in line in the write that it comes from: replies, questions and their outcome, and short words of our own. */
import type { ChannelPlatform } from "../../src/application/channels/channel-platform.js";
import type { Ask } from "../../src/asks/ask.js";
import type { BoundChannel, Post } from "../../src/channels/adapter.js";
import type { InboundEvent, Target } from "../../src/channels/inbound.js";
import { buttonValue, closedPost, questionPost } from "../../src/channels/questions.js";
import { splitText } from "../../src/channels/split.js";
import { newShortToken } from "../../src/platform/ids.js";
import type { ConversationStore } from "./store.js";
import { texts } from "./texts.js";

export interface OutgoingPorts {
  readonly storage: DurableObjectStorage;
  readonly store: ConversationStore;
  readonly platform: ChannelPlatform;
}

interface Closing {
  readonly isStaff: boolean;
  /** What the person is called who closed it. */
  readonly closer?: string | undefined;
}

export class Outgoing {
  constructor(private readonly ports: OutgoingPorts) {}

  /** A word of our own, where the last message came from if nothing else is said. */
  say(key: string, text: string, target?: Target): void {
    this.add(key, { kind: target === undefined ? "reply" : "word", text }, target);
  }

  /** That a message was taken and has no answer of its own. */
  noted({ eventId, target }: InboundEvent): void {
    this.add(`noted:${eventId}`, { kind: "noted", text: texts.noted }, target);
  }

  /** To the one who pressed something. */
  notice({ eventId, target, user }: InboundEvent, text: string): void {
    this.add(`notice:${eventId}`, { kind: "notice", text }, { ...target, user: user.id });
  }

  /** That an answer is on its way. */
  working(turnId: string, target: Target): void {
    this.add(workingKey(turnId), { kind: "working", text: texts.working }, target);
  }

  /** Why its answer takes longer: in the place of what is there, and where nothing can be changed as a message of its own. */
  delayed(key: string, turnId: string, text: string): void {
    const { store } = this.ports;
    this.ended(turnId);
    const isShown = store.postOf(workingKey(turnId))?.messageId !== undefined;
    const kind = isShown ? "working" : "word";
    this.add(`waiting:${key}`, { kind, text }, store.turn(turnId)?.target, isShown ? workingKey(turnId) : undefined);
  }

  /** Nobody works on it at present: a person is waited for, or nothing comes of it any more. */
  ended(turnId: string): void {
    this.ports.store.dropPending(workingKey(turnId));
  }

  /** What a turn waited for is there: somebody types again, where that was over. */
  resumed({ from: { turnId } }: Ask, { typingLapsesMs }: BoundChannel): void {
    const { store } = this.ports;
    const isOpen = turnId !== undefined && store.openTurns().some((turn) => turn.turnId === turnId);
    const target = isOpen ? store.turn(turnId)?.target : undefined;
    if (isOpen && target !== undefined && typingLapsesMs !== undefined) this.working(turnId, target);
  }

  /** The end of a turn takes the place of what stood there meanwhile. @param text none of a turn that was cancelled */
  reply(turnId: string, text: string | undefined, target: Target, { edits, maxCharacters }: BoundChannel): void {
    const { store } = this.ports;
    const working = workingKey(turnId);
    store.dropPending(working);
    const editsKey = edits && store.postOf(working)?.messageId !== undefined ? working : undefined;
    if (text === undefined) {
      if (editsKey !== undefined)
        this.add(`turn:${turnId}:0`, { kind: "reply", text: texts.cancelled }, target, editsKey);
      return;
    }
    for (const [at, part] of splitText(text, maxCharacters).entries()) {
      this.add(`turn:${turnId}:${at}`, { kind: "reply", text: part }, target, at === 0 ? editsKey : undefined);
    }
  }

  /** A message that is answered with another: nothing is left of the sign that it was worked on. */
  answeredElsewhere(turnId: string, target: Target): void {
    const { store } = this.ports;
    const working = workingKey(turnId);
    store.dropPending(working);
    if (store.postOf(working)?.messageId !== undefined)
      this.add(`turn:${turnId}:0`, { kind: "reply", text: texts.answeredElsewhere }, target, working);
  }

  /** A question, as long as it is open; then what became of it. */
  question(ask: Ask, target: Target, channel: BoundChannel, closing: Closing): void {
    if (ask.status === "open") this.openQuestion(ask, target, channel);
    else this.closeQuestion(ask, target, channel, closing);
  }

  /** Somebody wants a person. @param at tells apart those of one conversation */
  handover(conversation: string, text: string, at: number): void {
    const { store } = this.ports;
    const subject = `conversation:${conversation}@${at}`;
    const token = store.nameQuestion(subject, newShortToken());
    const buttons = [{ value: buttonValue(token, "resume"), label: texts.giveBack }];
    this.add(`handover:${subject}`, { kind: "question", text, buttons }, undefined);
  }

  handedBack(subject: string, userId: string): void {
    this.add(`back:${subject}`, { kind: "question", text: texts.handedBack(userId) }, undefined, `handover:${subject}`);
  }

  private openQuestion(ask: Ask, target: Target, { maxCharacters, origin }: BoundChannel): void {
    const token = this.ports.store.nameQuestion(ask.askId, newShortToken());
    if (ask.from.turnId !== undefined) this.ended(ask.from.turnId);
    const post = questionPost(ask, token, origin);
    const parts = splitText(post.text, maxCharacters);
    const last = parts.pop() ?? "";
    for (const [at, text] of parts.entries()) this.add(`askpart:${ask.askId}:${at}`, { kind: "reply", text }, target);
    this.add(askKey(ask), { ...post, text: last }, target);
  }

  private closeQuestion(ask: Ask, target: Target, channel: BoundChannel, { isStaff, closer }: Closing): void {
    const { edits, maxCharacters } = channel;
    const { store } = this.ports;
    this.resumed(ask, channel);
    // Nobody has seen it.
    if (store.dropPending(askKey(ask)) || store.postOf(askKey(ask)) === undefined) return;
    // Where nothing can be changed, an end user who has answered needs no second message about it.
    if (!edits && !isStaff && ask.closedBy?.kind === "channel") return;
    const post = closedPost(ask, closer);
    const text = splitText(post.text, maxCharacters)[0] ?? "";
    this.add(`closed:${ask.askId}`, { ...post, text }, target, edits ? askKey(ask) : undefined);
  }

  private add(key: string, post: Post, target: Target | undefined, editsKey?: string): void {
    const { store, platform } = this.ports;
    const { conversation, target: last } = store.state();
    store.addPost({ key, post, target: target ?? last ?? { chat: conversation }, editsKey }, platform.now());
  }
}

function workingKey(turnId: string): string {
  return `working:${turnId}`;
}

function askKey({ askId }: Ask): string {
  return `ask:${askId}`;
}

/** Answers to questions of a conversation in a chat: by a button, a form, a reply, or the next message. */
import { answerAsk } from "../../src/application/asks/answer-ask.js";
import { readAsk } from "../../src/application/asks/read-ask.js";
import { connectionActor, personActor } from "../../src/application/channels/channel-session.js";
import type { Ask } from "../../src/asks/ask.js";
import type { OpenConnection } from "../../src/channels/connection.js";
import type { InboundEvent } from "../../src/channels/inbound.js";
import { answerOfButton, readButton } from "../../src/channels/questions.js";
import { attempt } from "../../src/conversation/problem.js";
import type { Outgoing, OutgoingPorts } from "./outgoing.js";
import { texts } from "./texts.js";

/** What is to be written, together with that the signal was dealt with. */
export type Finish = () => void;
export const nothing: Finish = () => {};

export type EventOf<Kind extends InboundEvent["action"]["kind"]> = InboundEvent & {
  readonly action: Extract<InboundEvent["action"], { readonly kind: Kind }>;
};

export class Answers {
  constructor(
    private readonly ports: OutgoingPorts,
    private readonly out: Outgoing,
  ) {}

  /** The ask of a question that was posted here, while it is open. */
  async openAsk(token: string): Promise<Ask | undefined> {
    const ask = await this.askOf(token);
    return ask?.status === "open" ? ask : undefined;
  }

  private async askOf(token: string): Promise<Ask | undefined> {
    const { store, platform } = this.ports;
    const askId = store.question(token);
    if (askId === undefined || !askId.startsWith("ask_")) return undefined;
    const ask = await attempt(() => readAsk(connectionActor(store.state()), { askId }, platform.services));
    return ask.ok ? ask.value : undefined;
  }

  /** The question that a message is the answer to, if it says so: as a reply to it, by its id, or as the text that was to be edited. */
  async askAnsweredBy({ action, user }: EventOf<"message">): Promise<Ask | undefined> {
    const { store, platform } = this.ports;
    const token = store.edit(user.id);
    if (token !== undefined) {
      const edited = await this.openAsk(token);
      if (edited !== undefined) return edited;
      store.endEdit(user.id);
    }
    const key = action.repliesTo === undefined ? undefined : store.postByMessage(action.repliesTo);
    const askId = action.askId ?? (key?.startsWith("ask:") ? key.slice("ask:".length) : undefined);
    if (askId === undefined || !store.hasQuestion(askId)) return undefined;
    const ask = await attempt(() => readAsk(connectionActor(store.state()), { askId }, platform.services));
    return ask.ok ? ask.value : undefined;
  }

  async dealWithPress(open: OpenConnection, event: EventOf<"press">): Promise<Finish> {
    const { store } = this.ports;
    const button = readButton(event.action.value);
    if (button === undefined) return nothing;
    if (button.choice === "resume") return this.resume(open, event, button.token);
    const ask = await this.askOf(button.token);
    if (ask === undefined) return () => this.out.notice(event, texts.notThere);
    if (button.choice === "edit" && ask.status === "open") {
      return () => {
        store.beginEdit(event.user.id, button.token);
        this.out.notice(event, texts.sendTheText);
      };
    }
    return this.answer(open, event, ask, answerOfButton(ask, button.choice) ?? { decision: button.choice });
  }

  async dealWithForm(open: OpenConnection, event: EventOf<"form">): Promise<Finish> {
    const ask = await this.askOf(readButton(event.action.value)?.token ?? "");
    if (ask === undefined) return () => this.out.notice(event, texts.notThere);
    return this.answer(open, event, ask, { decision: "edit", content: event.action.text });
  }

  /** Who may answer, and that the first answer wins, the ask itself knows: a late answerer is told. */
  async answer(open: OpenConnection, event: InboundEvent, ask: Ask, answer: unknown): Promise<Finish> {
    const { store, platform } = this.ports;
    if (answer === undefined) return () => this.out.notice(event, texts.pressAButton);
    const isStaff = open.connection.reviewers?.conversation === event.target.chat;
    const actor = await personActor(open, event, isStaff);
    const answered = await attempt(() => answerAsk(actor, { askId: ask.askId, answer }, platform.services));
    return () => {
      store.endEdit(event.user.id);
      if (!answered.ok) this.out.notice(event, texts.notTaken(answered.problem));
    };
  }

  private async resume(open: OpenConnection, event: InboundEvent, token: string): Promise<Finish> {
    const { store, platform } = this.ports;
    const { tenantId, channelId } = store.state();
    const subject = store.question(token);
    const isStaff = open.connection.reviewers?.conversation === event.target.chat;
    if (!isStaff || !subject?.startsWith("conversation:")) return nothing;
    const conversation = subject.slice("conversation:".length).replace(/@\d+$/, "");
    const at = platform.now();
    await platform.services.conversations.accept(
      { tenantId, channelId, conversation },
      [{ kind: "resume", at }],
      false,
    );
    return () => this.out.handedBack(subject, event.user.id);
  }
}

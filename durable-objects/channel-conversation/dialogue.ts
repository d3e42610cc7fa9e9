/** What a conversation in a chat does about each signal: messages become turns, ends of turns become replies, asks become questions. */
import { connectionActor, personActor, sessionOfConversation } from "../../src/application/channels/channel-session.js";
import { cancelTurn } from "../../src/application/sessions/cancel-turn.js";
import { giveFeedback } from "../../src/application/sessions/give-feedback.js";
import { readTurn } from "../../src/application/sessions/read-turn.js";
import { sendMessage } from "../../src/application/sessions/send-message.js";
import type { Ask } from "../../src/asks/ask.js";
import type { OpenConnection } from "../../src/channels/connection.js";
import { type InboundEvent, longestInbound, speakerOf } from "../../src/channels/inbound.js";
import { answerOfText } from "../../src/channels/questions.js";
import type { Turn } from "../../src/chat/session.js";
import { replyText } from "../../src/conversation/message.js";
import { attempt, type Problem } from "../../src/conversation/problem.js";
import type { ConversationSignal } from "../../src/gateways/channel-gateway.js";
import { Answers, type EventOf, type Finish, nothing } from "./answers.js";
import { AskPosts } from "./ask-posts.js";
import { Outgoing, type OutgoingPorts } from "./outgoing.js";
import { PersonRequests } from "./person-requests.js";
import { texts } from "./texts.js";

/** The signal is to be dealt with later: nothing is wrong. */
export class LaterError extends Error {
  override readonly name = "LaterError";
  constructor(readonly afterMs: number) {
    super(`try again after ${afterMs} ms`);
  }
}

export class Dialogue {
  private readonly out: Outgoing;
  private readonly answers: Answers;
  private readonly people: PersonRequests;
  private readonly asks: AskPosts;

  constructor(private readonly ports: OutgoingPorts) {
    this.out = new Outgoing(ports);
    this.answers = new Answers(ports, this.out);
    this.people = new PersonRequests(ports, this.out);
    this.asks = new AskPosts(ports, this.out);
  }

  /** @throws {LaterError} when it isn't its time yet */
  async deal(signal: ConversationSignal): Promise<Finish> {
    const { store, platform } = this.ports;
    const { tenantId, channelId } = store.state();
    const open = await platform.services.channels.byId(tenantId, channelId);
    // The channel was deleted.
    if (open === undefined) return nothing;
    switch (signal.kind) {
      case "event":
        return this.dealWithEvent(open, signal.event);
      case "turn":
        return this.dealWithTurn(open, signal.turnId);
      case "ask":
        return this.asks.deal(open, signal);
      case "handover":
        return () => this.out.handover(signal.conversation, signal.text, signal.at);
      case "resume":
        return () => {
          store.setHandedOver(false);
          this.out.say(`resume:${signal.at}`, texts.botIsBack);
        };
    }
  }

  /** After all tries: its writer hears that it came to nothing. */
  giveUp(signal: ConversationSignal): void {
    if (signal.kind === "event") this.out.say(`failed:${signal.event.eventId}`, texts.failed, signal.event.target);
  }

  /** The ask of a question that was posted here, while it is open. */
  openAsk(token: string): Promise<Ask | undefined> {
    return this.answers.openAsk(token);
  }

  private dealWithEvent(open: OpenConnection, event: InboundEvent): Promise<Finish> {
    const { action } = event;
    switch (action.kind) {
      case "message":
        return this.dealWithMessage(open, { ...event, action });
      case "press":
        return this.answers.dealWithPress(open, { ...event, action });
      case "form":
        return this.answers.dealWithForm(open, { ...event, action });
      case "reaction":
        return this.dealWithReaction(open, { ...event, action });
    }
  }

  /** Feedback on the turn whose reply it stands at; at anything else it says nothing. */
  private async dealWithReaction(open: OpenConnection, event: EventOf<"reaction">): Promise<Finish> {
    const { store, platform } = this.ports;
    const [kind, turnId = ""] = store.postByMessage(event.action.to)?.split(":") ?? [];
    // A reply that took the place of what was shown meanwhile is known by that.
    if (kind !== "turn" && kind !== "working") return nothing;
    const { sessionId } = store.turn(turnId) ?? store.state();
    if (sessionId === undefined) return nothing;
    const actor = await personActor(open, event, false);
    const feedback = { about: { turnId }, score: event.action.score };
    await attempt(() => giveFeedback(actor, { sessionId, feedback }, platform.services));
    return nothing;
  }

  private async dealWithMessage(open: OpenConnection, event: EventOf<"message">): Promise<Finish> {
    const { store } = this.ports;
    const { reviewers, commands } = open.connection;
    const isStaff = reviewers?.conversation === event.target.chat;
    const text = event.action.text.trim();
    // A picture, a voice message, or the bot's name alone.
    if (text === "") {
      return isStaff || store.state().handedOver
        ? () => this.out.noted(event)
        : () => this.out.say(`text-only:${event.eventId}`, texts.textOnly, event.target);
    }
    const asked = await this.answers.askAnsweredBy(event);
    if (asked !== undefined) return this.answers.answer(open, event, asked, answerOfText(asked, text));
    // The answer to a question of another conversation, or to none, is nobody's message.
    if (event.action.askId !== undefined) return () => this.out.notice(event, texts.notThere);
    // Staff talks among itself there.
    if (isStaff) return () => this.out.noted(event);
    switch (text.split(/\s/, 1)[0]) {
      case commands.anew:
        return this.beginAnew(open, event);
      case commands.person:
        return this.askForPerson(open, event);
      case commands.bot:
        return this.people.takeBack(open, event);
    }
    if (store.state().handedOver) return () => this.out.noted(event);
    return this.send(open, event, text);
  }

  private async send(open: OpenConnection, event: EventOf<"message">, text: string): Promise<Finish> {
    const { store, platform } = this.ports;
    const { services } = platform;
    const { generation, sessionId: known, ...identity } = store.state();
    const sessionId = known ?? (await this.begin(open, event));
    if (typeof sessionId !== "string") return this.refused(event, sessionId);
    const actor = await personActor(open, event, false);
    const message = {
      sessionId,
      content: text.slice(0, longestInbound),
      speaker: speakerOf(event.user),
      waitMs: 0,
      idempotencyKey: `${identity.conversation}#${generation} ${event.eventId}`,
    };
    const sent = await attempt(() => sendMessage(actor, message, services));
    if (sent.ok) {
      const heldAs = sent.value.waitsFor?.held === undefined ? undefined : await this.people.holdOf(open, sessionId);
      return () => this.accepted(sessionId, sent.value, event, heldAs);
    }
    if (sent.problem.code === "queue_full") throw new LaterError((sent.problem.retryAfterSeconds ?? 5) * 1_000);
    if (sent.problem.code === "not_found" && known !== undefined) {
      // The session was deleted meanwhile.
      store.setSession(undefined);
      throw new LaterError(0);
    }
    return this.refused(event, sent.problem);
  }

  private async begin(open: OpenConnection, event: InboundEvent): Promise<string | Problem> {
    const { store, platform } = this.ports;
    const { tenantId, channelId, conversation, generation } = store.state();
    const identity = { tenantId, channelId, conversation };
    const begun = await sessionOfConversation(open, { identity, generation, event }, platform.services);
    if (!begun.ok) {
      await platform.services.channels.noteFailure(channelId, begun.problem.detail);
      return begun.problem;
    }
    store.setSession(begun.value);
    return begun.value;
  }

  /** @param heldAs where a person has the conversation */
  private accepted(
    sessionId: string,
    { turnId, waitsFor: waited, userMessage }: Turn,
    event: InboundEvent,
    heldAs: string | undefined,
  ): void {
    const { store } = this.ports;
    const { target } = event;
    store.setTarget(target);
    // Otherwise it is the answer to a question of a turn that goes on.
    if (!store.addTurn(turnId, sessionId, target)) this.out.noted(event);
    else if (heldAs !== undefined && userMessage !== undefined) {
      // Once: two people talk from here on.
      this.out.say(heldAs, userMessage, target);
      this.out.noted(event);
    }
    // Behind an open question it may take long.
    else if (userMessage !== undefined && (waited?.askIds.length ?? 0) > 0)
      this.out.say(`queued:${event.eventId}`, userMessage, target);
    else this.out.working(turnId, target);
  }

  /** What an end user may be told; a question says itself what it takes. */
  private refused({ eventId, target }: InboundEvent, { code, errors, userMessage }: Problem): Finish {
    const why = code === "invalid" ? errors?.find(({ path }) => path === "content")?.message : undefined;
    return () =>
      this.out.say(`refused:${eventId}`, userMessage ?? (why === undefined ? texts.failed : `Please ${why}.`), target);
  }

  private async beginAnew(open: OpenConnection, event: InboundEvent): Promise<Finish> {
    const { store, platform } = this.ports;
    const actor = await personActor(open, event, false);
    for (const turn of store.openTurns()) await attempt(() => cancelTurn(actor, turn, platform.services));
    return () => {
      store.beginAnew();
      this.out.say(`anew:${event.eventId}`, texts.begunAnew, event.target);
    };
  }

  private async askForPerson(open: OpenConnection, event: EventOf<"message">): Promise<Finish> {
    const sessionId = this.ports.store.state().sessionId ?? (await this.begin(open, event));
    if (typeof sessionId !== "string") return this.refused(event, sessionId);
    const asked = await this.people.ask(open, event, sessionId);
    return typeof asked === "function" ? asked : this.refused(event, asked);
  }

  private async dealWithTurn(open: OpenConnection, turnId: string): Promise<Finish> {
    const { store, platform } = this.ports;
    const known = store.turn(turnId);
    // Not from here; or its message is on its way still.
    if (known === undefined) {
      if (store.heads().some(({ signal }) => signal.kind === "event")) throw new LaterError(1_000);
      return this.dealWithStaffs(open, turnId);
    }
    const query = { sessionId: known.sessionId, turnId, waitMs: 0 };
    const turn = await attempt(() => readTurn(connectionActor(open), query, platform.services));
    if (!turn.ok) {
      return () => {
        store.endTurn(turnId);
        this.out.ended(turnId);
      };
    }
    const channel = await platform.channelOf(open);
    if (turn.value.answeredIn !== undefined) {
      return () => {
        store.endTurn(turnId);
        this.out.answeredElsewhere(turnId, known.target);
      };
    }
    return () => {
      store.endTurn(turnId);
      this.out.reply(turnId, answerText(turn.value), known.target, channel);
    };
  }

  /** What staff wrote reaches the chat, whoever's message it answers. */
  private async dealWithStaffs(open: OpenConnection, turnId: string): Promise<Finish> {
    const { store, platform } = this.ports;
    const { sessionId, target, conversation } = store.state();
    if (sessionId === undefined) return nothing;
    const turn = await attempt(() =>
      readTurn(connectionActor(open), { sessionId, turnId, waitMs: 0 }, platform.services),
    );
    if (!turn.ok || turn.value.reply?.author === undefined || turn.value.answeredIn !== undefined) return nothing;
    const channel = await platform.channelOf(open);
    const text = answerText(turn.value);
    return () => this.out.reply(turnId, text, target ?? { chat: conversation }, channel);
  }
}

/** What is posted of a turn: its effective reply, or what a client is told in its place. Nothing of one that was cancelled. */
function answerText({ status, reply, error }: Turn): string | undefined {
  if (status === "cancelled") return undefined;
  if (error !== undefined) return error.content;
  const text = reply === undefined ? "" : replyText(reply.modelReply);
  return text.trim() === "" ? texts.nothingToSay : text;
}

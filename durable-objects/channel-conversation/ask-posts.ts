/** What a conversation in a chat does about its asks. */
import { readAsk } from "../../src/application/asks/read-ask.js";
import { connectionActor } from "../../src/application/channels/channel-session.js";
import { decisionOf } from "../../src/asks/answer.js";
import type { Ask } from "../../src/asks/ask.js";
import type { OpenConnection } from "../../src/channels/connection.js";
import type { Target } from "../../src/channels/inbound.js";
import { waitingText, waitsFor } from "../../src/chat/waits-for.js";
import { attempt } from "../../src/conversation/problem.js";
import type { ConversationSignal } from "../../src/gateways/channel-gateway.js";
import { type Finish, nothing } from "./answers.js";
import type { Outgoing, OutgoingPorts } from "./outgoing.js";
import { texts } from "./texts.js";

/** Asks of a conversation's sessions, as its chat shows them: here, in the staff's chat, or as a word that somebody is at work. */
export class AskPosts {
  constructor(
    private readonly ports: OutgoingPorts,
    private readonly out: Outgoing,
  ) {}

  /** Its own question, staff's, or what became of either. */
  async deal(open: OpenConnection, signal: Extract<ConversationSignal, { readonly kind: "ask" }>): Promise<Finish> {
    const { platform, store } = this.ports;
    const { tenantId, channelId, conversation } = store.state();
    const { askId } = signal;
    const read = await attempt(() => readAsk(connectionActor(open), { askId }, platform.services));
    if (!read.ok) return nothing;
    const ask = read.value;
    const { reviewers } = open.connection;
    const channel = await platform.channelOf(open);
    const isHere = signal.relayed || ask.audience === "user" || reviewers?.conversation === conversation;
    if (isHere) {
      const target = this.targetOf(ask, signal.relayed);
      const closing = { isStaff: signal.relayed, closer: await this.closerOf(ask) };
      return () => this.out.question(ask, target, channel, closing);
    }
    if (reviewers !== undefined) {
      const relayed = { kind: "ask", askId: signal.askId, status: signal.status, relayed: true } as const;
      await platform.services.conversations.accept(
        { tenantId, channelId, conversation: reviewers.conversation },
        [relayed],
        true,
      );
    }
    const handedTo = ask.kind === "handover" ? decisionOf(ask)?.decision : undefined;
    if (handedTo !== undefined)
      return () => this.out.say(`handover:${ask.askId}`, handedTo === "take" ? texts.personCame : texts.botIsBack);
    const { turnId } = ask.from;
    if (turnId === undefined) return nothing;
    if (ask.status !== "open") return () => this.out.resumed(ask, channel);
    return () => this.out.delayed(ask.askId, turnId, waitingText(waitsFor([ask])));
  }

  /** A person by their name, for staff; end users needn't know who it was. */
  private async closerOf({ closedBy, audience }: Ask): Promise<string | undefined> {
    if (closedBy?.kind !== "person") return undefined;
    if (audience === "user") return "our staff";
    const { platform, store } = this.ports;
    const people = await platform.services.people();
    return (await people.find(store.state().tenantId, closedBy.id))?.name;
  }

  private targetOf({ from }: Ask, isRelayed: boolean): Target {
    const { store } = this.ports;
    const { conversation, target } = store.state();
    const ofTurn = from.turnId === undefined || isRelayed ? undefined : store.turn(from.turnId)?.target;
    return ofTurn ?? target ?? { chat: conversation };
  }
}

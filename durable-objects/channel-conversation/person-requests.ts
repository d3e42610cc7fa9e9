/** People whom a chat's user asks for: the request, taking it back, and by which name a conversation knows that a person has it. */
import { connectionActor, personActor } from "../../src/application/channels/channel-session.js";
import { readSession } from "../../src/application/sessions/read-session.js";
import { requestPerson, withdrawPersonRequest } from "../../src/application/sessions/request-person.js";
import type { OpenConnection } from "../../src/channels/connection.js";
import { speakerOf } from "../../src/channels/inbound.js";
import type { Session } from "../../src/chat/session.js";
import { attempt, type Problem } from "../../src/conversation/problem.js";
import type { EventOf, Finish } from "./answers.js";
import type { Outgoing, OutgoingPorts } from "./outgoing.js";
import { texts } from "./texts.js";

export class PersonRequests {
  constructor(
    private readonly ports: OutgoingPorts,
    private readonly out: Outgoing,
  ) {}

  /** A name of the hold that a session is under, so that each is told of once. */
  async holdOf(open: OpenConnection, sessionId: string): Promise<string | undefined> {
    const session = await attempt(() =>
      readSession(connectionActor(open), { sessionId }, this.ports.platform.services),
    );
    const hold = session.ok ? session.value.hold : undefined;
    return hold && holdKey(sessionId, hold);
  }

  /** Asks for a person: no agent answers in the session from then on, and staff has an ask, in its inbox and where reviewers are. */
  async ask(open: OpenConnection, event: EventOf<"message">, sessionId: string): Promise<Finish | Problem> {
    const { store, platform } = this.ports;
    const actor = await personActor(open, event, false);
    const request = { speaker: speakerOf(event.user) };
    const asked = await attempt(() => requestPerson(actor, { sessionId, request }, platform.services));
    if (!asked.ok) return asked.problem;
    const { hold } = asked.value;
    return () => {
      store.setTarget(event.target);
      this.out.say(
        hold === undefined ? `person:${event.eventId}` : holdKey(sessionId, hold),
        texts.personIsAsked,
        event.target,
      );
      this.out.noted(event);
    };
  }

  /** The agent answers again, unless a person has come. */
  async takeBack(open: OpenConnection, event: EventOf<"message">): Promise<Finish> {
    const { store, platform } = this.ports;
    const { sessionId } = store.state();
    const actor = await personActor(open, event, false);
    const back =
      sessionId === undefined
        ? undefined
        : await attempt(() => withdrawPersonRequest(actor, { sessionId }, platform.services));
    const isTaken = back !== undefined && !back.ok && back.problem.code === "conflict";
    return () => {
      store.setHandedOver(false);
      this.out.say(`bot:${event.eventId}`, isTaken ? texts.personIsHere : texts.botIsBack, event.target);
    };
  }
}

function holdKey(sessionId: string, { state, since }: NonNullable<Session["hold"]>): string {
  return `held:${sessionId}:${state}:${since}`;
}

/** The reply of a turn, and the response of a run, while it is written. */
import type { ConclaveEvent, Delta, EventData, KnownEvent } from "./event-types.js";

type TextOf = "turn" | "run";

/**
 * Makes of the deltas of a stream that was interrupted those of one that wasn't. Live events aren't stored: a resumed reader is told
 * the text so far as one delta from its start, and may have missed that an attempt was void.
 */
export class DeltaSequence {
  /** By the id of the turn or run. */
  private readonly texts = new Map<string, { attempt: number; text: string }>();

  /** The events to show in place of this one: none, if all of it was seen. */
  next(event: ConclaveEvent): ConclaveEvent[] {
    switch (event.event) {
      case "reply.delta":
        return this.delta("turn", event.data.turnId, event.data);
      case "run.delta":
        return this.delta("run", event.data.runId, event.data);
      case "reply.retracted":
        return this.retracted("turn", event.data.turnId, event.data.attempt);
      case "run.retracted":
        return this.retracted("run", event.data.runId, event.data.attempt);
      case "turn.completed":
        this.texts.delete(event.data.turnId);
        return [event];
      case "run.completed":
        this.texts.delete(event.data.runId);
        return [event];
      default:
        return [event];
    }
  }

  private retracted(of: TextOf, id: string, attempt: number): ConclaveEvent[] {
    // Said already, when what followed it showed that it had been missed.
    if (this.texts.get(id)?.attempt === attempt) return [];
    this.texts.set(id, { attempt, text: "" });
    return [retractedEvent(of, id, attempt)];
  }

  private delta(of: TextOf, id: string, { text, attempt, offset }: Delta): ConclaveEvent[] {
    const seen = this.texts.get(id) ?? { attempt, text: "" };
    const known = seen.text.slice(offset, offset + text.length);
    const fits = seen.attempt === attempt && offset <= seen.text.length && text.startsWith(known);
    if (!fits) {
      this.texts.set(id, { attempt, text });
      const voided = seen.text === "" ? [] : [retractedEvent(of, id, attempt)];
      return [...voided, deltaEvent(of, id, { attempt, text, offset })];
    }
    const more = text.slice(known.length);
    this.texts.set(id, { attempt, text: seen.text + more });
    return more === "" ? [] : [deltaEvent(of, id, { attempt, text: more, offset: offset + known.length })];
  }
}

function deltaEvent(of: TextOf, id: string, delta: Delta): KnownEvent {
  switch (of) {
    case "turn":
      return { event: "reply.delta", data: { turnId: id, ...delta } };
    case "run":
      return { event: "run.delta", data: { runId: id, ...delta } };
  }
}

function retractedEvent(of: TextOf, id: string, attempt: number): KnownEvent {
  switch (of) {
    case "turn":
      return { event: "reply.retracted", data: { turnId: id, attempt } };
    case "run":
      return { event: "run.retracted", data: { runId: id, attempt } };
  }
}

/**
 * What a page shows of a reply, or of a run's response, while it comes.
 * @example
 * const reply = new ReplyText();
 * for await (const event of conclave.sessions.stream(sessionId, { content })) show(reply.after(event));
 */
export class ReplyText {
  private text = "";
  /** Where the turn is that was told of last: while it is queued or waits with what its end user may be told. */
  state: TurnState | undefined;

  /** The text after an event. What counts in the end is what `turn.completed` or `run.completed` holds. */
  after(event: ConclaveEvent): string {
    this.state = stateAfter(event, this.state);
    switch (event.event) {
      case "turn.started":
      case "run.started":
      case "reply.retracted":
      case "run.retracted":
        this.text = "";
        break;
      case "reply.delta":
      case "run.delta":
        this.text = this.text.slice(0, event.data.offset) + event.data.text;
        break;
      case "turn.completed":
        this.text = replyText(event.data);
        break;
      case "run.completed":
        this.text = event.data.response ?? event.data.error?.userMessage ?? "";
        break;
      default:
    }
    return this.text;
  }
}

/** Where a turn is, as a page shows it. */
export type TurnState = Pick<EventData["turn.completed"], "turnId" | "status" | "waitsFor" | "userMessage">;

function stateAfter(event: ConclaveEvent, before: TurnState | undefined): TurnState | undefined {
  switch (event.event) {
    case "turn.queued":
      return { ...event.data, status: "queued" };
    case "turn.waiting": {
      const { turnId, waitsFor, userMessage } = event.data;
      return { turnId, status: "waiting", waitsFor, userMessage };
    }
    case "turn.completed":
      return { turnId: event.data.turnId, status: event.data.status };
    case "turn.started":
    case "reply.delta":
    case "reply.retracted":
      return { turnId: event.data.turnId, status: "running" };
    case "ask.closed": {
      const { turnId } = event.data.from;
      return turnId !== undefined && before?.status === "waiting" ? { turnId, status: "running" } : before;
    }
    default:
      return before;
  }
}

/** What a person reads of a turn: the reply, or why there is none. */
export function replyText({ reply, error }: Pick<EventData["turn.completed"], "reply" | "error">): string {
  const texts = reply?.modelReply.turns.flatMap(({ message = "" }) => (message === "" ? [] : [message]));
  return texts?.join("\n") ?? error?.content ?? "";
}

/** The reply of a turn while it is written. */
import type { ConclaveEvent, EventData, KnownEvent } from "./types.js";

type Delta = EventData["reply.delta"];

/**
 * Makes of the deltas of a stream that was interrupted those of one that wasn't. Live events aren't stored: whoever resumes is told
 * the reply so far as one delta from its start, and may have missed that an attempt was void.
 */
export class DeltaSequence {
  private readonly turns = new Map<string, { attempt: number; text: string }>();

  /** The events to show in place of this one: none, if all of it was seen. */
  next(event: ConclaveEvent): ConclaveEvent[] {
    switch (event.event) {
      case "reply.delta":
        return this.delta(event.data);
      case "reply.retracted":
        return this.retracted(event.data);
      case "turn.completed":
        this.turns.delete(event.data.turnId);
        return [event];
      default:
        return [event];
    }
  }

  private retracted({ turnId, attempt }: EventData["reply.retracted"]): ConclaveEvent[] {
    // Said already, when what followed it showed that it had been missed.
    if (this.turns.get(turnId)?.attempt === attempt) return [];
    this.turns.set(turnId, { attempt, text: "" });
    return [{ event: "reply.retracted", data: { turnId, attempt } }];
  }

  private delta({ turnId, text, attempt, offset }: Delta): ConclaveEvent[] {
    const seen = this.turns.get(turnId) ?? { attempt, text: "" };
    const known = seen.text.slice(offset, offset + text.length);
    const fits = seen.attempt === attempt && offset <= seen.text.length && text.startsWith(known);
    if (!fits) {
      this.turns.set(turnId, { attempt, text });
      const voided: ConclaveEvent[] = seen.text === "" ? [] : [{ event: "reply.retracted", data: { turnId, attempt } }];
      return [...voided, deltaEvent({ turnId, attempt, text, offset })];
    }
    const more = text.slice(known.length);
    this.turns.set(turnId, { attempt, text: seen.text + more });
    return more === "" ? [] : [deltaEvent({ turnId, attempt, text: more, offset: offset + known.length })];
  }
}

function deltaEvent(data: Delta): KnownEvent {
  return { event: "reply.delta", data };
}

/**
 * What a page shows of a reply while it comes.
 * @example
 * const reply = new ReplyText();
 * for await (const event of conclave.sessions.stream(sessionId, { content })) show(reply.after(event));
 */
export class ReplyText {
  private text = "";

  /** The text after an event. What counts in the end is what `turn.completed` holds. */
  after(event: ConclaveEvent): string {
    switch (event.event) {
      case "turn.started":
      case "reply.retracted":
        this.text = "";
        break;
      case "reply.delta":
        this.text = this.text.slice(0, event.data.offset) + event.data.text;
        break;
      case "turn.completed":
        this.text = replyText(event.data);
        break;
      default:
    }
    return this.text;
  }
}

/** What a person reads of a turn: the reply, or why there is none. */
export function replyText({ reply, error }: Pick<EventData["turn.completed"], "reply" | "error">): string {
  const texts = reply?.modelReply.turns.flatMap(({ message = "" }) => (message === "" ? [] : [message]));
  return texts?.join("\n") ?? error?.content ?? "";
}

/** The released part of a reply while it is written: gated, with attempts and offsets. Nothing of it is stored. */
import type { ModelListener } from "../model/port.js";
import type { StreamGate } from "../supervision/stream-gate.js";

export interface ReplyDelta {
  readonly text: string;
  /** Grows when a call is redone; text of earlier attempts is void. */
  readonly attempt: number;
  /** Where the text begins in the released text of this attempt, in UTF-16 units. */
  readonly offset: number;
}

export interface ReplyStreamEvents {
  delta(delta: ReplyDelta): void;
  retracted(attempt: number): void;
}

/**
 * How much of a reply may wait for the gate while nobody follows it, in characters: the gate says soon enough that a longer reply
 * will be blocked, and a short one is judged as a whole at its end.
 */
const unwatchedCharacters = 1_000;

/** One gate over the texts of all rounds, so that nothing passes split between two of them. */
export class ReplyStream {
  /** Opened for the first text: a short reply that nobody follows needs none. */
  private gate: StreamGate | undefined;
  private attempt = 0;
  private released = "";
  /** Complete rounds; when a round is redone, what they released stays. */
  private readonly rounds: string[] = [];
  /** What of the current round was pushed. */
  private pushed = "";
  /** What was pushed and not gated yet: nobody follows the reply, and its end is judged as a whole anyway. */
  private pending = "";

  constructor(
    private readonly openGate: () => StreamGate,
    private readonly events: ReplyStreamEvents,
    /** Whether anybody follows the reply now. */
    private readonly isWatched: () => boolean = () => true,
  ) {}

  /** What a subscriber who comes late has missed. */
  soFar(): ReplyDelta | undefined {
    this.advance();
    return this.released === "" ? undefined : { text: this.released, attempt: this.attempt, offset: 0 };
  }

  listenToRound(): ModelListener {
    return {
      delta: (text) => this.push(text),
      retract: () => this.retract(),
      isEnough: () => this.gate?.isBlocked() ?? false,
      isFollowed: this.isWatched,
    };
  }

  /** Called with the whole text of a round, live or replayed: what wasn't streamed is released now. */
  roundComplete(text: string): void {
    if (this.pushed !== text) {
      if (!text.startsWith(this.pushed)) this.retract();
      this.push(text.slice(this.pushed.length));
    }
    this.rounds.push(text);
    this.pushed = "";
  }

  /** The supervised reply is final: the rest of it is released; where it differs from what was released, it is released anew. */
  finish(finalText: string): void {
    this.pending = "";
    if (!finalText.startsWith(this.released)) this.voidReleased();
    this.release(finalText.slice(this.released.length));
  }

  /** There will be no such reply: what was released of it is void. */
  withdraw(): void {
    this.pending = "";
    if (this.released !== "") this.voidReleased();
  }

  private push(text: string): void {
    if (text === "") return;
    const separator = this.pushed === "" && this.rounds.length > 0 ? "\n" : "";
    this.pushed += text;
    this.pending += separator + text;
    if (this.isWatched() || this.pending.length >= unwatchedCharacters) this.advance();
  }

  private advance(): void {
    const { pending } = this;
    this.pending = "";
    if (pending === "") return;
    this.gate ??= this.openGate();
    this.release(this.gate.push(pending));
  }

  private retract(): void {
    if (this.pushed === "") return;
    if (this.released !== "") this.voidReleased();
    this.gate = undefined;
    this.pushed = "";
    this.pending = this.rounds.join("\n");
    if (this.isWatched()) this.advance();
  }

  private voidReleased(): void {
    this.attempt += 1;
    this.released = "";
    this.events.retracted(this.attempt);
  }

  private release(text: string): void {
    if (text === "") return;
    const offset = this.released.length;
    this.released += text;
    this.events.delta({ text, attempt: this.attempt, offset });
  }
}

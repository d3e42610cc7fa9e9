/** The text of a reply while it comes, as text parts of a UI message: those only grow, so that what is taken back is said to be void. */
import type { UiChunk } from "./chunks.js";

interface Delta {
  readonly text: string;
  readonly attempt: number;
  readonly offset: number;
}

export class ReplyTextParts {
  /** What was released of this attempt. */
  private text = "";
  private attempt = 0;
  /** What stands on the page of it: in parts of this message, or in an earlier message of the same turn. */
  private shown: string;
  private open: string | undefined;
  /** Parts that count. */
  private ids: string[] = [];
  private count = 0;

  /** The text of the turn that follows, in parts of the same message. */
  next(): ReplyTextParts {
    const parts = new ReplyTextParts();
    parts.count = this.count;
    return parts;
  }

  /** @param shownBefore the text that an earlier message showed, before the turn waited for an answer */
  constructor(shownBefore = "") {
    this.shown = shownBefore;
  }

  delta({ text, attempt, offset }: Delta): UiChunk[] {
    const voided = attempt === this.attempt ? [] : this.retract(attempt);
    this.text = this.text.slice(0, offset) + text;
    return [...voided, ...this.show(false)];
  }

  /** What was shown is void; what follows belongs to this attempt. */
  retract(attempt: number): UiChunk[] {
    this.attempt = attempt;
    this.text = "";
    return this.voidShown();
  }

  /** The text as it holds now: the rest of it, or all of it anew. */
  settle(text: string): UiChunk[] {
    this.text = text;
    return [...this.show(true), ...this.endPart()];
  }

  /** Another kind of part follows. */
  endPart(): UiChunk[] {
    const id = this.open;
    this.open = undefined;
    return id === undefined ? [] : [{ type: "text-end", id }];
  }

  /** @param isWhole whether nothing more is to come: text that is shorter than what stands there is another text then */
  private show(isWhole: boolean): UiChunk[] {
    // Said again from the start, after a wait: it isn't as far yet as the page is.
    if (!isWhole && this.shown.startsWith(this.text)) return [];
    const voided = this.text.startsWith(this.shown) ? [] : this.voidShown();
    const more = this.text.slice(this.shown.length);
    this.shown = this.text;
    return [...voided, ...this.write(more)];
  }

  private voidShown(): UiChunk[] {
    const ended = this.endPart();
    const voided = this.ids.map((id): UiChunk => ({ type: "data-retracted", data: { id } }));
    this.ids = [];
    this.shown = "";
    return [...ended, ...voided];
  }

  private write(more: string): UiChunk[] {
    // Rounds stand a line apart; at the beginning of a part of its own the line says nothing.
    const delta = this.open === undefined ? more.replace(/^\n/, "") : more;
    if (delta === "") return [];
    if (this.open !== undefined) return [{ type: "text-delta", id: this.open, delta }];
    this.count += 1;
    const id = `text-${this.count}`;
    this.open = id;
    this.ids.push(id);
    return [
      { type: "text-start", id, providerMetadata: { conclave: { id } } },
      { type: "text-delta", id, delta },
    ];
  }
}

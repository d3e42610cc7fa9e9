import { type Scanner, TextWindow } from "./detector.js";
import { isHighSurrogate, type Region, regionsOf, shorten } from "./edits.js";
import { Normaliser } from "./normalise.js";
import type { Outcome } from "./outcome.js";
import { type CompiledRule, isEditing, type RuleFinding } from "./rule.js";

/** One step of what a streamed text goes through: takes pieces of text, gives what is settled of the edited text. */
export interface StreamStage {
  push(piece: string): string;
  end(): string;
}

interface OpenScanner {
  scanner: Scanner;
  rule: CompiledRule;
  reads: "raw" | "normal";
}

/** One look of all detectors at a text as it comes, with its edits: the streamed form of one pass of judging. */
export class ScanStage implements StreamStage {
  private readonly scanners: OpenScanner[];
  private readonly raw = new TextWindow();
  private readonly normal = new TextWindow();
  private readonly normaliser = new Normaliser();
  /** The first half of a surrogate pair whose second has not come. */
  private half = "";
  /** Findings of editing rules from {@link passedOn} on. */
  private pending: RuleFinding[] = [];
  private passedOn = 0;

  constructor(
    rules: readonly CompiledRule[],
    private readonly outcome: Outcome,
    private readonly mayEdit: boolean,
  ) {
    this.scanners = rules.flatMap((rule) =>
      rule.detectors.map((detector) => ({ scanner: detector.open(), rule, reads: detector.reads })),
    );
  }

  push(piece: string): string {
    const text = this.half + piece;
    const end = isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.length - 1 : text.length;
    this.half = text.slice(end);
    this.feed(text.slice(0, end));
    return this.passOn(this.collect());
  }

  end(): string {
    this.feed(this.half);
    for (const { scanner, reads } of this.scanners) scanner.finish(reads === "raw" ? this.raw : this.normal);
    this.collect();
    return this.passOn(this.raw.end);
  }

  private feed(text: string): void {
    if (text === "") return;
    const normal = this.normaliser.push(text);
    this.raw.append(text);
    this.normal.append(normal);
    for (const { scanner, reads } of this.scanners) {
      if (reads === "raw") scanner.feed(text, this.raw);
      else scanner.feed(normal, this.normal);
    }
  }

  /** Takes in what was found; returns the offset up to which nothing is under way. */
  private collect(): number {
    let limit = this.raw.end;
    for (const { scanner, rule, reads } of this.scanners) {
      if (scanner.overloaded) this.outcome.overloaded(rule);
      for (const found of scanner.take()) {
        const isRaw = reads === "raw";
        const start = isRaw ? found.start : this.normaliser.originalStart(found.start);
        const end = isRaw ? found.end : this.normaliser.originalEnd(found.end);
        if (isEditing(rule)) this.pending.push({ ...found, start, end, rule });
        else this.outcome.found(rule);
      }
      limit = Math.min(limit, reads === "raw" ? scanner.hold : this.normaliser.originalStart(scanner.hold));
    }
    return limit;
  }

  /** Passes on the text up to `limit`, edited; a region that reaches beyond it may still grow and waits. */
  private passOn(limit: number): string {
    let out = "";
    const isSettled = this.pending.some(({ end }) => end <= limit);
    if (!isSettled) limit = this.pending.reduce((least, { start }) => Math.min(least, start), limit);
    for (const region of isSettled ? regionsOf(this.pending) : []) {
      if (region.end > limit) {
        limit = Math.min(limit, region.start);
        break;
      }
      out += this.raw.slice(this.passedOn, region.start) + this.replace(region);
      this.passedOn = region.end;
      this.pending = this.pending.filter(({ start }) => start >= region.end);
    }
    out += this.raw.slice(this.passedOn, limit);
    this.passedOn = limit;
    this.trim();
    return out;
  }

  private replace(region: Region): string {
    const original = this.raw.slice(region.start, region.end);
    if (original === region.replacement) return original;
    for (const { rule } of region.findings) this.outcome.found(rule);
    if (!this.mayEdit) this.outcome.unsettled();
    return region.replacement;
  }

  private trim(): void {
    let raw = this.passedOn;
    let normal = this.normal.end;
    for (const { scanner, reads } of this.scanners) {
      if (reads === "raw") raw = Math.min(raw, scanner.hold);
      else normal = Math.min(normal, scanner.hold);
    }
    this.raw.trim(raw);
    this.normal.trim(normal);
    this.normaliser.trim(normal);
  }
}

/** Shortens a text as it comes: the streamed form of {@link shorten}. */
export class LengthStage implements StreamStage {
  /** What is passed on whatever comes: one less than is kept, in case the cut falls into a surrogate pair. */
  private readonly free: number;
  private passedOn = 0;
  private held = "";
  private isOver = false;

  constructor(
    private readonly rule: CompiledRule,
    private readonly max: number,
    private readonly outcome: Outcome,
  ) {
    this.free = Math.max(0, max - (rule.replacement ?? "").length - 1);
  }

  push(piece: string): string {
    if (this.isOver) return "";
    this.held += piece;
    if (this.passedOn + this.held.length > this.max) {
      this.isOver = true;
      this.outcome.found(this.rule);
      return shorten(this.held, this.max - this.passedOn, this.rule.replacement ?? "");
    }
    const free = this.held.slice(0, Math.max(0, this.free - this.passedOn));
    this.held = this.held.slice(free.length);
    this.passedOn += free.length;
    return free;
  }

  end(): string {
    return this.isOver ? "" : this.held;
  }
}

/**
 * In how large pieces a server's streams are read. Each piece wakes its reader, so while nobody follows a reply it is read in large
 * ones. A large piece is there once it is full or the stream has ended: that takes a server that ends its streams soon behind their end
 * mark. Nearly all do; whether this one does is seen at its first reply.
 */

import { ModelError, type ModelErrorKind } from "../port.js";
import type { ProviderDeadline } from "./deadline.js";

/** The least that a large piece holds, in bytes: some twelve tokens of most providers, what somebody who comes to follow waits for. */
export const largestPiece = 4_096;

/** How soon a stream has to end behind its end mark, in milliseconds: for so long each reply's end would be held back. */
const endsWithinMs = 1_000;

/** After so many replies that broke off it isn't tried again. */
const mostFailures = 3;
/** Failures of replies whose end didn't come. */
const brokenOff: ReadonlySet<ModelErrorKind> = new Set(["timeout", "cut_stream"]);

export class StreamPieces {
  private failures = 0;
  private end: "unseen" | "awaited" | "seen" | "uncertain" = "unseen";

  constructor(private readonly withDeadline: ProviderDeadline) {}

  /** The least that the next piece is to hold, in bytes, unless the stream ends before. */
  leastBytes(isFollowed: boolean): number {
    return this.end === "seen" && !isFollowed ? largestPiece : 1;
  }

  /**
   * The end mark has come.
   * @returns whether to see with `endsSoon` if the stream ends: of one stream alone, as it may stay open.
   */
  awaitsEndMark(): boolean {
    const isFirst = this.end === "unseen";
    if (isFirst) this.end = "awaited";
    return isFirst;
  }

  /** Whether a stream ends behind its end mark, and doesn't stay open a while. @param hasEnded reads on in it */
  async endsSoon(hasEnded: () => Promise<boolean>): Promise<boolean> {
    const isOver = await this.withDeadline(endsWithinMs, hasEnded).catch(() => false);
    if (isOver && this.end === "awaited") this.end = "seen";
    return isOver;
  }

  /** Sees a reply break off: its end may have come in a piece that was never full, so streams are read as they come again. */
  async watch<T>(reply: Promise<T>): Promise<T> {
    try {
      return await reply;
    } catch (error) {
      if (error instanceof ModelError && brokenOff.has(error.kind)) this.failed();
      throw error;
    }
  }

  private failed(): void {
    if (this.end !== "seen") return;
    this.failures += 1;
    this.end = this.failures < mostFailures ? "unseen" : "uncertain";
  }
}

/** A text that is made when it is first asked for, with the tag that it is asked for again by. */
import { sha256Hex } from "../platform/digest.js";

export class MadeOnce {
  private made: { readonly text: string; readonly etag: string } | undefined;

  constructor(private readonly make: () => string) {}

  async read(): Promise<{ readonly text: string; readonly etag: string }> {
    if (this.made !== undefined) return this.made;
    const text = this.make();
    this.made = { text, etag: `"${(await sha256Hex(text)).slice(0, 32)}"` };
    return this.made;
  }
}

/** The keys that other houses publish to check what they sign by, kept for an hour: whoever signs in doesn't wait for them each time. */
import { z } from "zod";
import { problem } from "../conversation/problem.js";
import { readJson } from "../text/json.js";
import { OutgoingError, type OutgoingPolicy, sendOutgoing } from "./outgoing.js";
import type { PublishedKey } from "./signed-claims.js";

/** How long they count without being asked for again, and how soon a key that isn't among them is asked for; milliseconds. */
const keptMs = 3_600_000;
const anewMs = 30_000;
const timeoutMs = 5_000;
/** Houses that are kept at once. */
const keptHouses = 100;

const keysSchema = z.object({
  keys: z.array(z.object({ kid: z.string(), n: z.string(), e: z.string() })).max(20),
});

interface Kept {
  readonly at: number;
  readonly keys: readonly PublishedKey[];
}

export class PublishedKeys {
  private readonly kept = new Map<string, Kept>();

  constructor(
    private readonly policy: OutgoingPolicy,
    private readonly now: () => number,
  ) {}

  /**
   * The keys at an address, among them the one that is looked for if there is one. A house exchanges its keys when it likes: one that isn't known
   * is asked for anew, twice a minute at most, whatever tokens name.
   * @throws {ProblemError} `unavailable`
   */
  async at(url: string, kid: string): Promise<readonly PublishedKey[]> {
    const known = this.kept.get(url);
    const at = this.now();
    const maxAgeMs = known?.keys.some((key) => key.kid === kid) === true ? keptMs : anewMs;
    if (known !== undefined && at - known.at < maxAgeMs) return known.keys;
    const keys = await this.read(url);
    const [oldest] = this.kept.keys();
    if (this.kept.size >= keptHouses && oldest !== undefined) this.kept.delete(oldest);
    this.kept.set(url, { at, keys });
    return keys;
  }

  private async read(url: string): Promise<readonly PublishedKey[]> {
    const answer = await sendOutgoing({ method: "GET", url, headers: {}, timeoutMs }, this.policy).catch(
      (error: unknown) => {
        throw problem("unavailable", error instanceof OutgoingError ? error.message : "The keys did not come in time.");
      },
    );
    const keys = keysSchema.safeParse(answer.status === 200 ? readJson(answer.text).value : undefined);
    if (!keys.success) throw problem("unavailable", "The keys could not be read.");
    return keys.data.keys;
  }
}

/**
 * Scripts the upstream over HTTP, from Node or from workerd alike: it needs `fetch` alone. Each model name has its own queue of
 * replies and its own journal, so tests that run at the same time don't meet as long as each uses a model name of its own.
 */

import { z } from "zod";

/** One answer of the upstream. Exactly one of `text`, `toolCalls`, `events`, `body` and `drop` says what it is; text and calls mix. */
export interface ScriptedReply {
  readonly text?: string;
  /** `arguments` as a string are passed on raw, so they may be broken; an `id` of null is left out. */
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: unknown; readonly id?: string | null }[];
  /** How a streamed text is split; the whole text word by word if left out. */
  readonly chunks?: readonly string[];
  /** Null: the upstream doesn't count. */
  readonly usage?: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    /** Of the input; sent along where it is given, as the next is. */
    readonly cachedInputTokens?: number;
    /** Of the output. */
    readonly reasoningTokens?: number;
  } | null;
  /** Null: none is given. */
  readonly finishReason?: string | null;
  /** With a `body`: any answer at all. A string goes out as it is, anything else as JSON. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The `data` of each server-sent event, raw: for streams that no server should send. */
  readonly events?: readonly string[];
  /** Ends half-way as if it were complete (`true`), or by breaking the connection (`"reset"`). */
  readonly cut?: boolean | "reset";
  /** Answers as an embedding model: a dimension for each group of words, in which a text that holds one of them has 1. */
  readonly embedding?: readonly (readonly string[])[];
  /** Answers as a memory agent that notes every entry. */
  readonly remembers?: "cites" | "cites nothing";
  /** Breaks the connection without a byte. */
  readonly drop?: boolean;
  /** False leaves out the stream's `[DONE]`. */
  readonly done?: boolean;
  readonly delayMs?: number;
  /** Waits for `release(name)`: before the first byte, or in a stream after so many chunks. */
  readonly hold?: string | { readonly name: string; readonly afterChunks: number };
  /** Serves so many requests instead of one; `true`: all that follow. */
  readonly repeat?: number | true;
}

const seenRequestSchema = z.object({
  path: z.string(),
  headers: z.record(z.string(), z.string()),
  /** The parsed JSON body, or the text if it is none. */
  body: z.unknown(),
  /** When it came and when it ended, in milliseconds of the upstream's clock; `endedAt` is null while it is open. */
  startedAt: z.number(),
  endedAt: z.number().nullable(),
  /** True when the caller went away before the answer was complete. */
  aborted: z.boolean(),
});
/** One request as the upstream saw it. */
export type SeenRequest = z.infer<typeof seenRequestSchema>;

const stateSchema = z.object({
  requests: z.array(seenRequestSchema),
  /** Requests that are open now, and the most that ever were at the same time. */
  open: z.number(),
  mostOpen: z.number(),
  /** Replies that wait to be asked for. */
  queued: z.number(),
});
export type UpstreamState = z.infer<typeof stateSchema>;

/** One model's queue and journal at the upstream. */
export class UpstreamModel {
  constructor(
    /** The root of the upstream. */
    readonly url: string,
    readonly model: string,
  ) {}

  /** What a provider is configured with. */
  get baseURL(): string {
    return `${this.url}/v1`;
  }

  /** Where requests that aren't for a model land in this queue too, e.g. webhooks. Any path may follow. */
  get hookURL(): string {
    return `${this.url}/hook/${encodeURIComponent(this.model)}`;
  }

  /** A real MCP server (see `mcp-upstream.ts`), whose requests this journal keeps. */
  get mcpURL(): string {
    return `${this.url}/mcp/${encodeURIComponent(this.model)}`;
  }

  /** Appends replies; each serves one request, in order. A request that finds none gets a 400. */
  async reply(...replies: readonly ScriptedReply[]): Promise<void> {
    await this.control("POST", "replies", replies);
  }

  /** Lets everything go that is held under this name, and what will be. */
  async release(name: string): Promise<void> {
    await this.control("POST", `holds/${encodeURIComponent(name)}/release`);
  }

  async state(): Promise<UpstreamState> {
    return this.control("GET", "state");
  }

  async requests(): Promise<readonly SeenRequest[]> {
    return (await this.state()).requests;
  }

  /** How many requests are open now. */
  async open(): Promise<number> {
    return (await this.state()).open;
  }

  /**
   * Waits, at the upstream, until so many requests have come or are open, or the callers of so many went away.
   * @throws when it takes longer than `timeoutMs`
   */
  async until(
    wanted: { readonly requests?: number; readonly open?: number; readonly aborted?: number },
    timeoutMs = 30_000,
  ): Promise<UpstreamState> {
    const query = Object.entries({ ...wanted, timeoutMs }).map(([name, value]) => `${name}=${value}`);
    return this.control("GET", `state?${query.join("&")}`);
  }

  /** Forgets replies, holds and journal. */
  async clear(): Promise<void> {
    await this.control("DELETE", "");
  }

  private async control(method: string, action: string, body?: unknown): Promise<UpstreamState> {
    const response = await fetch(`${this.url}/__control/${encodeURIComponent(this.model)}/${action}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    });
    if (!response.ok) throw new Error(`upstream control: ${response.status} ${await response.text()}`);
    return stateSchema.parse(await response.json());
  }
}

/** The queue and journal of a model name; made up and unique if none is given. */
export function upstreamFor(baseUrl: string, model: string = `model-${crypto.randomUUID()}`): UpstreamModel {
  return new UpstreamModel(baseUrl, model);
}

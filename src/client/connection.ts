/** Requests to the API: authenticated, repeated where that is safe, and refusals as errors. */

export interface ConnectionOptions {
  /** Where Conclave is, such as `https://conclave.example`. */
  readonly baseUrl: string;
  /** A key or an end user's token; a function is asked before each request, so that a token can be renewed. */
  readonly token: string | (() => string | Promise<string>);
  /** In place of the platform's own. */
  readonly fetch?: typeof fetch;
  /** How often a request is repeated that got no answer, or none that counts. 4, if nothing is said. */
  readonly retries?: number;
  /** The first wait before a repetition, in milliseconds; it doubles. 500, if nothing is said. */
  readonly retryAfterMs?: number;
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface RequestOptions {
  readonly query?: Query | undefined;
  /** A text goes out as it is, with a content-type in `headers`; anything else as JSON. */
  readonly body?: unknown;
  /** A write that is sent twice under one key is done once. Without one of yours, a write gets one of its own. */
  readonly idempotencyKey?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What the API refused, in its own words. */
export class ConclaveError extends Error {
  override readonly name = "ConclaveError";
  constructor(
    /** The status of the answer. */
    readonly status: number,
    /** One of the API's list of codes, such as `not_found`; `unreadable` for an answer that isn't the API's. */
    readonly code: string,
    /** What was wrong and what to do about it, for who runs the caller. */
    readonly detail: string,
    readonly more: {
      /** What an end user may be told. */
      readonly userMessage?: string | undefined;
      readonly requestId?: string | undefined;
      readonly errors?: readonly { readonly path: string; readonly message: string }[] | undefined;
      /** The ask that is in the way. */
      readonly askId?: string | undefined;
      readonly retryAfterMs?: number | undefined;
    } = {},
  ) {
    super(`${code}: ${detail}`);
  }
}

export class Connection {
  /** What the API's last answer gave: with it the next look-up sees at least what this one did. */
  private bookmark: string | undefined;

  constructor(private readonly options: ConnectionOptions) {}

  /** The JSON that a route answers with, which is as the API's document says. */
  async json<T>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
    const text = await (await this.send(method, path, options)).text();
    return JSON.parse(text === "" ? "null" : text);
  }

  /**
   * The answer to a request, once it is one that counts.
   * @throws {ConclaveError} for a refusal. What the network throws comes through when repeating it didn't help.
   */
  async send(method: string, path: string, options: RequestOptions = {}): Promise<Response> {
    const isWrite = method !== "GET";
    const request = { ...options, idempotencyKey: options.idempotencyKey ?? (isWrite ? newKey() : undefined) };
    for (let failures = 0; ; failures++) {
      try {
        return await this.once(method, path, request);
      } catch (error) {
        if (options.signal?.aborted === true || !isPassing(error) || failures >= (this.options.retries ?? 4))
          throw error;
        await this.pause(failures, error, options.signal);
      }
    }
  }

  /** One try. */
  async once(
    method: string,
    path: string,
    { query, body, idempotencyKey, headers, signal }: RequestOptions,
  ): Promise<Response> {
    const { baseUrl, token, fetch: send = fetch } = this.options;
    const url = new URL(`${baseUrl.replace(/\/$/, "")}${path}`);
    for (const [name, value] of Object.entries(query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const response = await send(url.href, {
      method,
      headers: {
        authorization: `Bearer ${typeof token === "function" ? await token() : token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
        ...(this.bookmark === undefined ? {} : { "x-conclave-bookmark": this.bookmark }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    this.note(response.headers.get("x-conclave-bookmark"));
    if (!response.ok) throw await errorOf(response);
    return response;
  }

  /** Of answers that come out of order the newest counts: bookmarks sort by age. */
  private note(bookmark: string | null): void {
    if (bookmark !== null && (this.bookmark === undefined || bookmark > this.bookmark)) this.bookmark = bookmark;
  }

  /** The wait before the next try, longer each time; as long as the API asks for, if it does. */
  pause(failures: number, error: unknown, signal: AbortSignal | undefined): Promise<void> {
    const waitMs = error instanceof ConclaveError ? error.more.retryAfterMs : undefined;
    const { retryAfterMs = 500 } = this.options;
    return sleep(waitMs ?? Math.min(30_000, retryAfterMs * 2 ** failures), signal);
  }
}

/** Whether the same request may have another answer in a while. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof ConclaveError)) return !isAbort(error);
  const { status, code } = error;
  return (status === 429 && code !== "queue_full") || status === 502 || status === 503 || status === 504;
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason);
    const aborted = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", aborted);
      resolve();
    }, ms);
    signal?.addEventListener("abort", aborted, { once: true });
  });
}

/** A key that no other request has. Pages without a secure context have no `randomUUID`. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function errorOf(response: Response): Promise<ConclaveError> {
  const text = await response.text().catch(() => "");
  const problem = problemIn(text);
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  const retryAfterMs = Number.isFinite(seconds) ? seconds * 1_000 : undefined;
  if (problem === undefined) {
    return new ConclaveError(response.status, "unreadable", text.slice(0, 200), { retryAfterMs });
  }
  const { code, detail, ...more } = problem;
  return new ConclaveError(response.status, code, detail, { ...more, retryAfterMs });
}

interface Problem {
  readonly code: string;
  readonly detail: string;
  readonly userMessage?: string;
  readonly requestId?: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
  readonly askId?: string;
}

function problemIn(text: string): Problem | undefined {
  try {
    const parsed: Problem | undefined = JSON.parse(text);
    return typeof parsed?.code === "string" && typeof parsed.detail === "string" ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** A client as a careful application is one: what gets no answer is sent again, under the same key, until it gets one. */
import { z } from "zod";
import { defined } from "../../src/conversation/defined.js";
import type { WorkerProcess } from "../../tests/process/worker.js";

const bodySchema = z.record(z.string(), z.unknown());
export type Body = z.infer<typeof bodySchema>;

export interface Reply {
  readonly status: number;
  readonly body: Body;
  /** As it came; of a stream that broke off only what came. */
  readonly text: string;
}

class UnexpectedAnswerError extends Error {
  override readonly name = "UnexpectedAnswerError";
}

/** How long a request is repeated before it counts as stuck, in milliseconds. */
const patienceMs = 240_000;

export class Client {
  constructor(
    private readonly worker: WorkerProcess,
    private readonly key: string,
  ) {}

  /** Answers of 4xx are faults of the house here, but for those that say "later". */
  async call(
    method: string,
    path: string,
    body?: object,
    idempotencyKey?: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Reply> {
    const end = Date.now() + patienceMs;
    for (;;) {
      const reply = await this.once(method, path, body, idempotencyKey, headers);
      if (reply !== undefined && reply.status < 300) return reply;
      const later = reply === undefined || reply.status === 429 || reply.status >= 500;
      if (!later || Date.now() > end) {
        const seen = reply === undefined ? "no answer" : `${reply.status} ${reply.text.slice(0, 400)}`;
        throw new UnexpectedAnswerError(`${method} ${path} (key ${idempotencyKey ?? "none"}): ${seen}`);
      }
      await pause(200);
    }
  }

  /** All items of a list. */
  async list(path: string): Promise<Body[]> {
    const items: Body[] = [];
    for (let cursor: string | undefined = ""; cursor !== undefined; ) {
      const more: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const page = pageSchema.parse(
        (await this.call("GET", `${path}${path.includes("?") ? "&" : "?"}limit=100${more}`)).body,
      );
      items.push(...page.items);
      cursor = page.nextCursor ?? undefined;
    }
    return items;
  }

  /** The events of a message while they happen; nothing when the connection broke before an answer. */
  async stream(path: string, body: object, idempotencyKey: string): Promise<string | undefined> {
    return (await this.once("POST", path, body, idempotencyKey, { accept: "text/event-stream" }))?.text;
  }

  private async once(
    method: string,
    path: string,
    body: object | undefined,
    idempotencyKey: string | undefined,
    headers: Readonly<Record<string, string>>,
  ): Promise<Reply | undefined> {
    let text = "";
    try {
      const response = await fetch(this.worker.variables.URL + path, {
        method,
        headers: {
          authorization: `Bearer ${this.key}`,
          "content-type": "application/json",
          accept: "application/json",
          ...defined({ "idempotency-key": idempotencyKey }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(30_000),
      });
      text = await response.text();
      const json = response.headers.get("content-type")?.includes("json") ? bodySchema.parse(JSON.parse(text)) : {};
      return { status: response.status, body: json, text };
    } catch (error) {
      if (error instanceof z.ZodError) throw error;
      return undefined;
    }
  }
}

const pageSchema = z.object({ items: z.array(bodySchema), nextCursor: z.string().nullish() });

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

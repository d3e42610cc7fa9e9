/** The system under test, through its HTTP face: a tenant of its own for each test, and the calls that tests make most. */
import { env, exports } from "cloudflare:workers";
import type { Turn } from "../../src/chat/session.js";
import { turnSchema } from "../../src/chat/session.js";
import { ServerSentEventParser } from "../../src/text/server-sent-events.js";
import { DocumentCheck } from "./document-check.js";
import { assertInCatalogue } from "./events.js";
import { type UpstreamModel, upstreamFor } from "./upstream-client.js";

export const origin = "https://conclave.test";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // Tests look into answers of many shapes; what they expect of them is the assertion.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly body: any;
}

export type Fields = Readonly<Record<string, unknown>>;

/** The document that answers are held against, once per file: this module is loaded anew for each. */
let documented: Promise<DocumentCheck> | undefined;

/** Sends a request. @throws when its answer isn't what the OpenAPI document says. */
export async function send(method: string, path: string, options: SendOptions = {}): Promise<Response> {
  const response = await fetchFrom(method, path, options);
  documented ??= fetchFrom("GET", "/openapi.json")
    .then((answer) => answer.text())
    .then((text) => new DocumentCheck(text));
  const check = await documented;
  const type = response.headers.get("content-type")?.split(";")[0] ?? "";
  const body: unknown = type.endsWith("json") ? await response.clone().json() : undefined;
  check.check({ method, path: new URL(path, origin).pathname, status: response.status, type, body });
  return response;
}

interface SendOptions {
  readonly key?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

function fetchFrom(method: string, path: string, options: SendOptions = {}): Promise<Response> {
  return exports.default.fetch(`${origin}${path}`, {
    method,
    headers: {
      ...(options.key === undefined ? {} : { authorization: `Bearer ${options.key}` }),
      ...(options.body === undefined ? {} : { "content-type": "application/json" }),
      ...options.headers,
    },
    ...(options.body === undefined
      ? {}
      : { body: typeof options.body === "string" ? options.body : JSON.stringify(options.body) }),
  });
}

async function read(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = /[/+]json\b/.test(response.headers.get("content-type") ?? "");
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

/** A tenant and a key of it. */
export class TestTenant {
  constructor(
    readonly tenantId: string,
    readonly key: string,
  ) {}

  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return read(await send(method, path, { key: this.key, body, headers }));
  }

  /** Stores a resource, and fails the test when that is refused. */
  async put(kind: string, name: string, body: unknown): Promise<Answer> {
    const answer = await this.call("PUT", `/v1/${kind}/${name}`, body);
    if (answer.status >= 300) throw new Error(`PUT ${kind}/${name}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer;
  }

  /** An agent whose model is scripted at the upstream under a name of its own. */
  async agent(name: string, fields: Fields = {}): Promise<UpstreamModel> {
    const model = upstreamFor(env.TEST_UPSTREAM);
    await this.put("agents", name, {
      kind: "model",
      model: `openai/${model.model}`,
      instructions: "Be helpful.",
      ...fields,
    });
    return model;
  }

  async rules(name: string, rules: readonly unknown[], fields: Fields = {}): Promise<void> {
    await this.put("supervisors", name, {
      kind: "rules",
      hooks: ["request", "response"],
      config: { rules },
      ...fields,
    });
  }

  async session(fields: Fields = {}): Promise<string> {
    const answer = await this.call("POST", "/v1/sessions", { agent: "assistant", ...fields });
    if (answer.status !== 201) throw new Error(`POST /v1/sessions: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body.sessionId;
  }

  /** Sends a message and gives its turn, whatever its outcome. */
  async say(
    sessionId: string,
    content: string,
    fields: Fields = {},
    headers: Record<string, string> = {},
  ): Promise<Turn> {
    const answer = await this.call("POST", `/v1/sessions/${sessionId}/messages`, { content, ...fields }, headers);
    if (answer.status >= 300) throw new Error(`message: ${answer.status} ${JSON.stringify(answer.body)}`);
    return turnSchema.parse(answer.body);
  }

  async turn(sessionId: string, turnId: string, waitMs = 30_000): Promise<Turn> {
    return turnSchema.parse(
      (await this.call("GET", `/v1/sessions/${sessionId}/turns/${turnId}?waitMs=${waitMs}`)).body,
    );
  }

  /** The events of one message, sent with `Accept: text/event-stream`. */
  async stream(sessionId: string, content: string): Promise<StreamEvent[]> {
    const response = await send("POST", `/v1/sessions/${sessionId}/messages`, {
      key: this.key,
      body: { content },
      headers: { accept: "text/event-stream" },
    });
    if (!response.ok) throw new Error(`stream: ${response.status} ${await response.text()}`);
    return parseEvents(await response.text());
  }

  /** The stub of a session's object, to evict it or to run its alarm. */
  object(sessionId: string) {
    return env.CHAT_SESSION.getByName(`${this.tenantId}/${sessionId}`);
  }

  /** Another key of the same tenant. */
  async withRole(role: "client" | "operator" | "admin"): Promise<TestTenant> {
    const answer = await read(
      await send("POST", `/v1/admin/tenants/${this.tenantId}/keys`, { key: env.ADMIN_SECRET, body: { role } }),
    );
    return new TestTenant(this.tenantId, answer.body.key);
  }
}

/** @param database where it lives; the second one is there too */
export async function newTenant(settings: Fields = {}, database = 0): Promise<TestTenant> {
  const answer = await read(
    await send("POST", "/v1/admin/tenants", { key: env.ADMIN_SECRET, body: { name: "test", settings, database } }),
  );
  if (answer.status !== 201) throw new Error(`tenant: ${answer.status} ${JSON.stringify(answer.body)}`);
  return new TestTenant(answer.body.tenantId, answer.body.key);
}

export interface StreamEvent {
  readonly id: string | undefined;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: as in Answer
  readonly data: any;
}

/** Events as a client reads them. Each has to be as the catalogue says. */
export function parseEvents(text: string): StreamEvent[] {
  const events = splitEvents(text);
  for (const { event, data } of events) assertInCatalogue(event, data);
  return events;
}

/** Events of any data, as a test of the log itself writes them. */
export function splitEvents(text: string): StreamEvent[] {
  return new ServerSentEventParser().push(text).flatMap(({ id, event, data }) => {
    return event === undefined || data === undefined ? [] : [{ id, event, data: JSON.parse(data) }];
  });
}

/** What a client that follows a stream shows at its end. */
export function shownText(events: readonly StreamEvent[]): string {
  let text = "";
  for (const { event, data } of events) {
    if (event === "reply.retracted") text = "";
    if (event === "reply.delta") text += data.text;
  }
  return text;
}

/** The raw bytes of a message's stream, chunk by chunk. */
export async function openStream(tenant: TestTenant, session: string) {
  const response = await send("POST", `/v1/sessions/${session}/messages`, {
    key: tenant.key,
    body: { content: "Tell me." },
    headers: { accept: "text/event-stream" },
  });
  if (!response.ok) throw new Error(`stream: ${response.status} ${await response.text()}`);
  return readStream(response);
}

/** A stream of events that is read as far as a test wants. */
export function readStream(response: Response) {
  const reader = (response.body ?? new ReadableStream<Uint8Array>()).pipeThrough(new TextDecoderStream()).getReader();
  let seen = "";
  return {
    /** Reads on until what was seen fits, or the stream is over. */
    async until(fits: (events: ReturnType<typeof parseEvents>) => boolean): Promise<string> {
      while (!fits(parseEvents(seen))) {
        const { value, done } = await reader.read();
        if (done) break;
        seen += value;
      }
      return seen;
    },
  };
}

/**
 * An OpenAI-compatible server that says what it is told to: a queue of replies per model, scripted over HTTP (see
 * `upstream-client.ts`), in JSON and as a stream, with faults, holds and a journal. Node only; run it in vitest's global setup.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { defined } from "../../src/conversation/defined.js";
import { answerPlatform } from "./fake-platforms.js";
import { answerMcp } from "./mcp-upstream.js";
import { memoryAgentReply } from "./scripted-memory-agent.js";
import type { ScriptedReply, SeenRequest, UpstreamState } from "./upstream-client.js";

class Queue {
  replies: ScriptedReply[] = [];
  requests: SeenRequest[] = [];
  mostOpen = 0;
  private readonly released = new Set<string>();
  private waiters: (() => void)[] = [];

  get open(): number {
    return this.requests.filter((request) => request.endedAt === null).length;
  }

  get state(): UpstreamState {
    return { requests: this.requests, open: this.open, mostOpen: this.mostOpen, queued: this.replies.length };
  }

  begin(request: SeenRequest): void {
    this.requests.push(request);
    this.mostOpen = Math.max(this.mostOpen, this.open);
    this.changed();
  }

  take(): ScriptedReply | undefined {
    const [reply, ...rest] = this.replies;
    if (reply === undefined || reply.repeat === true) return reply;
    const left = (reply.repeat ?? 1) - 1;
    this.replies = left > 0 ? [{ ...reply, repeat: left }, ...rest] : rest;
    return reply;
  }

  release(name: string): void {
    this.released.add(name);
    this.changed();
  }

  hold(name: string, isOver: () => boolean): Promise<void> {
    return this.until(() => this.released.has(name) || isOver());
  }

  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.waiters.push(resolve));
  }

  changed(): void {
    const waiting = this.waiters;
    this.waiters = [];
    for (const wake of waiting) wake();
  }
}

/** Starts an upstream on a free port of the loopback. */
export async function startUpstream(): Promise<{ url: string; stop(): Promise<void> }> {
  const queues = new Map<string, Queue>();
  const queueOf = (name: string) => {
    const queue = queues.get(name) ?? new Queue();
    queues.set(name, queue);
    return queue;
  };
  const server = createServer((request, response) => {
    handle(request, response, queues, queueOf).catch((error) => {
      if (!response.headersSent) sendJson(response, 500, { error: { message: String(error) } });
      else response.destroy();
    });
  });
  // Node would close a connection that is idle for five seconds, and workerd sends the next request on it just then.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  queues: Map<string, Queue>,
  queueOf: (name: string) => Queue,
): Promise<void> {
  const url = new URL(request.url ?? "/", "http://upstream");
  const body = await readBody(request);
  const [first, name = "", ...action] = url.pathname.split("/").slice(1).map(decodeURIComponent);
  if (first === "__control") {
    if (request.method === "DELETE") queues.delete(name);
    return control(queueOf(name), request.method ?? "", action, url.searchParams, body, response);
  }
  if (first === "mcp") {
    const seen = { path: url.pathname, headers: flat(request), body };
    queueOf(name).begin({ ...seen, startedAt: Date.now(), endedAt: Date.now(), aborted: false });
    const answer = await answerMcp(request.method ?? "", seen.headers, body, queueOf(name).replies.at(-1)?.body);
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
    return;
  }
  if (first === "platform") return platform(queueOf(action[0] ?? ""), name, request, { url, body }, response);
  const queue = queueOf(first === "hook" ? name : modelOf(body));
  return serve(queue, { path: url.pathname, headers: flat(request), body }, response);
}

/** A chat platform's API (see `fake-platforms.ts`): it answers by itself, unless a reply is scripted. */
async function platform(
  queue: Queue,
  kind: string,
  request: IncomingMessage,
  { url, body }: { readonly url: URL; readonly body: unknown },
  response: ServerResponse,
): Promise<void> {
  const path = `/${url.pathname.split("/").slice(4).join("/")}`;
  const seen = { path, headers: flat(request), body };
  if (queue.replies.length > 0) return serve(queue, seen, response);
  queue.begin({ ...seen, startedAt: Date.now(), endedAt: Date.now(), aborted: false });
  const answer = answerPlatform(kind, { method: request.method ?? "", ...seen });
  sendJson(response, answer.status, answer.body);
}

async function control(
  queue: Queue,
  method: string,
  [what = "", name = ""]: readonly string[],
  wanted: URLSearchParams,
  body: unknown,
  response: ServerResponse,
): Promise<void> {
  if (what === "replies" && Array.isArray(body)) queue.replies.push(...body);
  else if (what === "holds") queue.release(name);
  else if (what === "state" && wanted.size > 0) {
    const least = (key: string) => Number(wanted.get(key) ?? 0);
    const isMet = () =>
      queue.requests.length >= least("requests") &&
      (!wanted.has("open") || queue.open === least("open")) &&
      queue.requests.filter((request) => request.aborted).length >= least("aborted");
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      queue.changed();
    }, least("timeoutMs"));
    await queue.until(() => timedOut || isMet());
    clearTimeout(timer);
    if (!isMet()) return sendJson(response, 408, queue.state);
  } else if (what !== "state" && method !== "DELETE") return sendJson(response, 404, {});
  sendJson(response, 200, queue.state);
}

async function serve(
  queue: Queue,
  seen: Pick<SeenRequest, "path" | "headers" | "body">,
  response: ServerResponse,
): Promise<void> {
  const entry: SeenRequest = { ...seen, startedAt: Date.now(), endedAt: null, aborted: false };
  response.on("close", () => {
    entry.endedAt = Date.now();
    entry.aborted = !response.writableFinished && !response.errored;
    queue.changed();
  });
  queue.begin(entry);
  const given = queue.take();
  const reply = given?.remembers === undefined ? given : { ...given, ...memoryAgentReply(seen.body, given.remembers) };
  if (reply === undefined) return sendJson(response, 400, { error: { code: "nothing_scripted" } });

  if (reply.delayMs !== undefined) await delay(reply.delayMs);
  const afterChunks = typeof reply.hold === "object" ? reply.hold.afterChunks : 0;
  const hold = async (chunks: number) => {
    const name = typeof reply.hold === "object" ? reply.hold.name : reply.hold;
    if (name !== undefined && chunks === afterChunks) await queue.hold(name, () => response.destroyed);
  };
  if (afterChunks === 0) await hold(0);
  if (response.destroyed) return;
  if (reply.drop) return void response.destroy(new Error("dropped"));

  if (reply.embedding !== undefined) return sendEmbeddings(reply.embedding, seen.body, response);
  const streamed = isRecord(seen.body) && seen.body.stream === true;
  const events = reply.events ?? (streamed ? chunkEvents(reply, modelOf(seen.body)) : undefined);
  if (reply.body !== undefined || (reply.status ?? 200) >= 300 || events === undefined)
    return sendWhole(reply, seen, response);
  response.writeHead(reply.status ?? 200, { "content-type": "text/event-stream", ...reply.headers });
  response.flushHeaders();
  const sent = reply.cut ? events.slice(0, Math.ceil(events.length / 2)) : events;
  for (const [index, data] of sent.entries()) {
    if (index > 0 && afterChunks > 0) await hold(index);
    if (response.destroyed) return;
    response.write(`data: ${data}\n\n`);
    // A tick of its own, so that each chunk goes out alone.
    await delay(1);
  }
  finish(reply, response);
}

/** A vector for each text: one for each of the words named, 1 where the text holds any of them. */
function sendEmbeddings(meanings: readonly (readonly string[])[], body: unknown, response: ServerResponse): void {
  const texts = isRecord(body) && Array.isArray(body.input) ? body.input.map(String) : [];
  const data = texts.map((text, index) => ({
    object: "embedding",
    index,
    embedding: [...meanings.map((words) => (words.some((word) => text.toLowerCase().includes(word)) ? 1 : 0)), 0.1],
  }));
  sendJson(response, 200, { object: "list", data, usage: { prompt_tokens: 1, total_tokens: 1 } });
}

function sendWhole(reply: ScriptedReply, seen: Pick<SeenRequest, "body">, response: ServerResponse): void {
  const given =
    reply.body ?? (reply.status === undefined || reply.status < 300 ? completion(reply, modelOf(seen.body)) : {});
  const text = typeof given === "string" ? given : JSON.stringify(given);
  response.writeHead(reply.status ?? 200, { "content-type": "application/json", ...reply.headers });
  if (!reply.cut) return void response.end(text);
  response.write(text.slice(0, Math.ceil(text.length / 2)));
  finish(reply, response);
}

function finish(reply: ScriptedReply, response: ServerResponse): void {
  if (reply.cut !== "reset") return void response.end();
  // Gives what was written time to arrive.
  setTimeout(() => response.destroy(new Error("reset")), 20);
}

function completion(reply: ScriptedReply, model: string): unknown {
  const calls = reply.toolCalls?.map(toolCall);
  const message = { role: "assistant", content: reply.text ?? null, ...defined({ tool_calls: calls }) };
  return {
    id: "chatcmpl-scripted",
    object: "chat.completion",
    created: 0,
    model,
    choices: [{ index: 0, message, finish_reason: finishReason(reply) }],
    ...usage(reply),
  };
}

function chunkEvents(reply: ScriptedReply, model: string): string[] {
  const chunk = (delta: unknown, reason: string | null = null) =>
    JSON.stringify({
      id: "chatcmpl-scripted",
      object: "chat.completion.chunk",
      created: 0,
      model,
      choices: [{ index: 0, delta, finish_reason: reason }],
    });
  const texts = reply.chunks ?? (reply.text === undefined ? [] : textChunks(reply.text));
  const calls = (reply.toolCalls ?? []).map(toolCall).flatMap((call, index) => {
    const { arguments: text, name } = call.function;
    const middle = Math.ceil(text.length / 2);
    return [
      chunk({ tool_calls: [{ ...call, index, function: { name, arguments: text.slice(0, middle) } }] }),
      chunk({ tool_calls: [{ index, function: { arguments: text.slice(middle) } }] }),
    ];
  });
  const counted = usage(reply);
  return [
    ...texts.map((content) => chunk({ content })),
    ...calls,
    chunk({}, finishReason(reply)),
    ...("usage" in counted ? [JSON.stringify({ choices: [], ...counted })] : []),
    ...(reply.done === false ? [] : ["[DONE]"]),
  ];
}

/** A word a chunk, as models write; of a long text several, so that it takes no longer than a tenth of a second. */
function textChunks(text: string): string[] {
  const words = text.split(/(?<=\s)(?=\S)/);
  const together = Math.ceil(words.length / 60);
  return words.flatMap((_word, at) => (at % together === 0 ? [words.slice(at, at + together).join("")] : []));
}

function toolCall({ id, name, arguments: given }: NonNullable<ScriptedReply["toolCalls"]>[number], index: number) {
  const text = typeof given === "string" ? given : JSON.stringify(given);
  return {
    ...(id === null ? {} : { id: id ?? `call_scripted_${index}` }),
    type: "function",
    function: { name, arguments: text },
  };
}

function finishReason(reply: ScriptedReply): string | null {
  return reply.finishReason !== undefined ? reply.finishReason : reply.toolCalls ? "tool_calls" : "stop";
}

function usage(reply: ScriptedReply): { usage?: Record<string, unknown> } {
  if (reply.usage === null) return {};
  const given: NonNullable<ScriptedReply["usage"]> = reply.usage ?? { inputTokens: 10, outputTokens: 5 };
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens } = given;
  return {
    usage: {
      prompt_tokens: inputTokens,
      completion_tokens: outputTokens,
      total_tokens: inputTokens + outputTokens,
      ...(cachedInputTokens !== undefined && { prompt_tokens_details: { cached_tokens: cachedInputTokens } }),
      ...(reasoningTokens !== undefined && { completion_tokens_details: { reasoning_tokens: reasoningTokens } }),
    },
  };
}

function modelOf(body: unknown): string {
  return isRecord(body) && typeof body.model === "string" ? body.model : "";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function flat(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

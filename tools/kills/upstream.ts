/** A model and a tool server that answer from what they are shown, without a memory: whatever is asked again gets the same answer. */
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { z } from "zod";

/** What a message asks the model to do; it stands in the message as `[n=17 do=charge]`. */
export const kinds = ["plain", "charge", "note", "ask", "both"] as const;
export type Kind = (typeof kinds)[number];

export function messageOf(n: number, kind: Kind): string {
  return `Please [n=${n} do=${kind}] now.`;
}

/** What the model answers in the end; `both` and `ask` repeat what the person said. */
export function replyOf(n: number, kind: Kind): string {
  return kind === "ask" || kind === "both" ? `Reply ${n}: person ${n}` : `Reply ${n}`;
}

export function questionOf(n: number): string {
  return `What of number ${n}?`;
}

/** A call of a tool as its server saw it. */
export interface ToolCallSeen {
  readonly tool: string;
  readonly n: number;
  readonly key: string;
}

const requestSchema = z.object({
  model: z.string(),
  stream: z.boolean().default(false),
  messages: z.array(
    z.object({
      role: z.string(),
      content: z.string().nullable().default(""),
      tool_calls: z.array(z.object({ function: z.object({ name: z.string() }) })).default([]),
    }),
  ),
  tools: z.array(z.object({ function: z.object({ name: z.string() }) })).default([]),
});

interface Said {
  readonly text?: string;
  readonly call?: { readonly name: string; readonly args: object };
}

const tag = /\[n=(\d+) do=(\w+)\]/g;

function answer({ messages, tools }: z.infer<typeof requestSchema>): Said {
  const at = messages.findLastIndex(({ role }) => role === "user");
  const last = [...(messages[at]?.content ?? "").matchAll(tag)].at(-1);
  const offered = new Set(tools.map((tool) => tool.function.name));
  const take = (position: string): Said => {
    const args = { position, reasoning: "It is so.", confidence: 0.6 };
    return offered.has("take_position") ? { call: { name: "take_position", args } } : { text: position };
  };
  if (last === undefined) return take("Noted.");
  const n = Number(last[1]);
  const kind = kinds.find((known) => known === last[2]) ?? "plain";
  const since = messages.slice(at + 1);
  const called = since.flatMap(({ tool_calls }) => tool_calls.map((call) => call.function.name));
  const steps: [name: string, args: object][] = [
    ...(kind === "ask" || kind === "both" ? [["ask_human", { question: questionOf(n) }] as [string, object]] : []),
    ...(kind === "charge" || kind === "both" ? [["charge", { n }] as [string, object]] : []),
    ...(kind === "note" ? [["note", { n }] as [string, object]] : []),
  ];
  const next = steps.find(([name]) => offered.has(name) && !called.includes(name));
  if (next !== undefined) return { call: { name: next[0], args: next[1] } };
  if (offered.has("route_to")) {
    return { call: { name: "route_to", args: { targetAgent: "worker", reasoning: "It fits.", confidence: 0.9 } } };
  }
  // What a person said of this number, wherever it stands: in a tool's result, or in a worker's brief.
  const said = JSON.stringify(messages.slice(at)).includes(`person ${n}`) ? `: person ${n}` : "";
  return take(`Reply ${n}${said}`);
}

/** Something that the Worker sent to a chat platform or to a webhook's receiver. */
export interface Sent {
  readonly id: string;
  readonly body: string;
}

export interface Upstream {
  readonly url: string;
  readonly calls: readonly ToolCallSeen[];
  /** Replies to the chat platform. */
  readonly posts: readonly Sent[];
  /** What the webhook's receiver got, repetitions included. */
  readonly events: readonly Sent[];
  /** From here on charges are noted and not answered, until it is lifted. */
  holdCharges(isHeld: boolean): void;
  stop(): void;
}

/** @param random spreads how long answers take, so that kills hit every moment of a turn */
export async function startUpstream(random: () => number): Promise<Upstream> {
  const calls: ToolCallSeen[] = [];
  const posts: Sent[] = [];
  const events: Sent[] = [];
  let isHeld = false;
  const server = createServer((request, response) => {
    void (async () => {
      const text = await textOf(request);
      const body: unknown = JSON.parse(text || "{}");
      const sink = request.url === "/posts" ? posts : request.url === "/events" ? events : undefined;
      if (sink !== undefined) {
        sink.push({ id: String(request.headers["webhook-id"]), body: text });
        return response.end("{}");
      }
      await new Promise((resolve) => setTimeout(resolve, random() * 250));
      const tool = /^\/tool\/(\w+)/.exec(request.url ?? "")?.[1];
      if (tool !== undefined) {
        const { n } = z.object({ n: z.number() }).parse(body);
        calls.push({ tool, n, key: String(request.headers["idempotency-key"]) });
        // Whoever asked dies before it hears of it.
        if (tool === "charge" && isHeld) return undefined;
        response.setHeader("content-type", "application/json");
        return response.end(JSON.stringify({ done: n }));
      }
      const asked = requestSchema.parse(body);
      const said = answer(asked);
      response.setHeader("content-type", asked.stream ? "text/event-stream" : "application/json");
      return response.end(asked.stream ? streamed(asked.model, said) : JSON.stringify(whole(asked.model, said)));
    })().catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  // Node would close a connection that is idle for five seconds, and the Worker sends the next request on it just then.
  server.keepAliveTimeout = 600_000;
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    posts,
    events,
    holdCharges: (held) => {
      isHeld = held;
    },
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

function toolCalls({ call }: Said) {
  if (call === undefined) return {};
  const made = { name: call.name, arguments: JSON.stringify(call.args) };
  return { tool_calls: [{ index: 0, id: "call_1", type: "function", function: made }] };
}

function whole(model: string, said: Said) {
  const message = { role: "assistant", content: said.text ?? null, ...toolCalls(said) };
  const finish_reason = said.call === undefined ? "stop" : "tool_calls";
  const choices = [{ index: 0, message, finish_reason }];
  return { id: "chatcmpl-1", object: "chat.completion", created: 0, model, choices, usage };
}

function streamed(model: string, said: Said): string {
  const chunk = (delta: object, finish_reason: string | null, more: object = {}) =>
    `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 0, model, choices: [{ index: 0, delta, finish_reason }], ...more })}\n\n`;
  const parts = said.text?.split(/(?<=\s)/) ?? [];
  return [
    ...parts.map((content) => chunk({ role: "assistant", content }, null)),
    ...(said.call === undefined ? [] : [chunk({ role: "assistant", ...toolCalls(said) }, null)]),
    chunk({}, said.call === undefined ? "stop" : "tool_calls", { usage }),
    "data: [DONE]\n\n",
  ].join("");
}

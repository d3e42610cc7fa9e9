/** One request under a key, by every face there is: sent as often as it takes, it charges once. */
import { signWebhook } from "../../src/platform/webhook-signature.js";
import type { Body, Client } from "./client.js";
import { type Kind, messageOf, replyOf } from "./upstream.js";

const channelSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/** What faces need that stands before the first request. */
export interface Places {
  /** A session for each face that needs one: in one they would wait for one another. */
  readonly sessionId: string;
  readonly mcpSessionId: string;
  /** The address of a chat channel. */
  readonly channel: string;
  readonly tableId: (n: number) => Promise<string>;
}

interface Face {
  readonly name: string;
  /** @returns the answer's text; undefined where there is none to come this way */
  readonly send: (client: Client, places: Places, n: number, kind: Kind) => Promise<string | undefined>;
}

const chat = (n: number, kind: Kind, fields: object) => ({
  model: "assistant",
  messages: [{ role: "user", content: messageOf(n, kind) }],
  ...fields,
});
const response = (n: number, kind: Kind, fields: object) => ({
  model: "assistant",
  input: messageOf(n, kind),
  ...fields,
});

function posted(name: string, path: string, bodyOf: (n: number, kind: Kind) => object): Face {
  return {
    name,
    send: async (client, _places, n, kind) =>
      textIn((await client.call("POST", path, bodyOf(n, kind), `face-${n}`)).text),
  };
}

/** What a stream said in pieces, together. */
function textIn(answer: string): string {
  const pieces = [...answer.matchAll(/"(?:content|delta)":"((?:[^"\\\\]|\\\\.)*)"/g)].map(([, piece]) => piece);
  return `${answer}\n${pieces.join("")}`;
}

/** Faces that answer their caller; what they are asked for is the same. */
export const faces: readonly Face[] = [
  posted("chat completion", "/v1/chat/completions", (n, kind) => chat(n, kind, {})),
  posted("streamed chat completion", "/v1/chat/completions", (n, kind) => chat(n, kind, { stream: true })),
  posted("response", "/v1/responses", (n, kind) => response(n, kind, {})),
  posted("response, not stored", "/v1/responses", (n, kind) => response(n, kind, { store: false })),
  posted("streamed response, not stored", "/v1/responses", (n, kind) =>
    response(n, kind, { store: false, stream: true }),
  ),
  posted("run", "/v1/runs", (n, kind) => ({ team: "desk", input: messageOf(n, kind), waitMs: 20_000 })),
  {
    name: "message",
    send: async (client, { sessionId }, n, kind) => {
      const body = { content: messageOf(n, kind), waitMs: 20_000 };
      const sent = await client.call("POST", `/v1/sessions/${sessionId}/messages`, body, `face-${n}`);
      return settled(client, `/v1/sessions/${sessionId}/turns/${String(sent.body.turnId)}`);
    },
  },
  {
    name: "ui-chat",
    send: async (client, _places, n, kind) => {
      const parts = [{ type: "text", text: messageOf(n, kind) }];
      const messages = [{ id: `m${n}`, role: "user", parts }];
      const body = { id: `chat-${n}`, agent: "assistant", messages, trigger: "submit-message" };
      return textIn((await client.call("POST", "/v1/ui-chat", body)).text);
    },
  },
  {
    name: "MCP",
    send: async (client, { mcpSessionId: sessionId }, n, kind) => {
      const given = { sessionId, content: messageOf(n, kind), idempotencyKey: `face-${n}`, waitMs: 20_000 };
      const call = { name: "send_message", arguments: given };
      const headers = { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18" };
      const message = { jsonrpc: "2.0", id: n, method: "tools/call", params: call };
      for (;;) {
        const { text } = await client.call("POST", "/mcp", message, undefined, headers);
        if (text.includes(replyOf(n, kind)) || text.includes('"isError":true')) return text;
      }
    },
  },
  {
    name: "chat channel",
    send: async (client, { channel }, n, kind) => {
      const body = { conversation: "room", messageId: `m${n}`, user: { id: "ada" }, text: messageOf(n, kind) };
      const signed = await signWebhook({ id: `evt-${n}`, at: Date.now(), body: JSON.stringify(body) }, [channelSecret]);
      await client.call("POST", channel, body, undefined, { ...signed });
      return undefined;
    },
  },
  {
    name: "roundtable, gone on with",
    send: async (client, { tableId }, n, kind) => {
      const path = `/v1/roundtables/${await tableId(n)}`;
      const body = { focusQuestion: messageOf(n, kind), waitMs: 20_000 };
      await client.call("POST", `${path}/continue`, body, `face-${n}`);
      return settled(client, path);
    },
  },
];

/** What something came to, once it runs no more. */
async function settled(client: Client, path: string): Promise<string> {
  for (;;) {
    const { body, text } = await client.call("GET", `${path}?waitMs=10000`);
    if (body.running !== true && !["queued", "running"].includes(String(body.status))) return text;
  }
}

/** The agents, the session and the channel that faces need. @param upstream where replies are posted */
export async function preparePlaces(client: Client, upstream: string): Promise<Places> {
  const session = async (key: string): Promise<string> =>
    String((await client.call("POST", "/v1/sessions", { agent: "assistant" }, key)).body.sessionId);
  const channel = {
    kind: "generic",
    agent: "assistant",
    listenTo: "all",
    credentials: { secret: channelSecret, replyUrl: `${upstream}/posts` },
  };
  const { body } = await client.call("PUT", "/v1/channels/shop", channel, "channel");
  const seats: Body[] = [
    { id: "a", agent: "assistant" },
    { id: "b", name: "B", model: "openai/scripted" },
  ];
  const tableId = async (n: number): Promise<string> => {
    const table = {
      topic: "Do we ship?",
      mode: "collaborative",
      seats,
      rounds: 5,
      waitMs: 20_000,
      models: { analyst: "openai/scripted", synthesis: "openai/scripted" },
      analysis: false,
      exitOnConsensus: false,
    };
    const begun = await client.call("POST", "/v1/roundtables", table, `table-${n}`);
    await settled(client, `/v1/roundtables/${String(begun.body.sessionId)}`);
    return String(begun.body.sessionId);
  };
  const sessions = { sessionId: await session("ses-face"), mcpSessionId: await session("ses-mcp") };
  return { ...sessions, channel: String(body.address), tableId };
}

/**
 * The backend of a team chat, without a table of its own: a session for each channel, by the channel's own id; an event that comes twice
 * is one turn, by the event's own id; and what waits for somebody is an inbox for the staff.
 *
 *     node scripts/generate-client-types.mjs
 *     CONCLAVE_URL=http://127.0.0.1:8787 CONCLAVE_KEY=cnk_… tsx examples/chat-backend/app.ts
 */
import { createServer, type IncomingMessage } from "node:http";
import createClient from "openapi-fetch";
import type { components, paths } from "../typed-client/schema.js";

const { CONCLAVE_URL: baseUrl, CONCLAVE_KEY: key, AGENT: agent = "assistant", PORT: port = "8081" } = process.env;
const conclave = createClient<paths, "application/json" | "application/problem+json">({
  baseUrl: baseUrl ?? "http://127.0.0.1:8787",
  headers: { authorization: `Bearer ${key}` },
});

/** What was answered; what went wrong is thrown in words that may be shown. */
function answered<T>({ data, error }: { data?: T; error?: components["schemas"]["Problem"] }): T {
  if (data === undefined) throw new Error(error?.userMessage ?? error?.title ?? "No answer.");
  return data;
}

/** A message of a channel: its turn, whether it is sent once or ten times. */
async function onMessage({ channel, eventId, user, text }: Record<string, string>) {
  const { sessionId } = answered(
    await conclave.PUT("/v1/sessions/by-external-id/{externalId}", {
      params: { path: { externalId: `${channel}` } },
      body: { agent, whileWaiting: "answer" },
    }),
  );
  const sent = await conclave.POST("/v1/sessions/{sessionId}/messages", {
    params: { path: { sessionId }, header: { "Idempotency-Key": `${eventId}` } },
    body: { content: `${text}`, speaker: `${user}` },
  });
  const { turnId, status, reply, error, asks } = answered(sent);
  const says = reply?.modelReply.turns.map(({ message }) => message ?? "").join("\n") ?? error?.content;
  return { turnId, status, says, asks: asks.map(({ question }) => question) };
}

/** What waits for somebody, the most urgent first, with where it comes from. */
async function inbox() {
  const { items } = answered(
    await conclave.GET("/v1/asks", { params: { query: { status: "open", sort: "priority" } } }),
  );
  return items.map(({ askId, kind, question, from }) => ({
    askId,
    kind,
    question,
    channel: from.externalId,
    about: from.about,
  }));
}

async function answer(askId: string, body: components["schemas"]["Answer"]) {
  const ask = answered(await conclave.POST("/v1/asks/{askId}/answer", { params: { path: { askId } }, body }));
  return { status: ask.status, closedBy: ask.closedBy };
}

async function handle(request: IncomingMessage): Promise<unknown> {
  const body = (await request.toArray()).join("");
  const path = request.url ?? "";
  if (path === "/messages") return onMessage(JSON.parse(body));
  return path === "/inbox" ? inbox() : answer(path.replace("/inbox/", ""), JSON.parse(body));
}

createServer((request, response) => {
  const end = (status: number, said: unknown) => response.writeHead(status).end(JSON.stringify(said));
  handle(request).then(
    (said) => end(200, said),
    ({ message }) => end(502, { error: message }),
  );
}).listen(Number(port), "127.0.0.1", () => console.log(`http://127.0.0.1:${port}`));

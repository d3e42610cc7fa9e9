/**
 * The backend of a team chat, without a table of its own: a session for each channel, by the channel's own id; an event that comes twice
 * is one turn, by the event's own id; and what waits for somebody is an inbox for the staff.
 *
 *     CONCLAVE_URL=http://127.0.0.1:8787 CONCLAVE_KEY=cnk_… tsx examples/chat-backend/app.ts
 */
import { createServer, type IncomingMessage } from "node:http";
import { type Answer, Conclave, ConclaveError, replyText } from "conclave/client";

const { CONCLAVE_URL: baseUrl, CONCLAVE_KEY: token, AGENT: agent = "assistant", PORT: port = "8081" } = process.env;
const conclave = new Conclave({ baseUrl: baseUrl ?? "http://127.0.0.1:8787", token: `${token}` });

/** A message of a channel: its turn, whether it is sent once or ten times. */
async function onMessage({ channel, eventId, user, text }: Record<string, string>) {
  const { sessionId } = await conclave.sessions.ensure(`${channel}`, { agent, whileWaiting: "answer" });
  const message = { content: `${text}`, speaker: `${user}` };
  const turn = await conclave.sessions.send(sessionId, message, { idempotencyKey: `${eventId}` });
  const { turnId, status, asks } = turn;
  return { turnId, status, says: replyText(turn), asks: asks.map(({ question }) => question) };
}

/** What waits for somebody, the most urgent first, with where it comes from. */
async function inbox() {
  const { items } = await conclave.asks.list({ status: "open", sort: "priority" });
  return items.map(({ askId, kind, question, from }) => ({
    askId,
    kind,
    question,
    channel: from.externalId,
    about: from.about,
  }));
}

async function answer(askId: string, body: Answer) {
  const { status, closedBy } = await conclave.asks.answer(askId, body);
  return { status, closedBy };
}

async function handle(request: IncomingMessage): Promise<unknown> {
  const body = (await request.toArray()).join("");
  const path = request.url ?? "";
  if (path === "/messages") return onMessage(JSON.parse(body));
  return path === "/inbox" ? inbox() : answer(path.replace("/inbox/", ""), JSON.parse(body));
}

/** What went wrong, in words that may be shown. */
function wordsFor(error: unknown): string {
  return (error instanceof ConclaveError ? error.more.userMessage : undefined) ?? "That could not be done.";
}

createServer((request, response) => {
  const end = (status: number, said: unknown) => response.writeHead(status).end(JSON.stringify(said));
  handle(request).then(
    (said) => end(200, said),
    (error: unknown) => end(502, { error: wordsFor(error) }),
  );
}).listen(Number(port), "127.0.0.1", () => console.log(`http://127.0.0.1:${port}`));

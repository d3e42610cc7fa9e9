/** The events of a root (a session, a run …) over HTTP: server-sent events, or a WebSocket on upgrade. */
import type { Context } from "hono";
import { z } from "zod";
import { followEvents, type RootRef } from "../application/events/follow-events.js";
import { eventDefinitions } from "../catalogues/events.js";
import { type EventDefinition, type EventRoot, nonEmpty } from "../conversation/event.js";
import { type AppEnv, actorOf } from "./context.js";

/** Whether a stream goes on through what is waited for. */
export const followQuery = z
  .enum(["true", "false"])
  .default("false")
  .transform((text) => text === "true");

export const eventsQuery = z.object({
  after: z.coerce.number<string>().int().min(0).default(0),
  lingerMs: z.coerce.number<string>().int().min(0).max(60_000).default(15_000),
  follow: followQuery,
});

/** What the events route of any root says of itself in the document. */
export const eventsDescription =
  "Each event says whom it is for: operators hear all, clients what is for clients and users, an end user's token what is for users. Events have growing ids; `Last-Event-ID` or `after` resumes behind one. The stream ends when nothing goes on any more (all is done, or waits for an answer) and `lingerMs` has passed; with `follow=true` it goes on while an answer is waited for. A WebSocket stays. HEAD answers whether it may be followed, and opens nothing.";

/** An event as a WebSocket sends it. In a stream `id` and `event` are fields of its own, and `data` is JSON. */
function eventMessage({ type, audience, description, data, live }: EventDefinition & { readonly type: string }) {
  const id = z.int();
  return z
    .object({ ...(live ? {} : { id }), event: z.literal(type), data })
    .describe(`${description}${live ? " Not stored: it has no id." : ""} For: ${audience}.`);
}

/** Each event of the catalogue by its name in the document: `turn.completed` is `Event.TurnCompleted`. */
export const eventMessages = eventDefinitions().map((definition) => ({
  name: `Event.${definition.type.replaceAll(/(?:^|\.)(\w)/g, (_match, letter: string) => letter.toUpperCase())}`,
  roots: definition.roots,
  schema: eventMessage(definition),
}));

function eventsOf(root: EventRoot | "memory" | "limits") {
  const ofRoot = eventMessages.filter(({ roots }) => roots.includes(root));
  return z.discriminatedUnion("event", nonEmpty(ofRoot.map(({ schema }) => schema)));
}

/** All that the stream of a kind of root can bring. */
export const rootEvents = {
  session: eventsOf("session"),
  run: eventsOf("run"),
  roundtable: eventsOf("roundtable"),
  memory: eventsOf("memory"),
  limits: eventsOf("limits"),
} as const;

export function eventStreamOf(root: EventRoot) {
  return { "text/event-stream": { schema: rootEvents[root] } } as const;
}

export function eventsAnswers(root: EventRoot) {
  return {
    200: { description: "The events", content: eventStreamOf(root) },
    101: { description: "A WebSocket that gets the events as JSON: {id, event, data}" },
  } as const;
}

/** The events of a root, in the form that the request asks for. A HEAD learns whether there are any, and opens nothing. */
export async function eventsResponse(
  c: Context<AppEnv>,
  root: RootRef,
  { after, lingerMs, follow }: z.infer<typeof eventsQuery>,
): Promise<Response> {
  const events = await followEvents(actorOf(c), root, c.get("services"));
  if (c.req.method === "HEAD") {
    await events.check();
    return eventStreamResponse(null);
  }
  if (c.req.header("upgrade")?.toLowerCase() === "websocket") return events.socket(c.req.raw);
  const last = Number(c.req.header("last-event-id") ?? after);
  const query = { after: Number.isSafeInteger(last) && last > 0 ? last : after, lingerMs, follow };
  return eventStreamResponse(await events.stream(query));
}

export function eventStreamResponse(stream: ReadableStream<Uint8Array> | null): Response {
  return new Response(stream, {
    headers: { "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" },
  });
}

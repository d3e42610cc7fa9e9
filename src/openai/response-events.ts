/** The events of a streamed response, as they go over HTTP and over a WebSocket. */
import { z } from "zod";
import type { ChatEvent } from "../application/openai/complete-chat.js";
import { bodyOf, refusalOf } from "./errors.js";
import { type Answer, answerOf, replaced } from "./outcome.js";
import {
  begunResponse,
  messageItemId,
  type OutputItem,
  outputItemSchema,
  type Part,
  partSchema,
  type ResponseHead,
  type ResponseObject,
  responseOf,
  responseSchema,
} from "./response-object.js";

const ofResponse = { response: responseSchema };
const ofItem = { output_index: z.int(), item: outputItemSchema };
const inItem = { item_id: z.string(), output_index: z.int() };
const inPart = { ...inItem, content_index: z.int() };
const logprobs = z.array(z.unknown());
const wrong = { code: z.string().nullable(), message: z.string(), param: z.string().nullable() };

const bodies = {
  "response.created": ofResponse,
  "response.in_progress": ofResponse,
  "response.completed": ofResponse,
  "response.incomplete": ofResponse,
  "response.failed": ofResponse,
  "response.output_item.added": ofItem,
  "response.output_item.done": ofItem,
  "response.content_part.added": { ...inPart, part: partSchema },
  "response.content_part.done": { ...inPart, part: partSchema },
  "response.output_text.delta": { ...inPart, delta: z.string(), logprobs },
  "response.output_text.done": { ...inPart, text: z.string(), logprobs },
  "response.refusal.delta": { ...inPart, delta: z.string() },
  "response.refusal.done": { ...inPart, refusal: z.string() },
  "response.function_call_arguments.delta": { ...inItem, delta: z.string() },
  "response.function_call_arguments.done": { ...inItem, name: z.string(), arguments: z.string() },
  // OpenAI's schema has what is wrong in the event itself, Open Responses within `error`.
  error: { ...wrong, error: z.object({ type: z.string(), ...wrong }) },
} as const;
type EventType = keyof typeof bodies;
type Body<T extends EventType> = z.infer<z.ZodObject<(typeof bodies)[T]>>;

export interface ResponseEvent {
  readonly type: EventType;
  readonly sequence_number: number;
}

export const responseEventSchema = z.union(
  Object.entries(bodies).map(([type, body]) => z.object({ type: z.literal(type), sequence_number: z.int(), ...body })),
);

/**
 * The events of one response, in their order. What goes wrong after it has begun is an `error`, and the response has failed.
 * @param events what becomes of the turn; without an end where the caller has gone
 */
export async function* responseEvents(
  head: ResponseHead,
  events: AsyncIterable<ChatEvent>,
): AsyncGenerator<ResponseEvent> {
  let sequence = 0;
  const event = <T extends EventType>(type: T, body: Body<T>): ResponseEvent => ({
    type,
    sequence_number: sequence++,
    ...body,
  });
  const message = new StreamedMessage(messageItemId(head.ref), event);
  const begun = begunResponse(head);
  yield event("response.created", { response: begun });
  yield event("response.in_progress", { response: begun });
  try {
    for await (const one of events) {
      if (one.kind === "text") {
        yield* message.say(one.text);
        continue;
      }
      const answer = answerOf(one.outcome);
      if (one.isVoid && answer.kind === "text") throw replaced;
      yield* lastWords(message, answer);
      const response = responseOf(head, one.outcome.turn, message.isOpen ? message.parts() : undefined);
      yield* endOfOutput(response, message, event);
      yield event(response.status === "incomplete" ? "response.incomplete" : "response.completed", { response });
    }
  } catch (error) {
    const refusal = refusalOf(error);
    const { code, message: detail, param } = refusal;
    yield event("error", { ...bodyOf(refusal), code, message: detail, param });
    const response: ResponseObject = {
      ...begun,
      status: "failed",
      output: message.isOpen ? [message.item("incomplete")] : [],
      error: { code: refusal.code, message: refusal.message },
    };
    yield event("response.failed", { response });
  }
}

/**
 * The same for a reader who has seen some of it already: what came in pieces doesn't come in pieces again, but whole where it is done.
 * @param after the number of the last event that was seen
 */
export async function* resumedEvents(
  events: AsyncIterable<ResponseEvent>,
  after: number,
): AsyncGenerator<ResponseEvent> {
  let sequence = after;
  for await (const event of events) {
    if (/^response\.(created|in_progress)$|\.(added|delta)$/.test(event.type)) continue;
    sequence += 1;
    yield { ...event, sequence_number: sequence };
  }
}

/** What is said at the end, behind what was streamed. */
function* lastWords(message: StreamedMessage, answer: Answer): Generator<ResponseEvent> {
  switch (answer.kind) {
    case "text":
      if (answer.calls.length === 0) yield* message.say("");
      return;
    case "asks":
      yield* message.say(message.isOpen ? `\n\n${answer.text}` : answer.text);
      return;
    case "refused":
      yield* message.refuse(answer.refusal);
  }
}

type NewEvent = <T extends EventType>(type: T, body: Body<T>) => ResponseEvent;

function* endOfOutput(response: ResponseObject, message: StreamedMessage, event: NewEvent): Generator<ResponseEvent> {
  for (const [index, item] of response.output.entries()) {
    const of = { output_index: index };
    if (item.type === "message") {
      yield* message.end(item);
      continue;
    }
    yield event("response.output_item.added", { ...of, item: { ...item, arguments: "", status: "in_progress" } });
    const about = { ...of, item_id: item.id };
    yield event("response.function_call_arguments.delta", { ...about, delta: item.arguments });
    yield event("response.function_call_arguments.done", { ...about, name: item.name, arguments: item.arguments });
    yield event("response.output_item.done", { ...of, item });
  }
}

/** The message of a streamed answer: opened by its first word, always the first item. */
class StreamedMessage {
  isOpen = false;
  private readonly content: Part[] = [];

  constructor(
    private readonly id: string,
    private readonly event: NewEvent,
  ) {}

  parts(): readonly Part[] {
    return this.content;
  }

  item(status: OutputItem["status"]): OutputItem {
    return { type: "message", id: this.id, role: "assistant", status, content: [...this.content] };
  }

  *say(text: string): Generator<ResponseEvent> {
    yield* this.open({ type: "output_text", text: "", annotations: [], logprobs: [] });
    const part = this.content.at(-1);
    if (text === "" || part?.type !== "output_text") return;
    part.text += text;
    yield this.event("response.output_text.delta", { ...this.place(), delta: text, logprobs: [] });
  }

  *refuse(refusal: string): Generator<ResponseEvent> {
    yield* this.endPart();
    yield* this.open({ type: "refusal", refusal: "" });
    const part = this.content.at(-1);
    if (part?.type !== "refusal") return;
    part.refusal = refusal;
    yield this.event("response.refusal.delta", { ...this.place(), delta: refusal });
  }

  *end(item: OutputItem): Generator<ResponseEvent> {
    yield* this.endPart();
    yield this.event("response.output_item.done", { output_index: 0, item });
  }

  /** Begins the message, and a part of it, unless one of that type is under way. */
  private *open(part: Part): Generator<ResponseEvent> {
    if (!this.isOpen) {
      this.isOpen = true;
      const item: OutputItem = { type: "message", id: this.id, role: "assistant", status: "in_progress", content: [] };
      yield this.event("response.output_item.added", { output_index: 0, item });
    }
    if (this.content.at(-1)?.type === part.type) return;
    this.content.push(part);
    yield this.event("response.content_part.added", { ...this.place(), part: { ...part } });
  }

  private *endPart(): Generator<ResponseEvent> {
    const part = this.content.at(-1);
    if (part?.type === "output_text") {
      yield this.event("response.output_text.done", { ...this.place(), text: part.text, logprobs: [] });
    }
    if (part?.type === "refusal") {
      yield this.event("response.refusal.done", { ...this.place(), refusal: part.refusal });
    }
    if (part !== undefined) yield this.event("response.content_part.done", { ...this.place(), part: { ...part } });
  }

  private place() {
    return { item_id: this.id, output_index: 0, content_index: Math.max(0, this.content.length - 1) };
  }
}

/** The lines of a stream of server-sent events. */
export async function* eventLines(events: AsyncIterable<ResponseEvent>): AsyncGenerator<string> {
  for await (const event of events) yield `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
  yield "data: [DONE]\n\n";
}

/**
 * Reads the answer to a chat-completions request. The `openai` package hands over the raw response: its own parsers throw bare
 * SyntaxErrors, return HTML as if it were a reply, and end a cut stream like a complete one.
 */
import { readJson } from "../../text/json.js";
import { ModelError, type ModelListener, type ModelRequest, maxReplyBytes, maxStreamBytes } from "../port.js";
import type { ProviderReply } from "../provider.js";
import { chunkShape, completionShape, textDelta } from "./chat-shapes.js";
import { errorFrameFailure } from "./failures.js";
import { ReplyAssembler, tooLarge } from "./reply-assembler.js";
import { endMark, readEventData } from "./server-sent-events.js";
import type { StreamPieces } from "./stream-pieces.js";

/** The most that is read of a reply in one piece, in bytes: what is escaped in it takes more than what it says. */
const maxWholeBytes = 2 * maxReplyBytes;

/**
 * A reply in one piece.
 * @throws {ModelError} `bad_response` when it isn't one, `unavailable` when the connection breaks.
 */
export async function readWhole(
  response: Response,
  request: ModelRequest,
  listener?: ModelListener,
): Promise<ProviderReply> {
  let body: string;
  try {
    body = await textWithin(response, maxWholeBytes);
  } catch (error) {
    if (error instanceof ModelError) throw error;
    throw new ModelError("unavailable", "the connection broke off before the reply was complete");
  }
  const value = parseJson(body);
  const parsed = completionShape.safeParse(value);
  if (!parsed.success) throw errorFrameFailure(value) ?? notAReply();
  const assembler = new ReplyAssembler(listener);
  const [first] = parsed.data.choices;
  if (first === undefined) throw notAReply();
  assembler.addWhole(first.message);
  assembler.addFinishReason(first.finish_reason);
  assembler.addUsage(parsed.data.usage);
  return assembler.reply(request);
}

/**
 * A streamed reply. It is complete once a finish reason or the end mark has come.
 * @throws {ModelError} `cut_stream` when it ends before, `bad_response` when it is something else.
 */
export async function readStreamed(
  response: Response,
  request: ModelRequest,
  listener: ModelListener,
  pieces: StreamPieces,
): Promise<ProviderReply> {
  const type = response.headers.get("content-type") ?? "";
  // Some gateways answer in one piece although a stream was asked for.
  if (type.includes("json")) return readWhole(response, request, listener);
  if (type.includes("text/html") || response.body === null) throw notAReply();

  const assembler = new ReplyAssembler(listener);
  let events = 0;
  const isFollowed = () => listener.isFollowed?.() ?? true;
  for await (const together of readEventData(response.body, { maxBytes: maxStreamBytes, pieces, isFollowed })) {
    for (const data of together) {
      events += 1;
      if (data === endMark) return assembler.reply(request);
      addChunk(assembler, data);
      if (assembler.isEnough) return assembler.replySoFar(request);
    }
  }
  if (assembler.hasFinishReason) return assembler.reply(request);
  if (events === 0 && !type.includes("text/event-stream")) throw notAReply();
  throw cutStream();
}

function addChunk(assembler: ReplyAssembler, data: string): void {
  const value = parseJson(data);
  const failure = errorFrameFailure(value);
  if (failure !== undefined) throw failure;
  const text = textDelta(value);
  if (text !== undefined) {
    assembler.addDelta({ content: text });
    return;
  }
  const parsed = chunkShape.safeParse(value);
  if (!parsed.success) throw notAReply();
  assembler.addUsage(parsed.data.usage);
  const [first] = parsed.data.choices;
  if (first?.delta) assembler.addDelta(first.delta);
  assembler.addFinishReason(first?.finish_reason);
}

/** @throws {ModelError} `bad_response` when there is more than that, unread. */
async function textWithin(response: Response, maxBytes: number): Promise<string> {
  if (response.body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** The failure of a stream that ended before its end mark. */
export function cutStream(): ModelError {
  return new ModelError("cut_stream", "the stream ended before the reply was complete");
}

/** The failure of an answer that isn't what the protocol says. */
export function notAReply(): ModelError {
  return new ModelError("bad_response", "the provider's answer is not a chat completion");
}

/** @throws {ModelError} `bad_response` */
export function parseJson(text: string): unknown {
  const { value, problem } = readJson(text);
  if (problem !== undefined) throw new ModelError("bad_response", "the provider's answer is not valid JSON");
  return value;
}

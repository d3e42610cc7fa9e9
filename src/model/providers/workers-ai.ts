/**
 * Cloudflare's models through the AI binding. Depending on the model it answers in a shape of its own (`{response, tool_calls,
 * usage}`) or in OpenAI's (`{choices}`), streamed likewise; the border takes either, whatever was asked for.
 */
import { z } from "zod";
import { defined } from "../../conversation/defined.js";
import { isTooDeep } from "../../text/json.js";
import { ModelError, type ModelListener, type ModelMessage, type ModelRequest, maxStreamBytes } from "../port.js";
import type { ModelProvider, ProviderReply } from "../provider.js";
import { chunkShape, completionShape, toolCallShape, usageShape } from "./chat-shapes.js";
import { attemptWithin, type ProviderDeadline } from "./deadline.js";
import { errorFrameFailure, kindOfStatus, toolsRefused } from "./failures.js";
import { samplingParams, toolCall } from "./openai-request.js";
import { cutStream, notAReply, parseJson } from "./openai-response.js";
import { ReplyAssembler } from "./reply-assembler.js";
import { endMark, readEventData } from "./server-sent-events.js";
import { StreamPieces } from "./stream-pieces.js";
import { refusesTools } from "./tool-refusal.js";

/** The part of the AI binding that we rely on. */
export interface AiBinding {
  run(model: string, inputs: Record<string, unknown>, options?: { readonly signal?: AbortSignal }): Promise<unknown>;
}

/** The HTTP status that the platform's documentation gives for each of its internal codes. */
const statusOfCode: ReadonlyMap<number, number> = new Map([
  [3003, 400],
  [3006, 413],
  [3007, 408],
  [3008, 408],
  [3023, 403],
  [3036, 429],
  [3039, 400],
  [3040, 429],
  [3041, 403],
  [3042, 404],
  [5004, 400],
  [5005, 405],
  [5007, 400],
  [5016, 403],
  [5018, 403],
  [5019, 405],
]);

const ownShape = z.object({
  /** An object when JSON was asked for, a number when the model wrote one, null beside tool calls. */
  response: z.unknown().optional().transform(responseText),
  tool_calls: z.array(toolCallShape).nullish(),
  finish_reason: z.string().nullish(),
  usage: usageShape,
});

/** A provider behind the AI binding. */
export function workersAi(binding: AiBinding, ports: { readonly withDeadline: ProviderDeadline }): ModelProvider {
  const pieces = new StreamPieces(ports.withDeadline);
  return {
    attempt: (model, request, { listener, signal }) => {
      const reply = attemptWithin(ports.withDeadline, request.timeoutMs, signal, async (abort) => {
        let answer: unknown;
        try {
          answer = await binding.run(model, inputs(request, listener !== undefined), { signal: abort });
        } catch (error) {
          throw bindingFailure(error);
        }
        return answer instanceof ReadableStream
          ? readStream(answer, request, listener, pieces)
          : readAnswer(answer, request, listener);
      });
      return pieces.watch(reply);
    },
  };
}

function inputs(request: ModelRequest, stream: boolean): Record<string, unknown> {
  const { toolChoice = "auto", output, temperature, maxOutputTokens, sampling } = request;
  // The binding can't demand one tool by name: it is offered alone, and some tool is demanded.
  const only = typeof toolChoice === "string" ? undefined : toolChoice.tool;
  const tools = (request.tools ?? []).filter((tool) => only === undefined || tool.name === only);
  return {
    messages: request.messages.map(message),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            type: "function",
            function: { name, description, parameters },
          })),
          tool_choice: only === undefined ? toolChoice : "required",
        }),
    ...defined({
      response_format:
        output &&
        (output.type === undefined ? { type: "json_schema", json_schema: output.schema } : { type: output.type }),
      temperature,
      max_tokens: maxOutputTokens,
    }),
    ...(stream ? { stream: true } : {}),
    ...samplingParams(sampling),
  };
}

/** The binding refuses a null content, so there is always a text. */
function message(given: ModelMessage): Record<string, unknown> {
  if (given.role === "tool") return { role: "tool", tool_call_id: given.toolCallId, content: given.content };
  const calls = given.role === "assistant" ? (given.toolCalls ?? []) : [];
  return {
    role: given.role,
    content: given.content,
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(toolCall) }),
  };
}

function readAnswer(answer: unknown, request: ModelRequest, listener: ModelListener | undefined): ProviderReply {
  if (isTooDeep(answer)) throw notAReply();
  const assembler = new ReplyAssembler(listener);
  const completion = completionShape.safeParse(answer);
  const [choice] = completion.success ? completion.data.choices : [];
  if (completion.success && choice !== undefined) {
    assembler.addWhole(choice.message);
    assembler.addFinishReason(choice.finish_reason);
    assembler.addUsage(completion.data.usage);
    return assembler.reply(request);
  }
  const saysSomething =
    typeof answer === "object" && answer !== null && ("response" in answer || "tool_calls" in answer);
  if (!saysSomething) throw errorFrameFailure(answer) ?? notAReply();
  addOwnShape(assembler, answer);
  return assembler.reply(request);
}

async function readStream(
  body: ReadableStream<Uint8Array>,
  request: ModelRequest,
  listener: ModelListener | undefined,
  pieces: StreamPieces,
): Promise<ProviderReply> {
  const assembler = new ReplyAssembler(listener);
  const isFollowed = () => listener?.isFollowed?.() ?? true;
  for await (const together of readEventData(body, { maxBytes: maxStreamBytes, pieces, isFollowed })) {
    for (const data of together) {
      if (data === endMark) return assembler.reply(request);
      const value = parseJson(data);
      const failure = errorFrameFailure(value);
      if (failure !== undefined) throw failure;
      const chunk = chunkShape.safeParse(value);
      if (chunk.success && chunk.data.choices.length > 0) {
        const [first] = chunk.data.choices;
        if (first?.delta) assembler.addDelta(first.delta);
        assembler.addFinishReason(first?.finish_reason);
        assembler.addUsage(chunk.data.usage);
      } else {
        addOwnShape(assembler, value);
      }
      if (assembler.isEnough) return assembler.replySoFar(request);
    }
  }
  if (assembler.hasFinishReason) return assembler.reply(request);
  throw cutStream();
}

function addOwnShape(assembler: ReplyAssembler, value: unknown): void {
  const parsed = ownShape.safeParse(value);
  if (!parsed.success) throw notAReply();
  assembler.addDelta({ content: parsed.data.response, refusal: null, tool_calls: parsed.data.tool_calls });
  assembler.addFinishReason(parsed.data.finish_reason);
  assembler.addUsage(parsed.data.usage);
}

/** The binding throws errors that begin with an internal code: `3040: Capacity temporarily exceeded…`. */
function bindingFailure(error: unknown): ModelError {
  const text = error instanceof Error ? error.message : "";
  const code = Number(/(?:^|\D)([35]\d{3}):/.exec(text)?.[1]);
  const status = statusOfCode.get(code);
  if (status === undefined)
    return new ModelError("unavailable", "Workers AI could not be called", {}, { cause: error });
  if (status < 500 && refusesTools({ message: text })) return toolsRefused(status, { cause: error });
  return new ModelError(kindOfStatus(status), `Workers AI answered with error ${code}`, { status }, { cause: error });
}

function responseText(response: unknown): string {
  if (response === undefined || response === null) return "";
  return typeof response === "object" ? JSON.stringify(response) : String(response);
}

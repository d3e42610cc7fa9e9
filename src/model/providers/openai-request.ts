/** The port's request in the words of the chat-completions API. */

import type OpenAI from "openai";
import { defined } from "../../conversation/defined.js";
import { readJson } from "../../text/json.js";
import type { ModelMessage, ModelRequest, ModelToolCall, OutputFormat, Sampling, ToolChoice } from "../port.js";

type Params = OpenAI.Chat.ChatCompletionCreateParams;
type Message = OpenAI.Chat.ChatCompletionMessageParam;

/** OpenAI's newer models know only the first name, most compatible servers only the second. */
export type OutputLimitField = "max_completion_tokens" | "max_tokens";

/** The body of a chat-completions request. Structured output is `strict` where the caller says so alone: that accepts a part of JSON Schema only. */
export function chatCompletionParams(
  model: string,
  request: ModelRequest,
  options: { readonly stream: boolean; readonly outputLimitField: OutputLimitField },
): Params {
  const { tools = [], toolChoice, output, temperature, maxOutputTokens, sampling } = request;
  return {
    model,
    messages: request.messages.map(message),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, parameters, strict }) => ({
            type: "function" as const,
            function: { name, description, parameters, ...defined({ strict }) },
          })),
          ...(toolChoice === undefined ? {} : { tool_choice: choice(toolChoice) }),
        }),
    ...(output === undefined ? {} : { response_format: responseFormat(output) }),
    ...defined({ temperature }),
    ...(maxOutputTokens === undefined ? {} : { [options.outputLimitField]: maxOutputTokens }),
    ...samplingParams(sampling),
    ...ofHttpApi(sampling),
    ...(options.stream ? { stream: true as const, stream_options: { include_usage: true } } : {}),
  };
}

function responseFormat({
  type,
  name,
  schema,
  description,
  strict,
}: OutputFormat): NonNullable<Params["response_format"]> {
  if (type !== undefined) return { type };
  return { type: "json_schema", json_schema: { name, schema, ...defined({ description, strict }) } };
}

/** What the Workers AI binding doesn't know. */
function ofHttpApi({
  reasoningEffort,
  verbosity,
  logitBias,
}: Sampling = {}): Pick<Params, "reasoning_effort" | "verbosity" | "logit_bias"> {
  return defined({ reasoning_effort: reasoningEffort, verbosity, logit_bias: logitBias });
}

/** As the HTTP API and the Workers AI binding both name it. */
export function samplingParams({ topP, stop, seed }: Sampling = {}): Pick<Params, "top_p" | "stop" | "seed"> {
  return {
    ...defined({ top_p: topP, stop: stop && [...stop], seed }),
  };
}

function message(given: ModelMessage): Message {
  if (given.role === "tool") return { role: "tool", tool_call_id: given.toolCallId, content: given.content };
  if (given.role !== "assistant") return { role: given.role, content: given.content };
  const calls = given.toolCalls ?? [];
  if (calls.length === 0) return { role: "assistant", content: given.content };
  // An empty text beside tool calls is refused by some servers, null by none.
  return { role: "assistant", content: given.content === "" ? null : given.content, tool_calls: calls.map(toolCall) };
}

/** A call of the history, as both the HTTP API and the Workers AI binding take it. */
export function toolCall(call: ModelToolCall): OpenAI.Chat.ChatCompletionMessageFunctionToolCall {
  return { id: call.id, type: "function", function: { name: call.name, arguments: parseable(call.arguments) } };
}

/** Several servers parse the arguments in the history and refuse the whole request over a broken call, so it is wrapped. */
function parseable(text: string): string {
  return readJson(text).problem === undefined ? text : JSON.stringify({ unparsable: text });
}

function choice(toolChoice: ToolChoice): OpenAI.Chat.ChatCompletionToolChoiceOption {
  return typeof toolChoice === "string" ? toolChoice : { type: "function", function: { name: toolChoice.tool } };
}

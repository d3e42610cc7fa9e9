/**
 * What the public compliance suite of Open Responses (2026-04-24) asks over HTTP and in one message over a WebSocket: its scenarios by their
 * ids, with what they send and what they look for. Those that need several messages have tests of their own in `response-socket.test.ts`.
 *
 * Not here: `image-input` and `file-input`, as agents here read text alone (the refusal is tested); `response-output-phase-schema`, which
 * sends nothing; `file-search` and `offline-web-search`, which are optional tools of a provider.
 */
import { defined } from "../../src/conversation/defined.js";

export interface Scenario {
  readonly id: string;
  readonly path?: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly isStream?: boolean;
  /** Types of items that have to be in the output. */
  readonly output?: readonly string[];
  /** Types of events that have to come. */
  readonly events?: readonly string[];
  /** Where it isn't 200. */
  readonly status?: number;
  /** Goes on from the answer, and is held against the same. */
  readonly next?: (answer: { readonly id: string; readonly output: readonly unknown[] }) => Scenario["body"];
}

const user = (content: string) => ({ type: "message", role: "user", content });
const assistant = (content: string, phase?: string) => ({
  type: "message",
  role: "assistant",
  content,
  ...defined({ phase }),
});
const weather = {
  type: "function",
  name: "get_weather",
  description: "Get the current weather for a location",
  parameters: {
    type: "object",
    properties: { location: { type: "string", description: "The city and state, e.g. San Francisco, CA" } },
    required: ["location"],
  },
};
const askWeather = { input: [user("What's the weather like in San Francisco?")], tools: [weather] };

const calledIn = (output: readonly unknown[]): unknown =>
  output.flatMap((item) => (typeof item === "object" && item !== null && "call_id" in item ? [item.call_id] : []))[0];

export const scenarios: readonly Scenario[] = [
  { id: "basic-response", body: { input: [user("Say hello in exactly 3 words.")] }, output: ["message"] },
  {
    id: "assistant-phase",
    body: {
      input: [
        assistant("I should answer with the saved number.", "commentary"),
        assistant("The number is four.", "final_answer"),
        user("Repeat only the number."),
      ],
    },
    output: ["message"],
  },
  { id: "streaming-response", body: { input: [user("Count from 1 to 5.")] }, isStream: true, output: ["message"] },
  {
    id: "system-prompt",
    body: {
      input: [
        { type: "message", role: "system", content: "You are a pirate. Always respond in pirate speak." },
        user("Say hello."),
      ],
    },
    output: ["message"],
  },
  { id: "tool-calling", body: askWeather, output: ["function_call"] },
  {
    id: "tool-calling-streaming",
    body: askWeather,
    isStream: true,
    output: ["function_call"],
    events: [
      "response.output_item.added",
      "response.function_call_arguments.delta",
      "response.function_call_arguments.done",
      "response.output_item.done",
    ],
  },
  {
    id: "function-call-roundtrip",
    body: {
      input: "Use the weather tool to get the temperature in San Francisco.",
      tools: [weather],
      tool_choice: { type: "function", name: "get_weather" },
    },
    next: ({ id, output }) => ({
      previous_response_id: id,
      input: [{ type: "function_call_output", call_id: calledIn(output), output: "64 degrees and clear" }],
    }),
    output: ["message"],
  },
  {
    id: "multi-turn",
    body: {
      input: [
        user("My name is Alice."),
        assistant("Hello Alice! Nice to meet you. How can I help you today?"),
        user("What is my name?"),
      ],
    },
    output: ["message"],
  },
  {
    id: "previous-response-id",
    body: { input: "Remember this code word: papaya. Reply with only OK." },
    next: ({ id }) => ({ previous_response_id: id, input: "What code word did I ask you to remember?" }),
    output: ["message"],
  },
  {
    id: "compact-response",
    path: "/compact",
    body: {
      prompt_cache_key: "openresponses-compact-test",
      input: [
        user("We agreed to launch on Tuesday and notify support first."),
        assistant("Understood. The launch is Tuesday, with support notified beforehand."),
      ],
    },
    output: ["compaction"],
  },
  {
    id: "compact-missing-model",
    path: "/compact",
    body: { model: undefined, input: [user("Compact this conversation.")] },
    status: 400,
  },
];

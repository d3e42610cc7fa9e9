/** Client libraries of OpenAI's chat API, each in its own way, for the table of scenarios. */
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { tool as langchainTool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { Agent, tool as agentTool, OpenAIChatCompletionsModel, Runner } from "@openai/agents";
import { tool as aiTool, generateText, type LanguageModel, stepCountIs, streamText } from "ai";
import OpenAI from "openai";
import { z } from "zod";

interface Connection {
  readonly baseURL: string;
  readonly apiKey: string;
}

export interface Result {
  readonly text: string;
  /** Every piece of it, where it was streamed. */
  readonly pieces?: readonly string[];
  /** Tokens of the question and of the answer, where it was streamed. */
  readonly usage?: readonly [number | undefined, number | undefined];
}

export interface ChatLibrary {
  readonly name: string;
  ask(model: string, question: string): Promise<Result>;
  stream(model: string, question: string): Promise<Result>;
  /** With a tool `get_weather` whose result is "sunny". */
  withTool(model: string, question: string): Promise<Result>;
  /** The same, streamed. */
  streamWithTool(model: string, question: string): Promise<Result>;
  /** Stops reading a streamed answer after its first words. */
  abandon(model: string, question: string): Promise<void>;
}

const place = z.object({ place: z.string() });
const description = "The weather of a place.";
const parameters = { type: "object", properties: { place: { type: "string" } } };

/** @param connect to be called when the Worker runs */
export function chatLibraries(connect: () => Connection): readonly ChatLibrary[] {
  return [
    openAi(connect),
    aiSdk("ai with @ai-sdk/openai-compatible", (model) =>
      createOpenAICompatible({ name: "conclave", includeUsage: true, ...connect() })(model),
    ),
    aiSdk("ai with @ai-sdk/openai, chat", (model) => createOpenAI(connect()).chat(model)),
    langchain(connect),
    agents(connect),
  ];
}

export function openAiClient(connection: Connection): OpenAI {
  return new OpenAI({ ...connection, maxRetries: 0 });
}

function openAi(connect: () => Connection): ChatLibrary {
  const asked = (model: string, content: string) => ({ model, messages: [{ role: "user" as const, content }] });
  const weather = {
    type: "function" as const,
    function: { name: "get_weather", description, parameters, parse: JSON.parse, function: () => "sunny" },
  };
  return {
    name: "openai",
    async ask(model, question) {
      const { choices } = await openAiClient(connect()).chat.completions.create(asked(model, question));
      return { text: choices[0]?.message.content ?? choices[0]?.message.refusal ?? "" };
    },
    async stream(model, question) {
      const pieces: string[] = [];
      const streamOptions = { stream_options: { include_usage: true } };
      const stream = openAiClient(connect()).chat.completions.stream({ ...asked(model, question), ...streamOptions });
      stream.on("content", (piece) => pieces.push(piece));
      const { choices, usage } = await stream.finalChatCompletion();
      const text = choices[0]?.message.content ?? choices[0]?.message.refusal ?? "";
      return { pieces, text, usage: [usage?.prompt_tokens, usage?.completion_tokens] };
    },
    async withTool(model, question) {
      const { completions } = openAiClient(connect()).chat;
      const runner = completions.runTools({ ...asked(model, question), tools: [weather] });
      return { text: (await runner.finalContent()) ?? "" };
    },
    async streamWithTool(model, question) {
      const { completions } = openAiClient(connect()).chat;
      const runner = completions.runTools({ ...asked(model, question), stream: true, tools: [weather] });
      return { text: (await runner.finalContent()) ?? "" };
    },
    async abandon(model, question) {
      const stream = await openAiClient(connect()).chat.completions.create({ ...asked(model, question), stream: true });
      for await (const { choices } of stream) if (choices[0]?.delta.content) break;
    },
  };
}

function aiSdk(name: string, modelNamed: (model: string) => LanguageModel): ChatLibrary {
  const weather = aiTool({ description, inputSchema: place, execute: async () => "sunny" });
  const withWeather = { tools: { get_weather: weather }, stopWhen: stepCountIs(3) };
  return {
    name,
    async ask(model, prompt) {
      const { text } = await generateText({ model: modelNamed(model), prompt, maxRetries: 0 });
      return { text };
    },
    async stream(model, prompt) {
      const pieces: string[] = [];
      const result = streamText({ model: modelNamed(model), prompt, maxRetries: 0, onError: () => {} });
      for await (const piece of result.textStream) pieces.push(piece);
      const { inputTokens, outputTokens } = await result.usage;
      return { pieces, text: pieces.join(""), usage: [inputTokens, outputTokens] };
    },
    async withTool(model, prompt) {
      const { text } = await generateText({ model: modelNamed(model), prompt, ...withWeather });
      return { text };
    },
    async streamWithTool(model, prompt) {
      const { text } = streamText({ model: modelNamed(model), prompt, ...withWeather });
      return { text: await text };
    },
    async abandon(model, prompt) {
      const gone = new AbortController();
      const options = { maxRetries: 0, abortSignal: gone.signal, onError: () => {} };
      for await (const _piece of streamText({ model: modelNamed(model), prompt, ...options }).textStream) gone.abort();
    },
  };
}

function langchain(connect: () => Connection): ChatLibrary {
  const chat = (model: string): ChatOpenAI => {
    const { baseURL, apiKey } = connect();
    return new ChatOpenAI({ model, apiKey, configuration: { baseURL }, maxRetries: 0 });
  };
  const weather = langchainTool(async () => "sunny", { name: "get_weather", description, schema: place });
  const resultsOf = (calls: readonly Parameters<typeof weather.invoke>[0][]) =>
    Promise.all(calls.map((call) => weather.invoke(call)));
  return {
    name: "@langchain/openai",
    async ask(model, question) {
      const { content } = await chat(model).invoke(question);
      return { text: String(content) };
    },
    async stream(model, question) {
      const pieces: string[] = [];
      let usage: Result["usage"];
      for await (const chunk of await chat(model).stream(question)) {
        pieces.push(String(chunk.content));
        const counted = z.object({ input_tokens: z.int(), output_tokens: z.int() }).safeParse(chunk.usage_metadata);
        if (counted.success) usage = [counted.data.input_tokens, counted.data.output_tokens];
      }
      return { pieces, text: pieces.join(""), ...(usage === undefined ? {} : { usage }) };
    },
    async withTool(model, question) {
      const bound = chat(model).bindTools([weather]);
      const called = await bound.invoke(question);
      const results = await resultsOf((called.tool_calls ?? []).map((call) => ({ ...call, type: "tool_call" })));
      const { content } = await bound.invoke([{ role: "user", content: question }, called, ...results]);
      return { text: String(content) };
    },
    async streamWithTool(model, question) {
      const bound = chat(model).bindTools([weather]);
      const [first, ...rest] = await all(await bound.stream(question));
      if (first === undefined) return { text: "" };
      const called = rest.reduce((whole, chunk) => whole.concat(chunk), first);
      const results = await resultsOf((called.tool_calls ?? []).map((call) => ({ ...call, type: "tool_call" })));
      const answer = await bound.stream([{ role: "user", content: question }, called, ...results]);
      return { text: (await all(answer)).map(({ content }) => String(content)).join("") };
    },
    async abandon(model, question) {
      const gone = new AbortController();
      const read = async (): Promise<void> => {
        for await (const { content } of await chat(model).stream(question, { signal: gone.signal }))
          if (content !== "") gone.abort();
      };
      await read().catch(() => {});
    },
  };
}

function agents(connect: () => Connection): ChatLibrary {
  const weather = agentTool({ name: "get_weather", description, parameters: place, execute: async () => "sunny" });
  const agent = (model: string, tools: ReturnType<typeof agentTool>[] = []) =>
    new Agent({
      ...{ name: "caller", instructions: "Be brief.", tools },
      model: new OpenAIChatCompletionsModel(openAiClient(connect()), model),
    });
  const runner = (): Runner => new Runner({ tracingDisabled: true });
  return {
    name: "@openai/agents",
    async ask(model, question) {
      const { finalOutput } = await runner().run(agent(model), question);
      return { text: finalOutput ?? "" };
    },
    async stream(model, question) {
      const pieces: string[] = [];
      const result = await runner().run(agent(model), question, { stream: true });
      for await (const piece of result.toTextStream()) pieces.push(piece);
      await result.completed;
      const { usage } = result.rawResponses[0] ?? {};
      return { pieces, text: pieces.join(""), usage: [usage?.inputTokens, usage?.outputTokens] };
    },
    async withTool(model, question) {
      const { finalOutput } = await runner().run(agent(model, [weather]), question);
      return { text: finalOutput ?? "" };
    },
    async streamWithTool(model, question) {
      const result = await runner().run(agent(model, [weather]), question, { stream: true });
      await result.completed;
      return { text: result.finalOutput ?? "" };
    },
    async abandon(model, question) {
      const gone = new AbortController();
      const result = await runner().run(agent(model), question, { stream: true, signal: gone.signal });
      const abandoned = result.completed.catch(() => {});
      for await (const _piece of result.toTextStream()) gone.abort();
      await abandoned;
    },
  };
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const seen: T[] = [];
  for await (const item of items) seen.push(item);
  return seen;
}

/** Client libraries of OpenAI's Responses API, each in its own way, for the table of scenarios. */
import { createOpenAI } from "@ai-sdk/openai";
import { tool as langchainTool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { Agent, tool as agentTool, OpenAIResponsesModel, Runner } from "@openai/agents";
import { tool as aiTool, generateText, stepCountIs, streamText } from "ai";
import OpenAI from "openai";
import { z } from "zod";

export interface Connection {
  readonly baseURL: string;
  readonly apiKey: string;
}

interface Result {
  readonly text: string;
  /** Every piece of it, where it was streamed. */
  readonly pieces?: readonly string[];
}

const place = z.object({ place: z.string() });
const description = "The weather of a place.";
const parameters = {
  type: "object",
  properties: { place: { type: "string" } },
  required: ["place"],
  additionalProperties: false,
};

/** @param connect to be called when the Worker runs */
export function responsesLibraries(connect: () => Connection) {
  const client = (): OpenAI => new OpenAI({ ...connect(), maxRetries: 0 });
  const provider = () => createOpenAI(connect());
  const chat = (model: string, modelKwargs: Record<string, unknown> = {}): ChatOpenAI => {
    const { baseURL, apiKey } = connect();
    const configuration = { baseURL };
    return new ChatOpenAI({ model, apiKey, useResponsesApi: true, configuration, modelKwargs, maxRetries: 0 });
  };
  const agent = (model: string, tools: ReturnType<typeof agentTool>[] = []) =>
    new Agent({
      ...{ name: "caller", instructions: "Be brief.", tools },
      model: new OpenAIResponsesModel(client(), model),
    });
  const runner = (): Runner => new Runner({ tracingDisabled: true });

  const openai = {
    name: "openai, responses",
    async ask(model: string, input: string): Promise<Result> {
      return { text: saidBy(await client().responses.create({ model, input })) };
    },
    async stream(model: string, input: string): Promise<Result> {
      const pieces: string[] = [];
      const stream = client().responses.stream({ model, input });
      stream.on("response.output_text.delta", ({ delta }) => pieces.push(delta));
      return { pieces, text: saidBy(await stream.finalResponse()) };
    },
    async withTool(model: string, input: string): Promise<Result> {
      const tools = [{ type: "function" as const, name: "get_weather", description, parameters, strict: true }];
      const asked = await client().responses.create({ model, input, tools });
      const results = asked.output.flatMap((item) =>
        item.type === "function_call"
          ? [{ type: "function_call_output" as const, call_id: item.call_id, output: "sunny" }]
          : [],
      );
      const request = { model, input: results, tools, previous_response_id: asked.id };
      return { text: saidBy(await client().responses.create(request)) };
    },
    async abandon(model: string, input: string): Promise<void> {
      const stream = await client().responses.create({ model, input, stream: true, store: false });
      for await (const event of stream) if (event.type === "response.output_text.delta") break;
    },
  };

  const ai = {
    name: "ai with @ai-sdk/openai",
    async ask(model: string, prompt: string): Promise<Result> {
      const { text } = await generateText({ model: provider()(model), prompt, maxRetries: 0 });
      return { text };
    },
    async stream(model: string, prompt: string): Promise<Result> {
      const pieces: string[] = [];
      const result = streamText({ model: provider()(model), prompt, maxRetries: 0, onError: () => {} });
      for await (const piece of result.textStream) pieces.push(piece);
      return { pieces, text: pieces.join("") };
    },
    async withTool(model: string, prompt: string): Promise<Result> {
      const weather = aiTool({ description, inputSchema: place, execute: async () => "sunny" });
      const { text } = await generateText({
        ...{ model: provider()(model), prompt, tools: { get_weather: weather }, stopWhen: stepCountIs(3) },
      });
      return { text };
    },
    async abandon(model: string, prompt: string): Promise<void> {
      const gone = new AbortController();
      const providerOptions = { openai: { store: false } };
      const result = streamText({
        ...{ model: provider()(model), prompt, providerOptions, abortSignal: gone.signal, onError: () => {} },
      });
      for await (const _piece of result.textStream) gone.abort();
    },
  };

  const langchain = {
    name: "@langchain/openai, responses",
    async ask(model: string, question: string): Promise<Result> {
      const { text } = await chat(model).invoke(question);
      return { text };
    },
    async stream(model: string, question: string): Promise<Result> {
      const pieces: string[] = [];
      for await (const { text } of await chat(model).stream(question)) pieces.push(text);
      return { pieces, text: pieces.join("") };
    },
    async withTool(model: string, question: string): Promise<Result> {
      const weather = langchainTool(async () => "sunny", { name: "get_weather", description, schema: place });
      const bound = chat(model).bindTools([weather]);
      const called = await bound.invoke(question);
      const results = await Promise.all(
        (called.tool_calls ?? []).map((call) => weather.invoke({ ...call, type: "tool_call" })),
      );
      const { text } = await bound.invoke([{ role: "user", content: question }, called, ...results]);
      return { text };
    },
    async abandon(model: string, question: string): Promise<void> {
      const gone = new AbortController();
      const stream = await chat(model, { store: false }).stream(question, { signal: gone.signal });
      const read = async (): Promise<void> => {
        for await (const { text } of stream) if (text !== "") gone.abort();
      };
      await read().catch(() => {});
    },
  };

  const agents = {
    name: "@openai/agents, responses",
    async ask(model: string, question: string): Promise<Result> {
      const { finalOutput } = await runner().run(agent(model), question);
      return { text: finalOutput ?? "" };
    },
    async stream(model: string, question: string): Promise<Result> {
      const pieces: string[] = [];
      const result = await runner().run(agent(model), question, { stream: true });
      for await (const piece of result.toTextStream()) pieces.push(piece);
      await result.completed;
      return { pieces, text: pieces.join("") };
    },
    async withTool(model: string, question: string): Promise<Result> {
      const weather = agentTool({ name: "get_weather", description, parameters: place, execute: async () => "sunny" });
      const { finalOutput } = await runner().run(agent(model, [weather]), question);
      return { text: finalOutput ?? "" };
    },
    async abandon(model: string, question: string): Promise<void> {
      const gone = new AbortController();
      const unstored = agent(model).clone({ modelSettings: { store: false } });
      const result = await runner().run(unstored, question, { stream: true, signal: gone.signal });
      const abandoned = result.completed.catch(() => {});
      for await (const _piece of result.toTextStream()) gone.abort();
      await abandoned;
    },
  };

  return [openai, ai, langchain, agents];
}

/** What it said, or why it didn't. */
function saidBy({ output }: { readonly output: readonly OpenAI.Responses.ResponseOutputItem[] }): string {
  return output
    .flatMap((item) => (item.type === "message" ? item.content : []))
    .map((part) => (part.type === "output_text" ? part.text : part.refusal))
    .join("");
}

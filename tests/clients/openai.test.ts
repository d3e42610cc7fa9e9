/** Client libraries of OpenAI's API that nobody here wrote: one table of scenarios, each library in its own way. */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { tool as langchainTool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { Agent, tool as agentTool, OpenAIChatCompletionsModel, Runner } from "@openai/agents";
import { tool as aiTool, generateText, stepCountIs, streamText } from "ai";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { z } from "zod";
import { WorkerProcess } from "../process/worker.js";
import { type UpstreamModel, upstreamFor } from "../support/upstream-client.js";
import { responsesLibraries } from "./responses-libraries.js";

interface Result {
  readonly text: string;
  /** Every piece of it, where it was streamed. */
  readonly pieces?: readonly string[];
}

interface Library {
  readonly name: string;
  ask(model: string, question: string): Promise<Result>;
  stream(model: string, question: string): Promise<Result>;
  /** With a tool `get_weather` whose result is "sunny". */
  withTool(model: string, question: string): Promise<Result>;
}

let worker: WorkerProcess;
let key: string;
const baseURL = (): string => `${worker.variables.URL}/v1`;

beforeAll(async () => {
  worker = new WorkerProcess(inject("upstreamUrl"));
  await worker.start();
  key = await worker.tenantKey();
  await worker.call("PUT", "/v1/supervisors/guard", key, {
    kind: "rules",
    hooks: ["request", "response"],
    config: { rules: [{ match: { type: "phrases", phrases: ["giraffe"] }, action: "block", reason: "No." }] },
  });
}, 120_000);

afterAll(() => worker?.end());

async function newAgent(): Promise<{ name: string; model: UpstreamModel }> {
  const model = upstreamFor(inject("upstreamUrl"));
  const name = `a${model.model.slice(-12)}`;
  await worker.call("PUT", `/v1/agents/${name}`, key, {
    ...{ kind: "model", model: `openai/${model.model}`, instructions: "Help.", supervisors: ["guard"] },
    tools: ["conclave/ask_human"],
  });
  return { name, model };
}

const place = z.object({ place: z.string() });
const description = "The weather of a place.";

const openai: Library = {
  name: "openai",
  async ask(model, question) {
    const { choices } = await client().chat.completions.create({
      model,
      messages: [{ role: "user", content: question }],
    });
    return { text: choices[0]?.message.content ?? choices[0]?.message.refusal ?? "" };
  },
  async stream(model, question) {
    const pieces: string[] = [];
    const stream = client().chat.completions.stream({ model, messages: [{ role: "user", content: question }] });
    stream.on("content", (piece) => pieces.push(piece));
    const { choices } = await stream.finalChatCompletion();
    return { pieces, text: choices[0]?.message.content ?? choices[0]?.message.refusal ?? "" };
  },
  async withTool(model, question) {
    const parameters = { type: "object", properties: { place: { type: "string" } } };
    const runner = client().chat.completions.runTools({
      model,
      messages: [{ role: "user", content: question }],
      tools: [
        {
          type: "function",
          function: { name: "get_weather", description, parameters, parse: JSON.parse, function: () => "sunny" },
        },
      ],
    });
    return { text: (await runner.finalContent()) ?? "" };
  },
};

const ai: Library = {
  name: "ai with @ai-sdk/openai-compatible",
  async ask(model, prompt) {
    const { text } = await generateText({ model: provider()(model), prompt, maxRetries: 0 });
    return { text };
  },
  async stream(model, prompt) {
    const pieces: string[] = [];
    const result = streamText({ model: provider()(model), prompt, maxRetries: 0, onError: () => {} });
    for await (const piece of result.textStream) pieces.push(piece);
    return { pieces, text: pieces.join("") };
  },
  async withTool(model, prompt) {
    const weather = aiTool({ description, inputSchema: place, execute: async () => "sunny" });
    const { text } = await generateText({
      model: provider()(model),
      prompt,
      tools: { get_weather: weather },
      stopWhen: stepCountIs(3),
    });
    return { text };
  },
};

const langchain: Library = {
  name: "@langchain/openai",
  async ask(model, question) {
    const { content } = await chat(model).invoke(question);
    return { text: String(content) };
  },
  async stream(model, question) {
    const pieces: string[] = [];
    for await (const piece of await chat(model).stream(question)) pieces.push(String(piece.content));
    return { pieces, text: pieces.join("") };
  },
  async withTool(model, question) {
    const weather = langchainTool(async () => "sunny", { name: "get_weather", description, schema: place });
    const bound = chat(model).bindTools([weather]);
    const called = await bound.invoke(question);
    const results = await Promise.all(
      (called.tool_calls ?? []).map((call) => weather.invoke({ ...call, type: "tool_call" })),
    );
    const { content } = await bound.invoke([{ role: "user", content: question }, called, ...results]);
    return { text: String(content) };
  },
};

const agents: Library = {
  name: "@openai/agents",
  async ask(model, question) {
    const { finalOutput } = await new Runner({ tracingDisabled: true }).run(agent(model), question);
    return { text: finalOutput ?? "" };
  },
  async stream(model, question) {
    const pieces: string[] = [];
    const result = await new Runner({ tracingDisabled: true }).run(agent(model), question, { stream: true });
    for await (const piece of result.toTextStream()) pieces.push(piece);
    await result.completed;
    return { pieces, text: pieces.join("") };
  },
  async withTool(model, question) {
    const weather = agentTool({ name: "get_weather", description, parameters: place, execute: async () => "sunny" });
    const { finalOutput } = await new Runner({ tracingDisabled: true }).run(agent(model, [weather]), question);
    return { text: finalOutput ?? "" };
  },
};

function client(): OpenAI {
  return new OpenAI({ baseURL: baseURL(), apiKey: key, maxRetries: 0 });
}

function provider() {
  return createOpenAICompatible({ name: "conclave", baseURL: baseURL(), apiKey: key });
}

function chat(model: string): ChatOpenAI {
  return new ChatOpenAI({ model, apiKey: key, configuration: { baseURL: baseURL() }, maxRetries: 0 });
}

function agent(model: string, tools: ReturnType<typeof agentTool>[] = []) {
  return new Agent({
    name: "caller",
    instructions: "Be brief.",
    model: new OpenAIChatCompletionsModel(client(), model),
    tools,
  });
}

const responses = responsesLibraries(() => ({ baseURL: baseURL(), apiKey: key }));

describe.each([openai, ai, langchain, agents, ...responses])(
  "$name",
  (library) => {
    it("gets an answer, whole and as a stream", async () => {
      const { name, model } = await newAgent();
      await model.reply({ text: "Lyon is in France." }, { chunks: ["Lyon ", "is in ", "France."] });
      expect((await library.ask(name, "Where?")).text).toBe("Lyon is in France.");
      expect((await library.stream(name, "Where?")).text).toBe("Lyon is in France.");
    });

    it("calls its own tool, and gets the answer that is made of the result", async () => {
      const { name, model } = await newAgent();
      await model.reply(
        { toolCalls: [{ name: "get_weather", arguments: { place: "Lyon" } }] },
        { text: "It is sunny." },
      );
      expect((await library.withTool(name, "The weather in Lyon?")).text).toBe("It is sunny.");
      expect(JSON.stringify((await model.requests())[1]?.body)).toContain("sunny");
    });

    it("shows no byte of what was blocked, streamed or not", async () => {
      const { name, model } = await newAgent();
      const forbidden = { chunks: ["I saw a gir", "af", "fe there."] };
      await model.reply({ text: "I saw a giraffe there." }, forbidden);
      for (const ask of [library.ask, library.stream]) {
        // Some libraries throw at a refusal, some give an empty text.
        const { text, pieces = [] } = await ask(name, "What did you see?").catch(
          (error: unknown): Result => ({ text: String(error) }),
        );
        expect([text, ...pieces].join(" ")).not.toMatch(/gir|af+e/);
      }
    });

    it("reads a question as the answer", async () => {
      const { name, model } = await newAgent();
      await model.reply({ toolCalls: [{ name: "ask_human", arguments: { question: "Which invoice?" } }] });
      expect((await library.ask(name, "Is it paid?")).text).toMatch(/^Which invoice\?\n(.*\n)*\[ask_/);
    });

    it("throws with our words where there is no such agent", async () => {
      await expect(library.ask("nobody", "Hello?")).rejects.toThrow(/no agent "nobody"/);
    });
  },
  60_000,
);

it.each(responses)(
  "$name takes the model call with it when it stops reading",
  async ({ abandon }) => {
    const { name, model } = await newAgent();
    const words = "One two three four five. ".repeat(20);
    await model.reply({ chunks: [words, "six"], hold: { name: "never", afterChunks: 1 } });
    await abandon(name, "Count.");
    await model.until({ aborted: 1 }, 20_000);
  },
  60_000,
);

it("openai's client reads a stored response again, goes on from it, and deletes it", async () => {
  const { name, model } = await newAgent();
  await model.reply({ text: "OK." }, { text: "papaya" });
  const { responses: api } = client();
  const first = await api.create({ model: name, input: "Remember papaya." });
  expect((await api.retrieve(first.id)).output_text).toBe("OK.");
  const second = await api.create({ model: name, input: "Which word?", previous_response_id: first.id });
  expect(second.output_text).toBe("papaya");
  await api.delete(first.id);
  await expect(api.retrieve(first.id)).rejects.toThrow(OpenAI.NotFoundError);
  const compacted = await api.compact({ model: name, previous_response_id: second.id }).catch((error) => error);
  expect(compacted).not.toBeInstanceOf(OpenAI.BadRequestError);
}, 60_000);

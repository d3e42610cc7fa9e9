/** Client libraries of OpenAI's API that nobody here wrote: one table of scenarios, each library in its own way. */
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { WorkerProcess } from "../process/worker.js";
import { type UpstreamModel, upstreamFor } from "../support/upstream-client.js";
import { chatLibraries, openAiClient, type Result } from "./chat-libraries.js";
import { responsesLibraries } from "./responses-libraries.js";

let worker: WorkerProcess;
let key: string;
const connection = () => ({ baseURL: `${worker.variables.URL}/v1`, apiKey: key });

beforeAll(async () => {
  worker = new WorkerProcess(inject("upstreamUrl"));
  await worker.start();
  key = await worker.tenantKey();
  await worker.call("PUT", "/v1/supervisors/guard", key, {
    kind: "rules",
    hooks: ["request", "response"],
    config: { rules: [{ match: { type: "phrases", phrases: ["giraffe"] }, action: "block", reason: "No." }] },
  });
});

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

const chat = chatLibraries(connection);
const libraries = [...chat, ...responsesLibraries(connection)];

describe.each(libraries)("$name", (library) => {
  it("gets an answer, whole and as a stream", async () => {
    const { name, model } = await newAgent();
    await model.reply({ text: "Lyon is in France." }, { chunks: ["Lyon ", "is in ", "France."] });
    expect((await library.ask(name, "Where?")).text).toBe("Lyon is in France.");
    expect((await library.stream(name, "Where?")).text).toBe("Lyon is in France.");
  });

  it("calls its own tool, and gets the answer that is made of the result", async () => {
    expect(await weatherWith(library.withTool)).toBe("It is sunny.");
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
      expect([text, ...pieces].join(" ")).not.toMatch(/gir|fe there/);
    }
  });

  it("reads a question as the answer", async () => {
    const { name, model } = await newAgent();
    await model.reply({ toolCalls: [{ name: "ask_human", arguments: { question: "Which invoice?" } }] });
    expect((await library.ask(name, "Is it paid?")).text).toMatch(/^Which invoice\?\n(.*\n)*\[ask_/);
  });

  it("throws with our words where there is no such agent, and where no model answers", async () => {
    await expect(library.ask("nobody", "Hello?")).rejects.toThrow(/no agent "nobody"/);
    const { name, model } = await newAgent();
    await model.reply({ status: 400, body: { error: { message: "The key of the upstream is sk-secret." } } });
    const failed = library.ask(name, "Hello?");
    await expect(failed).rejects.toThrow();
    await expect(failed).rejects.not.toThrow(/sk-secret/);
  });
});

describe.each(chat)("$name", (library) => {
  it("counts the tokens of a streamed answer", async () => {
    const { name, model } = await newAgent();
    await model.reply({ text: "Lyon is in France.", usage: { inputTokens: 7, outputTokens: 4 } });
    expect((await library.stream(name, "Where?")).usage).toEqual([7, 4]);
  });

  it("calls its own tool in a streamed answer", async () => {
    expect(await weatherWith(library.streamWithTool)).toBe("It is sunny.");
  });
});

/** What is said in the end, once the tool's result has come to the model. */
async function weatherWith(ask: (model: string, question: string) => Promise<Result>): Promise<string> {
  const { name, model } = await newAgent();
  await model.reply({ toolCalls: [{ name: "get_weather", arguments: { place: "Lyon" } }] }, { text: "It is sunny." });
  const { text } = await ask(name, "The weather in Lyon?");
  expect(JSON.stringify((await model.requests())[1]?.body)).toContain("sunny");
  return text;
}

it("any of them that stops reading takes the model call with it, though the model says nothing more", async () => {
  await Promise.all(
    libraries.map(async ({ abandon }) => {
      const { name, model } = await newAgent();
      // The rules let words go once enough have come after them.
      await model.reply({
        chunks: ["One two three four. ".repeat(20), "five"],
        hold: { name: "never", afterChunks: 1 },
      });
      await abandon(name, "Count.");
      await model.until({ aborted: 1 }, 30_000);
    }),
  );
});

it("openai's client passes on how the model is to answer, and is told what isn't done", async () => {
  const { name, model } = await newAgent();
  await model.reply({ text: "One" });
  const { completions } = openAiClient(connection()).chat;
  const asked = { model: name, messages: [{ role: "user" as const, content: "Count." }] };
  await completions.create({ ...asked, stop: ["END"], seed: 7 });
  expect((await model.requests())[0]?.body).toMatchObject({ stop: ["END"], seed: 7 });
  const refused = await completions.create({ ...asked, n: 2 }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(OpenAI.BadRequestError);
  expect(refused).toMatchObject({ param: "n", code: "invalid_value" });
  const stranger = openAiClient({ ...connection(), apiKey: "cnk_wrong" }).chat.completions.create(asked);
  await expect(stranger).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
});

it("openai's client reads a stored response again, goes on from it, and deletes it", async () => {
  const { name, model } = await newAgent();
  await model.reply({ text: "OK." }, { text: "papaya" });
  const { responses } = openAiClient(connection());
  const first = await responses.create({ model: name, input: "Remember papaya." });
  expect((await responses.retrieve(first.id)).output_text).toBe("OK.");
  const second = await responses.create({ model: name, input: "Which word?", previous_response_id: first.id });
  expect(second.output_text).toBe("papaya");
  await responses.delete(first.id);
  await expect(responses.retrieve(first.id)).rejects.toThrow(OpenAI.NotFoundError);
  const compacted = await responses.compact({ model: name, previous_response_id: second.id }).catch((error) => error);
  expect(compacted).not.toBeInstanceOf(OpenAI.BadRequestError);
});

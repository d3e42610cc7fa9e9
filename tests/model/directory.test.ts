import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { availableModels, createModelPort, type ModelConfig } from "../../src/model/directory.js";
import { startUpstream } from "../support/scripted-upstream.js";
import { upstreamFor } from "../support/upstream-client.js";
import { ask, failureOf, harnessFor, SECRET, testPorts } from "./harness.js";

let server: Awaited<ReturnType<typeof startUpstream>>;
beforeAll(async () => {
  server = await startUpstream();
});
afterAll(() => server.stop());

const openAiAt = (baseURL: string) => ({ OPENAI_API_KEY: SECRET, OPENAI_BASE_URL: baseURL });
const AI = { run: async (model: string) => ({ response: `from ${model}` }) };

describe("the names of models", () => {
  it.each(["nobody/model", "acme", "acme/", "offline/large", "", "openai/gpt-5", "workers-ai/x", "__proto__/x"])(
    "knows no %j, and says what there is",
    async (name) => {
      const upstream = upstreamFor(server.url);
      const error = await failureOf(harnessFor(upstream).port.call(ask("Hello", { models: [name] })));
      expect(error.kind).toBe("unknown_model");
      expect(error.message).toContain("available: default, offline, acme/<model>");
    },
  );

  it.each([
    ["openai/gpt-5", "it takes the deployment's OPENAI_API_KEY"],
    ["workers-ai/x", "it takes the binding AI"],
    ["nobody/model", 'name no provider "nobody"'],
  ])("says of %j what it would take", async (name, what) => {
    const error = await failureOf(harnessFor(upstreamFor(server.url)).port.call(ask("Hello", { models: [name] })));
    expect(error.message).toContain(what);
  });

  it("lists what is configured", () => {
    const config: ModelConfig = {
      deployment: { OPENAI_API_KEY: SECRET, AI },
      providers: { acme: { baseURL: "https://acme", apiKey: "" } },
    };
    expect(availableModels(config)).toEqual([
      "default",
      "offline",
      "openai/<model>",
      "workers-ai/<model>",
      "acme/<model>",
    ]);
  });

  it("keeps the slashes of a model's own name", async () => {
    const port = createModelPort({ deployment: { AI } }, testPorts());
    const result = await port.call(ask("Hello", { models: ["workers-ai/@cf/meta/llama"] }));
    expect(result).toMatchObject({ text: "from @cf/meta/llama", model: "workers-ai/@cf/meta/llama" });
  });

  it("calls OpenAI with the field that its newer models want", async () => {
    const upstream = upstreamFor(server.url);
    await upstream.reply({ text: "ok" });
    const { port } = harnessFor(upstream, { deployment: openAiAt(upstream.baseURL) });
    await port.call(ask("Hello", { models: [`openai/${upstream.model}`], maxOutputTokens: 50 }));
    expect((await upstream.requests())[0]?.body).toMatchObject({ max_completion_tokens: 50 });
  });
});

describe("the default model", () => {
  const defaultOf = async (config: ModelConfig) => {
    const port = createModelPort({ retry: { attemptsPerModel: 1 }, ...config }, testPorts());
    const { model, metadata } = await port.call(ask("Hello", { models: ["default"] }));
    return [model, metadata?.defaultModel];
  };

  it("is OpenAI's where that is configured", async () => {
    const upstream = upstreamFor(server.url);
    await upstream.reply({ text: "ok" });
    expect(
      await defaultOf({ deployment: { ...openAiAt(upstream.baseURL), AI }, defaultModel: upstream.model }),
    ).toEqual(["default", `openai/${upstream.model}`]);
  });

  it("is gpt-5-mini unless another is named", async () => {
    const upstream = upstreamFor(server.url, "gpt-5-mini");
    await upstream.reply({ text: "ok" });
    expect(await defaultOf({ deployment: openAiAt(upstream.baseURL) })).toEqual(["default", "openai/gpt-5-mini"]);
  });

  it("is Workers AI's where only that is bound", async () => {
    const [model, meaning] = await defaultOf({ deployment: { AI } });
    expect(model).toBe("default");
    expect(meaning).toMatch(/^workers-ai\/@cf\//);
  });

  it("is a provider's own where the configuration names it", async () => {
    const upstream = upstreamFor(server.url);
    await upstream.reply({ text: "ok" });
    const providers = { acme: { baseURL: upstream.baseURL, apiKey: SECRET } };
    expect(await defaultOf({ deployment: { AI }, providers, defaultModel: `acme/${upstream.model}` })).toEqual([
      "default",
      `acme/${upstream.model}`,
    ]);
  });

  it("is the offline model where there is nothing else", async () => {
    expect(await defaultOf({})).toEqual(["default", "offline"]);
  });
});

import { describe, expect, it } from "vitest";
import { refusesTools } from "../../src/model/providers/tool-refusal.js";

describe("a provider's refusal", () => {
  it.each([
    ['400 "registry.ollama.ai/library/gemma3:4b does not support tools"', undefined],
    ["Unsupported parameter: 'tools' is not supported with this model.", "tools"],
    ['"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set', undefined],
    ["No endpoints found that support tool use.", undefined],
    ["`tool calling` is not supported with this model", undefined],
    ["tools param requires --jinja flag", undefined],
    ["deepseek-reasoner does not support Function Calling", undefined],
    ["Function calling is not enabled for this model", undefined],
    ["Unrecognized request argument supplied: functions", undefined],
    ["Thinking mode does not support this tool_choice", undefined],
    ["tools are not supported", undefined],
  ])("of tools is known as one: %s", (message, param) => {
    expect(refusesTools({ message, param })).toBe(true);
  });

  it.each([
    ["This model's maximum context length is 8192 tokens.", "messages"],
    ["Invalid schema for function 'find_order': schema must be of type object", "tools[0].function.parameters"],
    ["Invalid 'tools': array too long. Expected at most 128.", "tools"],
    ["The model `gpt-9` does not exist or you do not have access to it.", undefined],
    ["Unsupported value: 'temperature' does not support 0.2 with this model.", "temperature"],
    ["400 status code (no body)", undefined],
  ])("of something else isn't: %s", (message, param) => {
    expect(refusesTools({ message, param })).toBe(false);
  });
});

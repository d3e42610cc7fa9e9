import { afterEach, expect, it, vi } from "vitest";
import { streamResponse } from "../../src/openai/stream.js";

afterEach(() => {
  vi.useRealTimers();
});

it("a stream that has nothing to say for a while says so in a comment, and loses no line over it", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  let go = (_line: string): void => {};
  async function* lines(): AsyncGenerator<string> {
    yield "data: one\n\n";
    yield await new Promise<string>((resolve) => {
      go = resolve;
    });
  }
  const reader = streamResponse(lines(), () => {}, {})
    .body?.pipeThrough(new TextDecoderStream())
    .getReader();
  const read = async () => (await reader?.read())?.value;
  expect(await read()).toBe("data: one\n\n");
  for (let silences = 0; silences < 2; silences++) {
    const comment = read();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await comment).toBe(": still here\n\n");
  }
  go("data: two\n\n");
  expect(await read()).toBe("data: two\n\n");
  expect((await reader?.read())?.done).toBe(true);
});

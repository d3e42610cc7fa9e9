import { describe, expect, it } from "vitest";
import { readEventData } from "../../src/model/providers/server-sent-events.js";

async function read(text: string, piece = 1): Promise<string[]> {
  const bytes = new TextEncoder().encode(text);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += piece) controller.enqueue(bytes.slice(at, at + piece));
      controller.close();
    },
  });
  const events: string[] = [];
  for await (const together of readEventData(body)) events.push(...together);
  return events;
}

describe("server-sent events", () => {
  it.each([
    ["line feeds", "data: one\n\ndata: two\n\n", ["one", "two"]],
    ["carriage returns", "data: one\r\n\r\ndata: two\r\n\r\n", ["one", "two"]],
    ["no space after the colon", "data:one\n\n", ["one"]],
    ["several lines of data", "data: one\ndata: two\n\n", ["one\ntwo"]],
    ["comments and other fields", ": ping\n\nevent: x\nid: 1\ndata: one\nretry: 5\n\n", ["one"]],
    ["more blank lines than needed", "\n\n\ndata: one\n\n\n\n", ["one"]],
    ["a whole event without its blank line", 'data: {"a":1}\n', ['{"a":1}']],
    ["an end mark without its blank line", "data: [DONE]", ["[DONE]"]],
    ["a torn event at the end", 'data: one\n\ndata: {"a":', ["one"]],
    ["characters of several bytes", "data: Grüße 🌍\n\n", ["Grüße 🌍"]],
    ["nothing", "", []],
  ])("%s", async (_name, text, expected) => {
    for (const piece of [1, 2, 3, 1_000]) expect(await read(text, piece)).toEqual(expected);
  });

  it("lets go of the body when the reader stops early", async () => {
    let cancelled = false;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new TextEncoder().encode("data: more\n\n")),
      cancel: () => {
        cancelled = true;
      },
    });
    for await (const together of readEventData(body)) {
      expect(together).toEqual(["more"]);
      break;
    }
    expect(cancelled).toBe(true);
  });
});

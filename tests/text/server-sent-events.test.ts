import { describe, expect, it } from "vitest";
import { ServerSentEventParser, type StreamBlock } from "../../src/text/server-sent-events.js";
import { slowness } from "../support/growth.js";

const none: StreamBlock = { event: undefined, id: undefined, data: undefined, comment: undefined };

/** What is read of a text that comes in pieces of this length. */
function read(text: string, length: number): StreamBlock[] {
  const parser = new ServerSentEventParser();
  const pieces = Array.from({ length: Math.ceil(text.length / length) }, (_, at) =>
    text.slice(at * length, (at + 1) * length),
  );
  return pieces.flatMap((piece) => parser.push(piece));
}

describe("server-sent events in text", () => {
  it.each([
    [
      "an event with all its fields",
      "id: 7\nevent: said\ndata: hi\n\n",
      [{ ...none, id: "7", event: "said", data: "hi" }],
    ],
    ["several lines of data", "data: one\ndata:two\n\n", [{ ...none, data: "one\ntwo" }]],
    ["a comment", ": caught up\n\n", [{ ...none, comment: "caught up" }]],
    [
      "carriage returns",
      "data: one\r\n\r\ndata: two\r\n\r\n",
      [
        { ...none, data: "one" },
        { ...none, data: "two" },
      ],
    ],
    ["a value with spaces and colons", "data:  a: b \n\n", [{ ...none, data: " a: b " }]],
    ["fields it doesn't know", "retry: 5\ndatum: x\ndata: y\n\n", [{ ...none, data: "y" }]],
    ["blank lines alone", "\n\n\n", []],
    ["nothing before its blank line", "event: said\ndata: h", []],
  ])("%s, however the text is split", (_name, text, expected) => {
    for (const length of [1, 2, 3, 1_000]) expect(read(text, length)).toEqual(expected);
  });

  it("gives what stands behind the last blank line when asked for it", () => {
    for (const text of ["data: one\n\ndata: two", "data: one\n\ndata: two\n"]) {
      const parser = new ServerSentEventParser();
      expect(parser.push(text)).toEqual([{ ...none, data: "one" }]);
      expect(parser.rest()).toEqual({ ...none, data: "two" });
      expect(parser.rest()).toBeUndefined();
    }
  });

  it("reads a line that comes in very many pieces in time that grows with its length alone", () => {
    const inPieces = (text: string) => {
      const parser = new ServerSentEventParser();
      for (const piece of text.match(/.{1,10}/g) ?? []) parser.push(piece);
      expect(parser.push("\n\n")).toHaveLength(1);
    };
    expect(slowness(inPieces, ["", "data: aaaa", ""], 512_000)).toBeUndefined();
  });
});

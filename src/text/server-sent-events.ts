/** Server-sent events out of text that comes in pieces. */

/** What stands between two blank lines of a stream: an event, or a comment. */
export interface StreamBlock {
  readonly event: string | undefined;
  readonly id: string | undefined;
  /** Its lines of data, joined; undefined where it has none. */
  readonly data: string | undefined;
  readonly comment: string | undefined;
}

/**
 * Returns each block once its blank line has come.
 * @example
 * const parser = new ServerSentEventParser();
 * parser.push("event: greeted\nda"); // []
 * parser.push("ta: Ada\n\n"); // [{ event: "greeted", data: "Ada", … }]
 */
export class ServerSentEventParser {
  /** A line that doesn't end isn't looked through again with every piece of it. */
  private readonly unended: string[] = [];
  private lines: string[] = [];

  push(text: string): StreamBlock[] {
    this.unended.push(text);
    if (!text.includes("\n")) return [];
    const lines = this.unended.splice(0).join("").split("\n");
    this.unended.push(lines.pop() ?? "");
    return lines.flatMap((line) => this.line(line.endsWith("\r") ? line.slice(0, -1) : line));
  }

  /** What stands behind the last blank line: cut off in the middle, or sent by a server that leaves the last one out. */
  rest(): StreamBlock | undefined {
    return [...this.push("\n"), ...this.end()][0];
  }

  private line(line: string): StreamBlock[] {
    if (line === "") return this.end();
    this.lines.push(line);
    return [];
  }

  private end(): StreamBlock[] {
    const lines = this.lines;
    this.lines = [];
    return lines.length === 0 ? [] : [blockOf(lines)];
  }
}

function blockOf(lines: readonly string[]): StreamBlock {
  const values = (name: string): string[] =>
    lines.flatMap((line) => {
      if (!line.startsWith(`${name}:`)) return [];
      const value = line.slice(name.length + 1);
      return [value.startsWith(" ") ? value.slice(1) : value];
    });
  const data = values("data");
  return {
    event: values("event").at(-1),
    id: values("id").at(-1),
    data: data.length === 0 ? undefined : data.join("\n"),
    comment: values("").at(-1),
  };
}

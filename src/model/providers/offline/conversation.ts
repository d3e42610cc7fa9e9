/** What the offline model is given, taken apart: instructions, the question, and data to be read but not obeyed. */
import type { ModelMessage, ModelRequest } from "../../port.js";

/** A block of data in a prompt: `<reference name="NAME">` newline text newline `</reference>`; likewise other tags. */
export interface DataBlock {
  readonly tag: string;
  /** The `name` attribute, or the tag when it has none. */
  readonly name: string;
  /** The `id` attribute. */
  readonly id?: string;
  readonly text: string;
}

/** What a tool returned. */
export interface ToolResult {
  readonly tool: string;
  readonly content: string;
}

/** A request, taken apart. */
export interface Conversation {
  /** The system messages without their data blocks. */
  readonly instructions: string;
  /** The last user message without its data blocks. */
  readonly question: string;
  /** What the user said before, oldest first. */
  readonly earlier: readonly string[];
  /** All data blocks of system and user messages. */
  readonly blocks: readonly DataBlock[];
  /**
   * What there is to work on: the data blocks of the last user message, of them the current message alone where one is called so;
   * its text where it has none.
   */
  readonly material: string;
  /** Names of the tools that were called since the last user message. */
  readonly called: ReadonlySet<string>;
  /** What came back since the last user message. */
  readonly results: readonly ToolResult[];
}

/** Takes a request's messages apart. */
export function readConversation(request: ModelRequest): Conversation {
  const blocks: DataBlock[] = [];
  const instructions: string[] = [];
  const userTexts: string[] = [];
  let latest: readonly DataBlock[] = [];
  for (const message of request.messages) {
    if (message.role !== "system" && message.role !== "user") continue;
    const parts = separateData(message.content);
    blocks.push(...parts.blocks);
    (message.role === "system" ? instructions : userTexts).push(parts.rest);
    if (message.role === "user") latest = parts.blocks;
  }
  const sinceUser = request.messages.slice(request.messages.findLastIndex((message) => message.role === "user") + 1);
  const question = userTexts.at(-1) ?? "";
  return {
    instructions: instructions.join("\n"),
    question,
    material: latest.length === 0 ? question : materialOf(latest),
    earlier: userTexts.slice(0, -1),
    blocks,
    ...round(sinceUser),
  };
}

/** What stands around a current message helps to understand it, and isn't what is asked about. */
function materialOf(latest: readonly DataBlock[]): string {
  const current = latest.filter(({ tag }) => tag === "current_message");
  return (current.length === 0 ? latest : current).map(({ text }) => text).join("\n");
}

function round(messages: readonly ModelMessage[]): Pick<Conversation, "called" | "results"> {
  const toolOf = new Map<string, string>();
  const results: ToolResult[] = [];
  for (const message of messages) {
    if (message.role === "assistant") {
      for (const call of message.toolCalls ?? []) toolOf.set(call.id, call.name);
    } else if (message.role === "tool") {
      results.push({ tool: toolOf.get(message.toolCallId) ?? "the tool", content: message.content });
    }
  }
  return { called: new Set(toolOf.values()), results };
}

/** A block begins on a line of its own, with nothing else on it. */
const openingLine = /^<([a-z][a-z0-9_-]*)((?: [\w-]+="[^"\n]*")*)>[ \t]*$/gm;

/** The data blocks of a text, and the text without them. A block that isn't closed reaches to the end. */
function separateData(text: string): { readonly blocks: readonly DataBlock[]; readonly rest: string } {
  const blocks: DataBlock[] = [];
  const rest: string[] = [];
  let from = 0;
  for (const opening of text.matchAll(openingLine)) {
    // An opening line inside a block is part of its text.
    if (opening.index < from) continue;
    const [line, tag = "", attributes = ""] = opening;
    const start = opening.index + line.length;
    const close = closingOf(text, tag, start);
    // Only known tags are trusted to be blocks when their end is missing; other text may just look like one.
    if (close === undefined && !knownTags.has(tag)) continue;
    rest.push(text.slice(from, opening.index));
    const name = unescaped(/ name="([^"]*)"/.exec(attributes)?.[1] ?? "") || tag;
    const id = / id="([^"]*)"/.exec(attributes)?.[1];
    blocks.push({
      tag,
      name,
      ...(id === undefined ? {} : { id: unescaped(id) }),
      text: unescaped(text.slice(start, close?.start ?? text.length)).trim(),
    });
    from = close?.end ?? text.length;
  }
  rest.push(text.slice(from));
  return { blocks, rest: rest.join("\n").trim() };
}

const knownTags: ReadonlySet<string> = new Set(["reference", "memory", "supervised"]);

function closingOf(text: string, tag: string, start: number): { start: number; end: number } | undefined {
  const close = `\n</${tag}>`;
  // What is supervised may be hostile; should its markup not be escaped, it must not be able to end its own block.
  const at = tag === "supervised" ? text.lastIndexOf(close) : text.indexOf(close, start);
  return at < start ? undefined : { start: at, end: at + close.length };
}

function unescaped(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
}

/** What is supervised: a message, a reply, a tool call, a tool result or a hop, seen as segments of text. */

import { z } from "zod";
import { defined } from "../conversation/defined.js";
import {
  type ModelReply,
  modelReplySchema,
  plainMessageSchema,
  type ReplyTurn,
  replyText,
  type ToolCallRequest,
  toolCallRequestSchema,
} from "../conversation/message.js";
import { isRecord, readJson } from "../text/json.js";
import { callerTextSchema } from "./caller-text.js";

export const subjectSchema = z.discriminatedUnion("hook", [
  z.object({
    hook: z.literal("request"),
    message: plainMessageSchema,
    /** All of them: what isn't here and isn't the message must not be shown anywhere. */
    beside: z.array(callerTextSchema).optional(),
  }),
  z.object({ hook: z.literal("response"), reply: modelReplySchema }),
  z.object({ hook: z.literal("tool_call"), call: toolCallRequestSchema }),
  z.object({ hook: z.literal("tool_result"), call: toolCallRequestSchema, output: z.string() }),
  z.object({ hook: z.literal("hop"), from: z.string(), to: z.string(), content: z.string() }),
]);
export type Subject = z.infer<typeof subjectSchema>;
export type SubjectOf<H extends Subject["hook"]> = Extract<Subject, { hook: H }>;

/** What is to be changed in the supervised subject. */
export type Change =
  /** New texts for the subject's segments, in their order; the structure stays. */
  | { readonly kind: "segments"; readonly texts: readonly string[] }
  /** One text in place of all that was said; tool calls, their results and pending calls stay. */
  | { readonly kind: "content"; readonly content: string }
  /** The subject as it shall be, of the same hook: what structural edits made of it. */
  | { readonly kind: "subject"; readonly subject: Subject };

/** Which text of a subject it is. */
export const placeSchema = z.object({
  of: z.enum(["message", "argument", "result", "error"]),
  /** The turn of the reply. */
  turnId: z.string().optional(),
  toolCallId: z.string().optional(),
  /** `server/tool`. */
  tool: z.string().optional(),
});
export type Place = Readonly<z.infer<typeof placeSchema>>;

export interface Segment {
  /** `spoken` segments are read as one text; `data` (arguments, outputs, errors) each stands alone, like a `label`: a name, a value. */
  readonly kind: "spoken" | "data" | "label";
  readonly text: string;
  readonly place: Place;
}

/** Every text of the subject that could be shown to anyone, in a fixed order. */
export function segmentsOf(subject: Subject): Segment[] {
  const segments: Segment[] = [];
  rewrite(subject, (segment) => {
    segments.push(segment);
    return segment.text;
  });
  return segments;
}

/** The one text that a judge reads: what is said, without arguments and outputs. */
export function spokenText(subject: Subject): string {
  if (subject.hook === "response") return replyText(subject.reply);
  return segmentsOf(subject)
    .flatMap(({ kind, text }) => (kind === "label" ? [] : [text]))
    .join("\n");
}

/** As a person reads it, and may edit it: arguments as JSON, everything else as it is said. */
export function readableText(subject: Subject): string {
  return subject.hook === "tool_call" ? JSON.stringify(subject.call.args, undefined, 2) : spokenText(subject);
}

/** The subject as the change makes it. Throws a RangeError when the texts don't fit the subject's segments. */
export function applyChange<S extends Subject>(subject: S, change: Change): S {
  // The hook, and with it the member of the union, never changes.
  return { ...subject, ...changed(subject, change) };
}

function changed(subject: Subject, change: Change): Subject {
  switch (change.kind) {
    case "segments": {
      const texts = [...change.texts];
      const rewritten = rewrite(subject, () => {
        const text = texts.shift();
        if (text === undefined) throw new RangeError("fewer texts than segments");
        return text;
      });
      if (texts.length > 0) throw new RangeError("more texts than segments");
      return rewritten;
    }
    case "content":
      return replaceContent(subject, change.content);
    case "subject":
      if (change.subject.hook === subject.hook) return change.subject;
      throw new RangeError(`a ${subject.hook} can't become a ${change.subject.hook}`);
  }
}

/** Everything of a subject that counts, as one text: two subjects are the same when these are. */
export function canonicalText(subject: Subject): string {
  switch (subject.hook) {
    case "request": {
      const { message, beside = [] } = subject;
      return JSON.stringify(beside.length === 0 ? message.content : [message.content, beside]);
    }
    case "hop":
      return JSON.stringify(subject.content);
    case "tool_call":
      return JSON.stringify(subject.call.args);
    case "tool_result":
      return JSON.stringify(subject.output);
    case "response":
      return canonicalReply(subject.reply);
  }
}

/** Whether two subjects say the same: by their texts, never by identity. */
export function saysTheSame(a: Subject, b: Subject): boolean {
  return a === b || canonicalText(a) === canonicalText(b);
}

/** What a reply says and does, without counts and times: the text whose digest an edit names as its base. */
function canonicalReply({ turns, pendingToolCalls }: ModelReply): string {
  const content = turns.map(({ turnId, message, error, toolCalls }) => ({
    turnId,
    message,
    error,
    toolCalls: toolCalls?.map(({ elapsedMs: _, ...call }) => call),
  }));
  return JSON.stringify([content, pendingToolCalls ?? []]);
}

type Rewriter = (segment: Segment) => string;

function rewrite(subject: Subject, text: Rewriter): Subject {
  switch (subject.hook) {
    case "request":
      return {
        ...subject,
        message: { ...subject.message, content: text(spoken(subject.message.content, { of: "message" })) },
        ...defined({
          beside: subject.beside?.map((one) => ({
            ...one,
            text: text({ kind: "label", text: one.text, place: { of: "message" } }),
          })),
        }),
      };
    case "hop":
      return { ...subject, content: text(spoken(subject.content, { of: "message" })) };
    case "tool_call":
      return {
        ...subject,
        call: { ...subject.call, args: rewriteArgs(subject.call.args, argumentOf(subject.call, text)) },
      };
    case "tool_result":
      return { ...subject, output: text(spoken(subject.output, placeOf(subject.call, "result"))) };
    case "response": {
      const { reply } = subject;
      const turns = reply.turns.map((turn) => rewriteTurn(turn, text));
      const pending = reply.pendingToolCalls?.map((call) => ({
        ...call,
        args: rewriteArgs(call.args, argumentOf(call, text)),
      }));
      return { ...subject, reply: { ...reply, turns, ...defined({ pendingToolCalls: pending }) } };
    }
  }
}

function rewriteTurn(turn: ReplyTurn, text: Rewriter): ReplyTurn {
  const { turnId } = turn;
  const data = (value: string, place: Place): string => text({ kind: "data", text: value, place });
  return {
    ...turn,
    ...(turn.message === undefined ? {} : { message: text(spoken(turn.message, { of: "message", turnId })) }),
    ...(turn.error === undefined ? {} : { error: data(turn.error, { of: "error", turnId }) }),
    ...defined({
      toolCalls: turn.toolCalls?.map((call) => ({
        ...call,
        args: rewriteArgs(call.args, argumentOf(call, text)),
        ...(call.output === undefined ? {} : { output: data(call.output, placeOf(call, "result")) }),
        ...(call.error === undefined ? {} : { error: data(call.error, placeOf(call, "error")) }),
      })),
    }),
  };
}

function spoken(text: string, place: Place): Segment {
  return { kind: "spoken", text, place };
}

type Call = Pick<ToolCallRequest, "server" | "tool" | "toolCallId">;

function placeOf({ server, tool, toolCallId }: Call, of: Place["of"]): Place {
  return { of, toolCallId, tool: `${server}/${tool}` };
}

/** Rewrites one string of a call's arguments. */
function argumentOf(call: Call, text: Rewriter): (value: string) => string {
  const place = placeOf(call, "argument");
  return (value) => text({ kind: "data", text: value, place });
}

function rewriteArgs(args: Record<string, unknown>, text: (value: string) => string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [text(name), rewriteJson(value, text)]));
}

/** Strings and numbers are texts (a card number may be a number); a number stays one unless its text changes. */
function rewriteJson(value: unknown, text: (value: string) => string): unknown {
  if (typeof value === "string") return text(value);
  if (typeof value === "number") {
    const written = String(value);
    const changed = text(written);
    return changed === written ? value : changed;
  }
  if (Array.isArray(value)) return value.map((item) => rewriteJson(item, text));
  return isRecord(value) ? rewriteArgs(value, text) : value;
}

function replaceContent(subject: Subject, content: string): Subject {
  switch (subject.hook) {
    case "request":
      return { ...subject, message: { ...subject.message, content } };
    case "hop":
      return { ...subject, content };
    case "tool_result":
      return { ...subject, output: content };
    case "tool_call": {
      const args = z.record(z.string(), z.unknown()).safeParse(readJson(content).value);
      if (!args.success) throw new RangeError("the content in place of a tool call's arguments must be a JSON object");
      return { ...subject, call: { ...subject.call, args: args.data } };
    }
    case "response":
      return { ...subject, reply: { ...subject.reply, turns: replaceSpoken(subject.reply.turns, content) } };
  }
}

/** The text goes where the reply ended; the turns keep their tool calls, results, token counts and errors. */
function replaceSpoken(turns: readonly ReplyTurn[], content: string): ReplyTurn[] {
  if (turns.length === 0) return [{ turnId: "turn_0", message: content }];
  return turns.map((turn, index) => {
    const { message: _, ...kept } = turn;
    return index === turns.length - 1 ? { ...kept, message: content } : kept;
  });
}

/** One message of a UI message stream: made of the events of a turn. */
import type { z } from "zod";
import { isAskHuman } from "../../agent/built-in/ask-human.js";
import { agentEvents } from "../../agent/events.js";
import { type Ask, askSchema } from "../../asks/ask.js";
import { chatEvents } from "../../chat/events.js";
import type { Turn } from "../../chat/session.js";
import { defined } from "../../conversation/defined.js";
import { replyText, type ToolCallRequest, type ToolCallResult } from "../../conversation/message.js";
import type { UiChunk } from "./chunks.js";
import { ReplyTextParts } from "./reply-text.js";

/** An event as the stream of its session brings it. */
export interface TurnEvent {
  readonly type: string;
  readonly data: unknown;
}

const {
  "reply.delta": delta,
  "reply.retracted": retracted,
  "turn.waiting": waiting,
  "turn.queued": queued,
} = chatEvents;
const ranHere = { dynamic: true, providerExecuted: true } as const;
const lost = "The connection ended before the answer did. Load the conversation again to see how it went on.";

/**
 * A turn that waits for an answer is a message that ends there; what follows the answer is another one. So a page shows the answer,
 * which is its user's next message, where it was given.
 *
 * Arguments and outputs of tools are shown with the reply that they belong to: until then supervision may still change them.
 */
export class UiMessage {
  private readonly ids: { readonly sessionId: string; readonly turnId: string };
  private text = new ReplyTextParts();
  private readonly tools = new Map<string, string>();
  /** Asks that are open, and for whom. */
  private readonly open = new Map<string, Ask["audience"]>();
  /** Asks that the message shows. */
  private readonly asked = new Set<string>();
  private state: "running" | "waiting" | "ended" = "running";

  constructor(sessionId: string, turnId: string) {
    this.ids = { sessionId, turnId };
  }

  /** Begins the message with what has happened so far: what an earlier message of the turn shows is left out. */
  begin(past: readonly TurnEvent[]): UiChunk[] {
    const isOwnWait = ({ type, data }: TurnEvent): boolean =>
      type === "turn.waiting" && waiting.data.safeParse(data).data?.turnId === turnId;
    const { turnId } = this.ids;
    const waits = past.flatMap((event, at) => (isOwnWait(event) && at < past.length - 1 ? [at] : []));
    const from = waits.at(-1);
    const before = from === undefined ? [] : past.slice(0, from + 1);
    const { data } = waiting.data.safeParse(before.at(-1)?.data);
    this.text = new ReplyTextParts(data?.reply);
    return [
      {
        type: "start",
        messageId: waits.length === 0 ? turnId : `${turnId}.${waits.length}`,
        messageMetadata: this.ids,
      },
      { type: "start-step" },
      // What was asked before and is open still is asked here.
      ...before.flatMap((event) => (event.type === "ask.opened" && openAsk(event) ? this.next(event) : [])),
      ...past.slice(before.length).flatMap((event) => this.next(event)),
    ];
  }

  next({ type, data }: TurnEvent): UiChunk[] {
    if (this.state === "waiting") this.state = "running";
    switch (type) {
      case "reply.delta":
        return this.text.delta(delta.data.parse(data));
      case "reply.retracted":
        return this.text.retract(retracted.data.parse(data).attempt);
      case "tool.called":
        return this.toolCalled(agentEvents["tool.called"].data.parse(data));
      case "ask.opened":
        return this.opened(askSchema.parse(data));
      case "ask.closed":
        return this.closed(askSchema.parse(data));
      case "turn.queued":
        return this.queued(queued.data.parse(data));
      case "turn.waiting":
        return this.waits(waiting.data.parse(data));
      case "turn.completed":
        return this.ended(chatEvents["turn.completed"].data.parse(data));
      default:
        return [];
    }
  }

  /** Whether its user has to answer before more can come: what they write next goes to their own message. */
  asksUser(): boolean {
    return this.state === "waiting" && [...this.open.values()].includes("user");
  }

  /** The stream is over. */
  end(): UiChunk[] {
    if (this.state === "ended") return [];
    if (this.state === "waiting") return [...this.text.endPart(), ...finish("other")];
    return [{ type: "error", errorText: lost }, ...this.text.endPart(), ...finish("error")];
  }

  private toolCalled({ toolCallId, server, tool }: Omit<ToolCallRequest, "args">): UiChunk[] {
    // What it asks is a part of its own.
    if (isAskHuman({ server, tool })) return [];
    const toolName = `${server}/${tool}`;
    this.tools.set(toolCallId, toolName);
    return [...this.text.endPart(), { type: "tool-input-start", toolCallId, toolName, ...ranHere }];
  }

  /** A question to the user is shown; of any other it only counts that it is open. */
  private opened(ask: Ask): UiChunk[] {
    const { askId, audience, status } = ask;
    if (status === "open") this.open.set(askId, audience);
    if (audience !== "user") return [];
    this.asked.add(askId);
    return [...this.text.endPart(), askPart(ask)];
  }

  private closed(ask: Ask): UiChunk[] {
    this.open.delete(ask.askId);
    return this.asked.has(ask.askId) ? [askPart(ask)] : [];
  }

  /** Of another turn that follows, a page that follows this one needn't hear. */
  private queued({ turnId, userMessage }: z.infer<typeof queued.data>): UiChunk[] {
    if (turnId !== this.ids.turnId) return [];
    this.state = "waiting";
    return [{ type: "data-waiting", data: { for: "earlier_message", message: userMessage } }];
  }

  private waits({ turnId, reply, waitsFor, userMessage = "" }: z.infer<typeof waiting.data>): UiChunk[] {
    this.state = "waiting";
    const text = reply === undefined ? this.text.endPart() : this.text.settle(reply);
    const isForStaff = turnId === this.ids.turnId && waitsFor?.audience === "staff";
    return isForStaff ? [...text, { type: "data-waiting", data: { for: "staff", message: userMessage } }] : text;
  }

  /** The end of a turn before this one is told as text: the message goes on with its own. */
  private earlierEnded({ reply, error }: Turn): UiChunk[] {
    const calls = reply?.modelReply.turns.flatMap(({ toolCalls = [] }) => toolCalls) ?? [];
    const text = error?.content ?? (reply === undefined ? "" : replyText(reply.modelReply));
    const chunks = [...this.toolsEnded(calls), ...this.text.settle(text)];
    this.tools.clear();
    this.text = this.text.next();
    return chunks;
  }

  private ended(turn: Turn): UiChunk[] {
    if (turn.turnId !== this.ids.turnId) return this.earlierEnded(turn);
    const { status, reply, error, supervision } = turn;
    this.state = "ended";
    const metadata = { status, supervision: supervision.status };
    const message = error?.content ?? "The answer failed.";
    switch (status) {
      case "completed": {
        const calls = reply?.modelReply.turns.flatMap(({ toolCalls = [] }) => toolCalls) ?? [];
        const text = reply === undefined ? [] : this.text.settle(replyText(reply.modelReply));
        return [...this.toolsEnded(calls), ...text, ...finish("stop", metadata)];
      }
      case "blocked":
        return [
          ...this.withdrawn(),
          { type: "data-blocked", data: { message } },
          ...finish("content-filter", metadata),
        ];
      case "cancelled":
        return [...this.withdrawn(), { type: "abort", reason: "It was cancelled." }, ...finish("other", metadata)];
      case "failed":
        return [...this.withdrawn(), { type: "error", errorText: message }, ...finish("error", metadata)];
      case "queued":
      case "running":
      case "waiting":
        return [];
    }
  }

  /** There is no reply: nothing that was shown of it counts. */
  private withdrawn(): UiChunk[] {
    return [...this.toolsEnded([]), ...this.text.settle("")];
  }

  private toolsEnded(calls: readonly ToolCallResult[]): UiChunk[] {
    return [...this.tools].flatMap(([toolCallId, toolName]): UiChunk[] => {
      const call = calls.find((one) => one.toolCallId === toolCallId);
      if (call === undefined)
        return [{ type: "tool-output-error", toolCallId, errorText: "It isn't part of the answer.", ...ranHere }];
      return [
        { type: "tool-input-available", toolCallId, toolName, input: call.args, ...ranHere },
        call.error === undefined
          ? { type: "tool-output-available", toolCallId, output: call.output ?? "", ...ranHere }
          : { type: "tool-output-error", toolCallId, errorText: call.error, ...ranHere },
      ];
    });
  }
}

function openAsk({ data }: TurnEvent): boolean {
  return askSchema.safeParse(data).data?.status === "open";
}

function askPart({ askId, kind, question, context, suggestions, accepts, status, deadline }: Ask): UiChunk {
  const data = { askId, kind, question, context, suggestions, accepts, status, deadline };
  return { type: "data-ask", id: askId, data };
}

function finish(
  finishReason: Extract<UiChunk, { type: "finish" }>["finishReason"],
  messageMetadata?: Extract<UiChunk, { type: "finish" }>["messageMetadata"],
): UiChunk[] {
  return [{ type: "finish-step" }, { type: "finish", finishReason, ...defined({ messageMetadata }) }];
}

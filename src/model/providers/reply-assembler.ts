/** Puts a reply together from its parts, streamed or whole. */
import { estimateUsage } from "../estimate.js";
import {
  type FinishReason,
  ModelError,
  type ModelListener,
  type ModelRequest,
  type ModelToolCall,
  maxReplyBytes,
  maxReplyCalls,
  type TokenUsage,
} from "../port.js";
import type { ProviderReply } from "../provider.js";
import { finishReason, type MessageParts, type ToolCallPart } from "./chat-shapes.js";

const encoder = new TextEncoder();

/** The failure of a reply, or of an answer that is to be one, that goes on and on. */
export function tooLarge(bytes: number): ModelError {
  return new ModelError("bad_response", `the reply is larger than ${bytes} bytes`, { isFinal: true });
}

/** The failure of a reply without a text and without a call. */
function emptyReply(reason: FinishReason): ModelError {
  switch (reason) {
    case "length":
      return new ModelError("bad_response", "the reply is empty: it was cut at its length", { isFinal: true });
    case "content_filter":
      return new ModelError("bad_response", "the reply is empty: the provider's filter stopped it", { isFinal: true });
    case "stop":
    case "tool_calls":
      return new ModelError("bad_response", "the reply is empty");
  }
}

interface CallSlot {
  index: number | undefined;
  id: string;
  name: string;
  arguments: string;
}

/** One reply in the making. Text goes to the listener as it comes. */
export class ReplyAssembler {
  private text = "";
  private readonly calls: CallSlot[] = [];
  private reason: string | undefined;
  private refused = false;
  private counted: TokenUsage | undefined;
  private bytes = 0;

  constructor(private readonly listener: ModelListener | undefined) {}

  /** A provider that gave a finish reason has nothing more to say but the usage. */
  get hasFinishReason(): boolean {
    return this.reason !== undefined;
  }

  /** A message in one piece: each of its calls is one of its own. */
  addWhole({ tool_calls, ...rest }: MessageParts): void {
    this.addDelta({ ...rest, tool_calls: tool_calls?.map((call, index) => ({ ...call, index })) });
  }

  /** What a streamed message has more of. */
  addDelta(parts: MessageParts): void {
    this.addText(parts.content);
    if (parts.refusal) {
      this.refused = true;
      this.addText(parts.refusal);
    }
    for (const call of parts.tool_calls ?? []) this.addToolCall(call);
  }

  addText(text: string): void {
    if (text === "") return;
    this.weigh(text);
    this.text += text;
    this.listener?.delta(text);
  }

  addToolCall(part: ToolCallPart): void {
    // Workers AI closes a call with a part that says nothing.
    if (part.id === "" && part.name === "" && part.arguments === "") return;
    this.weigh(part.id + part.name + part.arguments);
    const slot = this.slotOf(part);
    if (this.calls.length > maxReplyCalls) {
      throw new ModelError("bad_response", `the reply asks for more than ${maxReplyCalls} tool calls`, {
        isFinal: true,
      });
    }
    slot.id ||= part.id;
    slot.name ||= part.name;
    slot.arguments += part.arguments;
  }

  addFinishReason(reason: string | null | undefined): void {
    if (reason) this.reason = reason;
  }

  addUsage(usage: TokenUsage | undefined): void {
    this.counted = usage ?? this.counted;
  }

  /** Whether the listener has no use for the rest. */
  get isEnough(): boolean {
    return this.listener?.isEnough?.() ?? false;
  }

  /** What came until the listener had enough: its text, as cut as it is. */
  replySoFar(request: ModelRequest): ProviderReply {
    const parts = { text: this.text, toolCalls: [] };
    const usage = this.counted ?? estimateUsage(request, parts);
    return { ...parts, usage, finishReason: "content_filter", metadata: { usageEstimated: true } };
  }

  /** @throws {ModelError} `bad_response` when a tool call has no name, or the reply says nothing at all. */
  reply(request: ModelRequest): ProviderReply {
    const toolCalls = this.toolCalls();
    const reason = finishReason(this.reason, false);
    const isEmpty = toolCalls.length === 0 && this.text.trim() === "";
    if (isEmpty && !(request.mayBeEmpty === true && reason === "stop")) throw emptyReply(reason);
    const parts = { text: this.text, toolCalls };
    return {
      ...parts,
      usage: this.counted ?? estimateUsage(request, parts),
      finishReason: this.refused ? "content_filter" : finishReason(this.reason, toolCalls.length > 0),
      ...(this.counted === undefined ? { metadata: { usageEstimated: true } } : {}),
    };
  }

  /**
   * The call that a part belongs to: by index; by "the latest one" when a server leaves the index out. A new id always starts a
   * new call, since some servers number all their calls 0.
   */
  private slotOf(part: ToolCallPart): CallSlot {
    const latest =
      part.index === undefined ? this.calls.at(-1) : this.calls.findLast((call) => call.index === part.index);
    const continues = latest !== undefined && (part.id === "" || latest.id === "" || part.id === latest.id);
    // Without index and id only a name tells where the next call begins.
    const restarts = part.index === undefined && part.id === "" && part.name !== "";
    if (continues && !restarts) return latest;
    const slot: CallSlot = { index: part.index, id: "", name: "", arguments: "" };
    this.calls.push(slot);
    return slot;
  }

  /** @throws {ModelError} `bad_response` once there is more than a reply may hold. */
  private weigh(part: string): void {
    // As it will be stored: a control character is six bytes there.
    this.bytes += encoder.encode(JSON.stringify(part)).length - 2;
    if (this.bytes > maxReplyBytes) throw tooLarge(maxReplyBytes);
  }

  private toolCalls(): ModelToolCall[] {
    const taken = new Set<string>();
    return this.calls.map((call, index) => {
      if (call.name === "") throw new ModelError("bad_response", "the reply calls a tool without naming it");
      const id = uniqueId(call.id, index, taken);
      taken.add(id);
      // A tool without parameters is often called with nothing at all.
      return { id, name: call.name, arguments: call.arguments.trim() === "" ? "{}" : call.arguments };
    });
  }
}

function uniqueId(given: string, index: number, taken: ReadonlySet<string>): string {
  if (given !== "" && !taken.has(given)) return given;
  let id = `call_${index}`;
  while (taken.has(id)) id = `${id}_`;
  return id;
}

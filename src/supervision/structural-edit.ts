/**
 * Structural edits of a reply: named by ids, made against a base, all or none. A tool call and its result are one record and
 * stay together; pending calls survive every edit but the one that names them.
 */
import { z } from "zod";
import { defined } from "../conversation/defined.js";
import type { ModelReply, ReplyTurn, ToolCallRequest } from "../conversation/message.js";
import { lazily } from "../text/lazily.js";

export const editOperationSchema = lazily(() => {
  const id = z.string().min(1).max(300);
  const content = z.string().min(1).max(100_000);
  return z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("remove_turn"), turnId: id }),
    z.strictObject({ type: z.literal("modify_turn"), turnId: id, content }),
    z.strictObject({
      type: z.literal("add_turn"),
      content,
      afterTurnId: id.nullable().optional().describe("null: at the beginning; left out: at the end"),
    }),
    z.strictObject({
      type: z.literal("reorder_turns"),
      turnIds: z.array(id).min(1).max(200).describe("All turns, once each"),
    }),
    z.strictObject({
      type: z.literal("redact_span"),
      turnId: id,
      text: z
        .string()
        .min(1)
        .max(20_000)
        .describe("The text to redact, exactly as it stands there; every occurrence goes"),
      replacement: z.string().max(20_000).default("[redacted]"),
    }),
    z.strictObject({
      type: z.literal("redact_tool_output"),
      toolCallId: id,
      replacement: z.string().max(20_000).default("[redacted]"),
    }),
    z.strictObject({
      type: z.literal("redact_arguments"),
      toolCallId: id,
      names: z.array(z.string().min(1).max(200)).min(1).max(100).optional().describe("Left out: all arguments"),
      replacement: z.string().max(20_000).default("[redacted]"),
    }),
    z.strictObject({ type: z.literal("drop_pending_call"), toolCallId: id }),
  ]);
});
export type EditOperation = z.infer<ReturnType<typeof editOperationSchema>>;

export const editOperationsSchema = lazily(() => z.array(editOperationSchema()).min(1).max(100));

export type EditOutcome =
  | { readonly ok: true; readonly reply: ModelReply }
  /** Nothing was changed; which operation couldn't be done, and what would be right. */
  | { readonly ok: false; readonly at: number; readonly problem: string };

class ImpossibleEdit extends Error {}

/** The reply as the operations make it, one after the other; or the first one that can't be done, and nothing changed. */
export function editReply(reply: ModelReply, operations: readonly EditOperation[]): EditOutcome {
  let current = reply;
  for (const [at, operation] of operations.entries()) {
    try {
      current = applyOperation(current, operation);
    } catch (error) {
      if (error instanceof ImpossibleEdit) return { ok: false, at, problem: `${operation.type}: ${error.message}` };
      throw error;
    }
  }
  return { ok: true, reply: current };
}

function applyOperation(reply: ModelReply, operation: EditOperation): ModelReply {
  switch (operation.type) {
    case "remove_turn": {
      findTurn(reply, operation.turnId);
      if (reply.turns.length === 1) throw new ImpossibleEdit("the last turn can't be removed; block the reply instead");
      return { ...reply, turns: reply.turns.filter(({ turnId }) => turnId !== operation.turnId) };
    }
    case "modify_turn":
      return changeTurn(reply, operation.turnId, (turn) => ({ ...turn, message: operation.content }));
    case "add_turn":
      return {
        ...reply,
        turns: inserted(reply, { turnId: freshId(reply), message: operation.content }, operation.afterTurnId),
      };
    case "reorder_turns":
      return { ...reply, turns: reordered(reply, operation.turnIds) };
    case "redact_span":
      return changeTurn(reply, operation.turnId, (turn) => {
        if (turn.message?.includes(operation.text) !== true) {
          throw new ImpossibleEdit(
            `the text doesn't occur in the message of turn "${turn.turnId}"; give it exactly as it stands there`,
          );
        }
        return { ...turn, message: turn.message.replaceAll(operation.text, () => operation.replacement) };
      });
    case "redact_tool_output":
      return redactOutput(reply, operation.toolCallId, operation.replacement);
    case "redact_arguments":
      return redactArguments(reply, operation);
    case "drop_pending_call":
      return dropPending(reply, operation.toolCallId);
  }
}

function findTurn(reply: ModelReply, turnId: string): ReplyTurn {
  const turn = reply.turns.find((candidate) => candidate.turnId === turnId);
  if (turn !== undefined) return turn;
  throw new ImpossibleEdit(`there is no turn "${turnId}"; the turns are ${idsOf(reply)}`);
}

function changeTurn(reply: ModelReply, turnId: string, change: (turn: ReplyTurn) => ReplyTurn): ModelReply {
  const changed = change(findTurn(reply, turnId));
  return { ...reply, turns: reply.turns.map((turn) => (turn.turnId === turnId ? changed : turn)) };
}

function inserted(reply: ModelReply, added: ReplyTurn, after: string | null | undefined): ReplyTurn[] {
  if (after === undefined) return [...reply.turns, added];
  if (after === null) return [added, ...reply.turns];
  findTurn(reply, after);
  return reply.turns.flatMap((turn) => (turn.turnId === after ? [turn, added] : [turn]));
}

/** Derived from what is there, so that the same edits give the same ids. */
function freshId(reply: ModelReply): string {
  for (let count = 1; ; count++) {
    const candidate = `added_${count}`;
    if (!reply.turns.some(({ turnId }) => turnId === candidate)) return candidate;
  }
}

function reordered(reply: ModelReply, turnIds: readonly string[]): ReplyTurn[] {
  const order = new Set(turnIds);
  if (order.size !== turnIds.length || order.size !== reply.turns.length) {
    throw new ImpossibleEdit(`name every turn once; the turns are ${idsOf(reply)}`);
  }
  return turnIds.map((turnId) => findTurn(reply, turnId));
}

function redactOutput(reply: ModelReply, toolCallId: string, replacement: string): ModelReply {
  let found = false;
  const turns = reply.turns.map((turn) => {
    if (turn.toolCalls === undefined) return turn;
    const toolCalls = turn.toolCalls.map((call) => {
      if (call.toolCallId !== toolCallId) return call;
      found = true;
      return {
        ...call,
        ...(call.output === undefined ? {} : { output: replacement }),
        ...(call.error === undefined ? {} : { error: replacement }),
      };
    });
    return { ...turn, toolCalls };
  });
  if (found) return { ...reply, turns };
  const calls = reply.turns.flatMap((turn) => turn.toolCalls ?? []).map((call) => call.toolCallId);
  throw new ImpossibleEdit(`there is no tool call "${toolCallId}" with a result; there are ${listed(calls)}`);
}

/** Whole values: what stands within one isn't told apart. A pending call is made with what it had. */
function redactArguments(
  reply: ModelReply,
  { toolCallId, names, replacement }: Extract<EditOperation, { type: "redact_arguments" }>,
): ModelReply {
  let found = false;
  const redacted = <Call extends ToolCallRequest>(call: Call): Call => {
    if (call.toolCallId !== toolCallId) return call;
    found = true;
    const absent = names?.filter((name) => !Object.hasOwn(call.args, name)) ?? [];
    if (absent.length > 0) {
      throw new ImpossibleEdit(`the call has no argument ${listed(absent)}; it has ${listed(Object.keys(call.args))}`);
    }
    const args = Object.entries(call.args).map(([name, value]) => [
      name,
      names === undefined || names.includes(name) ? replacement : value,
    ]);
    return { ...call, args: Object.fromEntries(args) };
  };
  const turns = reply.turns.map((turn) => ({ ...turn, ...defined({ toolCalls: turn.toolCalls?.map(redacted) }) }));
  const pendingToolCalls = reply.pendingToolCalls?.map(redacted);
  if (found) return { ...reply, turns, ...defined({ pendingToolCalls }) };
  const calls = [...reply.turns.flatMap((turn) => turn.toolCalls ?? []), ...(reply.pendingToolCalls ?? [])];
  throw new ImpossibleEdit(
    `there is no tool call "${toolCallId}"; there are ${listed(calls.map((call) => call.toolCallId))}`,
  );
}

function dropPending(reply: ModelReply, toolCallId: string): ModelReply {
  const pending = reply.pendingToolCalls ?? [];
  const left = pending.filter((call) => call.toolCallId !== toolCallId);
  if (left.length === pending.length) {
    const calls = pending.map((call) => call.toolCallId);
    throw new ImpossibleEdit(`there is no pending call "${toolCallId}"; there are ${listed(calls)}`);
  }
  const { pendingToolCalls: _, ...rest } = reply;
  return left.length === 0 ? rest : { ...rest, pendingToolCalls: left };
}

function idsOf(reply: ModelReply): string {
  return listed(reply.turns.map(({ turnId }) => turnId));
}

function listed(ids: readonly string[]): string {
  return ids.length === 0 ? "none" : ids.map((one) => `"${one}"`).join(", ");
}

/** One tool call of a model: found, checked, supervised, run under its deadline, supervised again. Nothing here throws at the model. */

import { z } from "zod";
import { withWords } from "../asks/answer.js";
import { defined } from "../conversation/defined.js";
import { isSameTool } from "../conversation/names.js";
import { readJson } from "../text/json.js";
import { askedBy } from "./built-in/ask-human.js";
import { isControlFlow, type Journal } from "./journal.js";
import type { AgentPorts } from "./ports.js";
import {
  type AgentTool,
  type CallRecord,
  type CallRefusal,
  callRefusals,
  type ToolCall,
  type ToolContext,
  type ToolEffect,
  type ToolOutput,
  type ToolProgress,
  type ToolRef,
} from "./tools.js";

/** A tool as a model named it, and what that name stood for when it was offered; nothing if it wasn't. */
export interface RequestedTool {
  readonly name: string;
  readonly ref?: ToolRef | undefined;
}

/** The most of a tool's output that is kept, in characters; the rest is cut, with a note. */
const maxToolOutput = 60_000;

const outputSchema = z.object({
  content: z.string(),
  isError: z.boolean().optional(),
  endsRun: z.boolean().optional(),
  effect: z.enum(["none", "unknown"]).optional(),
  refused: z.enum(callRefusals).optional(),
  elapsedMs: z.number(),
});
type TimedOutput = z.infer<typeof outputSchema>;

interface CallPosition {
  readonly toolCallId: string;
  readonly journal: Journal;
}

export async function runToolCall(
  requested: RequestedTool & { readonly arguments: string },
  position: CallPosition,
  agent: {
    readonly tools: readonly AgentTool[];
    readonly removedTool: ((requested: RequestedTool) => AgentTool | undefined) | undefined;
    readonly overLimit: boolean;
    /** Of the agent's time budget: no call takes longer. */
    readonly timeLeftMs: number;
  },
  ports: AgentPorts,
): Promise<CallRecord> {
  const { toolCallId, journal } = position;
  const tool = agent.tools.find((candidate) => isRequested(candidate, requested)) ?? agent.removedTool?.(requested);
  const about = {
    toolCallId,
    name: requested.name,
    server: tool?.ref.server ?? "",
    // A name that a model invented is free text: it is part of the error, which is supervised as text.
    tool: tool?.ref.tool ?? unknownTool,
    ...(tool === undefined ? {} : askedBy(tool.ref, ports.asking)),
  };
  const withheld = (content: string, args: CallRecord["args"] = {}): CallRecord => ({
    ...about,
    args,
    content,
    isError: true,
    endsRun: false,
    elapsedMs: 0,
  });
  const record = (why: CallRefusal): Promise<void> =>
    journal.commit(
      "refused",
      () => {
        const caller = defined({ agent: ports.worker });
        ports.observer?.toolRejected?.({ toolCallId, server: about.server, tool: about.tool, ...caller, why });
      },
      { writtenWithNext: true },
    );
  const refused = async (why: CallRefusal, content: string, args?: CallRecord["args"]): Promise<CallRecord> => {
    await record(why);
    return withheld(content, args);
  };

  if (agent.overLimit) {
    return refused("too_many", "Not called: too many calls in one round. Ask for it again in the next round.");
  }
  if (tool === undefined) {
    const names = agent.tools.map((candidate) => candidate.name).join(", ");
    return refused(
      "unknown_tool",
      `There is no tool "${requested.name}". ${names === "" ? "There are no tools." : `The tools are: ${names}.`}`,
    );
  }
  const parsed = parseArguments(requested.arguments);
  if (!parsed.ok) {
    const problem = `the arguments of "${tool.name}" must be a JSON object (${parsed.problem})`;
    return refused("arguments", `Not called: ${problem}.`);
  }
  const problems = ports.validateArguments(tool, parsed.args);
  if (problems.length > 0) {
    const schema = JSON.stringify(tool.parameters);
    return refused(
      "arguments",
      `Not called: the arguments of "${tool.name}" are wrong: ${problems.join("; ")}. The schema is ${schema}`,
      parsed.args,
    );
  }

  const call: ToolCall = { toolCallId, tool, args: parsed.args };
  const before = await ports.guard.beforeCall(call, journal.scope("before"));
  if (before.kind === "refuse") return refused(before.why ?? "supervision", before.reason);
  const allowed: ToolCall = { ...call, args: before.value };

  if (tool.execution === "caller") {
    return {
      ...about,
      args: allowed.args,
      content: "",
      isError: false,
      endsRun: false,
      handedOver: true,
      elapsedMs: 0,
    };
  }
  const output = await execute(allowed, call.args, journal, ports, agent.timeLeftMs);
  const { elapsedMs } = output;
  if (output.refused !== undefined) await record(output.refused);
  const after = await ports.guard.afterCall(allowed, output, journal.scope("after"));
  const content = withWords(after.kind === "refuse" ? after.reason : after.value.content, before.told);
  const effect = effectOf(allowed, call.args, output, content);
  if (after.kind === "refuse") return { ...withheld(content, allowed.args), elapsedMs, ...effect };
  return {
    ...about,
    args: allowed.args,
    content,
    isError: after.value.isError ?? false,
    endsRun: output.endsRun ?? false,
    elapsedMs,
    ...effect,
  };
}

function effectOf(
  { tool, toolCallId, args }: ToolCall,
  requested: ToolCall["args"],
  output: ToolOutput,
  content: string,
): { readonly effect?: ToolEffect } {
  if (!mayChange(tool) || output.endsRun === true || output.effect === "none" || output.refused !== undefined)
    return {};
  // A tool that reports an error may have done its work all the same, unless it says that it hasn't.
  const outcome = output.isError === true ? "unknown" : "done";
  return { effect: { ...tool.ref, toolCallId, requested, args, outcome, content } };
}

function mayChange({ readOnly, execution }: AgentTool): boolean {
  return readOnly !== true && execution !== "durable";
}

/** The tool's name in the record of a call that names none. */
const unknownTool = "unknown";

/** Whether this is the tool that was named, by what the name stood for when that is known. */
export function isRequested({ name, ref }: AgentTool, requested: RequestedTool): boolean {
  return requested.ref === undefined ? name === requested.name : isSameTool(ref, requested.ref);
}

function parseArguments(
  text: string,
): { ok: true; args: Readonly<Record<string, unknown>> } | { ok: false; problem: string } {
  const { value, problem } = readJson(text.trim() === "" ? "{}" : text);
  if (problem !== undefined) return { ok: false, problem };
  const object = z.record(z.string(), z.unknown()).safeParse(value);
  return object.success && !Array.isArray(value)
    ? { ok: true, args: object.data }
    : { ok: false, problem: "it is not an object" };
}

/** Runs the call as the tool's kind of execution demands. Exceptions become outputs; control flow passes through. */
async function execute(
  call: ToolCall,
  requested: ToolCall["args"],
  journal: Journal,
  ports: AgentPorts,
  timeLeftMs: number,
): Promise<TimedOutput> {
  const { tool, toolCallId, args } = call;
  const agent = ports.worker === undefined ? {} : { agent: ports.worker };
  const about = { toolCallId: call.toolCallId, ...tool.ref, ...agent };
  const attempt = async (): Promise<TimedOutput> => {
    const started = ports.now();
    const progress = (report: ToolProgress): void => {
      if (!ports.signal.aborted) ports.observer?.toolProgress?.({ ...about, ...report });
    };
    const output = await runSafely(call, { journal, progress }, ports, timeLeftMs);
    return { ...output, content: cut(output.content), elapsedMs: ports.now() - started };
  };
  if (tool.execution === "durable") return attempt();
  return journal.step(
    {
      id: "call",
      kind: "tool",
      schema: outputSchema,
      interrupted: tool.execution === "idempotent" ? "again" : () => unknownOutcome(tool),
      onBegin: () => {
        ports.observer?.toolCalled?.(about);
        if (!mayChange(tool)) return;
        ports.observer?.effectBegun?.({ ...tool.ref, toolCallId, requested, args, outcome: "unknown", content: "" });
      },
      onDone: (output) =>
        ports.observer?.toolReturned?.({ ...about, isError: output.isError ?? false, elapsedMs: output.elapsedMs }),
    },
    attempt,
  );
}

async function runSafely(
  call: ToolCall,
  within: Pick<ToolContext, "journal" | "progress">,
  ports: AgentPorts,
  timeLeftMs: number,
): Promise<ToolOutput> {
  const { tool } = call;
  const context = { ...within, callId: call.toolCallId, asking: ports.asking, worker: ports.worker };
  try {
    // A durable tool may wait for a person: it sets the deadlines of its own steps.
    if (tool.execution === "durable") {
      return await tool.run(call.args, { ...context, signal: ports.signal });
    }
    return await ports.withDeadline(Math.min(tool.timeoutMs, timeLeftMs), (signal) =>
      tool.run(call.args, { ...context, signal }),
    );
  } catch (error) {
    if (isControlFlow(error) || ports.signal.aborted) throw error;
    const detail = error instanceof Error ? error.message : "it failed";
    return { content: `The tool "${tool.name}" failed: ${detail}`, isError: true };
  }
}

function unknownOutcome(tool: AgentTool): TimedOutput {
  return {
    content: `The outcome of "${tool.name}" is unknown: it was begun and the work was interrupted. It may or may not have taken effect; check before calling it again.`,
    isError: true,
    effect: "unknown",
    elapsedMs: 0,
  };
}

function cut(content: string): string {
  return content.length <= maxToolOutput
    ? content
    : `${content.slice(0, maxToolOutput)}\n[cut: ${content.length - maxToolOutput} more characters]`;
}

/** How a session's tool calls and results are supervised, and when a person has to approve a call first. */
import { z } from "zod";
import type { Journal } from "../agent/journal.js";
import type { GuardDecision, ToolCall, ToolGuard, ToolOutput } from "../agent/tools.js";
import type { Ask, AskRequest } from "../asks/ask.js";
import { type SupervisePorts, supervise } from "../supervision/supervise.js";
import type { Supervisor } from "../supervision/supervisor.js";
import type { ToolCallRequest } from "./message.js";

export interface ToolGuardPorts {
  readonly supervise: SupervisePorts;
  readonly approvals: ToolApprovals;
}

/** The approvals that hold for a whole session. */
export interface ToolApprovals {
  isApproved(ref: { server: string; tool: string }): boolean;
  approveForSession(ref: { server: string; tool: string }): void;
}

export function supervisingGuard(
  setup: {
    readonly supervisors: readonly Supervisor[];
    readonly tools: () => readonly { ref: ToolCall["tool"]["ref"] }[];
  },
  ports: ToolGuardPorts,
  degraded: (supervisors: readonly string[]) => void,
): ToolGuard {
  return {
    async beforeCall(call, journal): Promise<GuardDecision<ToolCall["args"]>> {
      const { server, tool } = call.tool.ref;
      const supervised = await supervise(
        "tool_call",
        { hook: "tool_call", call: requestOf(call) },
        setup.supervisors,
        journal,
        ports.supervise,
      );
      degraded(supervised.degraded);
      if (supervised.action === "block")
        return refusal(`The call of "${call.tool.name}" was blocked.`, supervised.reasons);
      const { args } = supervised.subject.call;
      const approval = await approve(call, args, journal, ports);
      if (approval !== undefined) return approval;
      // Asked last: whatever took time above, an exclusion made meanwhile holds.
      if (!setup.tools().some(({ ref }) => ref.server === server && ref.tool === tool)) {
        return refusal(`The tool "${call.tool.name}" has been excluded from this conversation.`, []);
      }
      return { kind: "go", value: args };
    },
    async afterCall(call, output, journal): Promise<GuardDecision<ToolOutput>> {
      const supervised = await supervise(
        "tool_result",
        { hook: "tool_result", call: requestOf(call), output: output.content },
        setup.supervisors,
        journal,
        ports.supervise,
      );
      degraded(supervised.degraded);
      return supervised.action === "block"
        ? refusal(`The result of "${call.tool.name}" was blocked.`, supervised.reasons)
        : { kind: "go", value: { ...output, content: supervised.subject.output } };
    },
  };
}

/** Gives a refusal, or nothing when the call may go on. The ask holds the very arguments that will be used. */
async function approve(
  call: ToolCall,
  args: ToolCall["args"],
  journal: Journal,
  ports: ToolGuardPorts,
): Promise<GuardDecision<never> | undefined> {
  const { tool } = call;
  const mode = tool.approval ?? "never";
  if (mode === "never" || (mode === "session" && (await wasApproved(tool.ref, journal, ports)))) return undefined;
  const request: AskRequest = {
    ...ports.supervise.review,
    kind: "approval",
    question: `May the tool "${tool.ref.server}/${tool.ref.tool}" be called?`,
    proposal: { toolCallId: call.toolCallId, ...tool.ref, args },
  };
  const ask = journal.ask("approval", request);
  const decision = decisionOf(ask);
  if (decision === "session") ports.approvals.approveForSession(tool.ref);
  return decision === "once" || decision === "session"
    ? undefined
    : refusal(
        `The call of "${tool.name}" was not approved (${ask.status === "answered" ? "denied" : ask.status}).`,
        [],
      );
}

/** A step, because an approval that is given later must not let a call through that was denied before it, on a replay. */
function wasApproved(ref: ToolCall["tool"]["ref"], journal: Journal, ports: ToolGuardPorts): Promise<boolean> {
  return journal.step({ id: "approved", kind: "load", schema: z.boolean(), interrupted: "again" }, async () =>
    ports.approvals.isApproved(ref),
  );
}

function decisionOf(ask: Ask): string | undefined {
  return ask.answer !== undefined && "decision" in ask.answer ? ask.answer.decision : undefined;
}

function requestOf(call: ToolCall): ToolCallRequest {
  return { toolCallId: call.toolCallId, ...call.tool.ref, args: { ...call.args } };
}

function refusal(what: string, reasons: readonly string[]): { kind: "refuse"; reason: string } {
  return { kind: "refuse", reason: [what, ...reasons].join(" ") };
}

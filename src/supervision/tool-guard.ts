/** How a session's tool calls and results are supervised, and when a person has to approve a call first. */
import { z } from "zod";
import type { Journal } from "../agent/journal.js";
import type { GuardDecision, ToolCall, ToolGuard, ToolOutput } from "../agent/tools.js";
import { decisionOf } from "../asks/answer.js";
import type { AskRequest } from "../asks/ask.js";
import { type ApprovalPolicy, nearest } from "../asks/policy.js";
import { schemaForAsk } from "../asks/proposal.js";
import type { ToolCallRequest } from "../conversation/message.js";
import { alsoActiveAt } from "./as-hop.js";
import { withMessage } from "./decider-message.js";
import type { NoteDegraded } from "./exchange.js";
import { superviseQuestion } from "./question-guard.js";
import { type SupervisePorts, supervise } from "./supervise.js";
import type { Supervisor } from "./supervisor.js";

export interface ToolGuardPorts {
  readonly supervise: SupervisePorts;
  readonly approvals: ToolApprovals;
  /** Checks arguments against a tool's JSON Schema; returns what is wrong, in words. */
  readonly validateArguments: (tool: ToolCall["tool"], args: unknown) => readonly string[];
  /** Called with the arguments of a call that have passed, before anybody is asked to approve it; on replays too. */
  readonly argumentsPassed?: (toolCallId: string, args: ToolCall["args"]) => void;
  /** Who answers approvals, how long they are waited for, and what counts then, where a tool doesn't say it. */
  readonly approval?: ApprovalPolicy | undefined;
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
  noteDegraded: NoteDegraded,
): ToolGuard {
  return {
    async beforeCall(call, journal): Promise<GuardDecision<ToolCall["args"]>> {
      const { server, tool } = call.tool.ref;
      const superviseCall = async (made: ToolCall, scope: Journal): Promise<GuardDecision<ToolCall["args"]>> => {
        const subject = { hook: "tool_call", call: requestOf(made) } as const;
        const passed = await supervise(subject, setup.supervisors, scope, ports.supervise);
        noteDegraded(passed.degraded);
        return passed.action === "block"
          ? refusal(`The call of "${call.tool.name}" was blocked.`, passed.reasons)
          : { kind: "go", value: passed.subject.call.args };
      };
      const supervised = await superviseCall(call, journal);
      if (supervised.kind === "refuse") return supervised;
      const question = await questionFor(call, supervised.value, setup.supervisors, journal, ports);
      noteDegraded(question.degraded);
      if (question.kind === "refuse") return question;
      const args = question.value;
      const unfit = unfitArguments(call, args, ports);
      if (unfit !== undefined) return unfit;
      ports.argumentsPassed?.(call.toolCallId, args);
      // Journalled, because a later exclusion must not undo a call that ran while it was allowed.
      const inForce = (step: string): Promise<boolean> =>
        decidedOnce(journal, step, () => setup.tools().some(({ ref }) => ref.server === server && ref.tool === tool));
      const reason = `The tool "${call.tool.name}" has been excluded from this conversation.`;
      const excluded = { kind: "refuse", reason, why: "excluded" } as const;
      // Nobody is asked to approve what can't be called; and what was excluded while they thought about it isn't called either.
      if (!(await inForce("offered"))) return excluded;
      const approval = await approve(call, args, setup.supervisors, journal, ports);
      if (approval.kind === "refuse") return approval;
      if (approval.value === args) return (await inForce("in-force")) ? approval : excluded;
      // What a person would have it called with instead is no less a call than a model's.
      const edited = await superviseCall({ ...call, args: approval.value }, journal.scope("approved-args"));
      if (edited.kind === "refuse") return edited;
      const wrong = unfitArguments(call, edited.value, ports);
      if (wrong !== undefined) return wrong;
      ports.argumentsPassed?.(call.toolCallId, edited.value);
      return (await inForce("in-force")) ? { ...approval, value: edited.value } : excluded;
    },
    async afterCall(call, output, journal): Promise<GuardDecision<ToolOutput>> {
      const supervised = await supervise(
        { hook: "tool_result", call: requestOf(call), output: output.content },
        // An answer of a person comes in like a message.
        call.tool.asksPeople ? alsoActiveAt("tool_result", "request", setup.supervisors) : setup.supervisors,
        journal,
        // A person may give orders.
        call.tool.asksPeople ? { ...ports.supervise, ordersInData: "allow" } : ports.supervise,
      );
      noteDegraded(supervised.degraded);
      const passed: GuardDecision<ToolOutput> =
        supervised.action === "block"
          ? refusal(`The result of "${call.tool.name}" was blocked.${wasMade(call, output)}`, supervised.reasons)
          : { kind: "go", value: { ...output, content: supervised.subject.output } };
      ports.supervise.environment?.calls?.note(call.toolCallId, {
        ref: call.tool.ref,
        args: JSON.stringify(call.args),
        result: passed.kind === "go" ? passed.value.content : passed.reason,
      });
      return passed;
    },
  };
}

/** A result that nobody reads undoes nothing: without this a model takes the call for one that wasn't made, and makes it again. */
function wasMade({ tool }: ToolCall, { isError, effect }: ToolOutput): string {
  if (tool.readOnly === true || tool.asksPeople === true || effect === "none") return "";
  return isError === true ? "" : " The call was made all the same: it was done.";
}

/** A refusal, if a supervisor or a reviewer made arguments of the call that don't fit the tool. Before anybody is asked to approve it. */
function unfitArguments(
  call: ToolCall,
  args: ToolCall["args"],
  { validateArguments }: Pick<ToolGuardPorts, "validateArguments">,
): GuardDecision<never> | undefined {
  if (JSON.stringify(args) === JSON.stringify(call.args)) return undefined;
  const problems = validateArguments(call.tool, args);
  if (problems.length === 0) return undefined;
  const { name } = call.tool;
  return refusal(
    `The call of "${name}" was not made: supervision changed its arguments, and as they are now they don't fit the tool: ${problems.join("; ")}`,
    [],
  );
}

/** A question to a person is supervised once more, as what leaves the system. Every other call goes on as it is. */
async function questionFor(
  call: ToolCall,
  args: ToolCall["args"],
  supervisors: readonly Supervisor[],
  journal: Journal,
  ports: ToolGuardPorts,
): Promise<GuardDecision<ToolCall["args"]> & { readonly degraded: readonly string[] }> {
  const parsed = call.tool.asksPeople === true ? questionArguments.safeParse(args) : undefined;
  if (parsed?.success !== true) return { kind: "go", value: args, degraded: [] };
  const { priority, timeoutMs, accepts } = args;
  const from = call.toolCallId;
  const passed = await superviseQuestion(from, parsed.data, supervisors, journal.scope("question"), ports.supervise);
  const { degraded } = passed;
  if (!passed.ok) return { ...refusal("The question was not asked: it was blocked.", passed.reasons), degraded };
  // Nothing was changed: the very arguments go on.
  if (passed.texts === parsed.data) return { kind: "go", value: args, degraded };
  const kept = Object.entries({ priority, timeoutMs, accepts }).filter(([, value]) => value !== undefined);
  return { kind: "go", value: { ...Object.fromEntries(kept), ...passed.texts }, degraded };
}

const questionArguments = z.object({
  question: z.string(),
  context: z.string().optional(),
  suggestions: z.array(z.string()).optional(),
  defaultResponse: z.string().optional(),
});

/**
 * Returns a refusal, or the arguments with which the call may go on. The ask belongs to this very call, whose id the server gave it, and
 * holds the arguments that will be used and their hash: an approval of one call is none of another.
 */
async function approve(
  call: ToolCall,
  args: ToolCall["args"],
  supervisors: readonly Supervisor[],
  journal: Journal,
  ports: ToolGuardPorts,
): Promise<GuardDecision<ToolCall["args"]>> {
  const { tool } = call;
  const mode = tool.approval ?? "never";
  const goOn = { kind: "go", value: args } as const;
  if (mode === "never") return goOn;
  // Journalled: an approval for the session that is given later must not change what this call did.
  const approved = await decidedOnce(
    journal,
    "approved",
    () => mode === "session" && ports.approvals.isApproved(tool.ref),
  );
  if (approved) return goOn;
  const { toolCallId } = call;
  const argsHash = await ports.supervise.hash({ hook: "tool_call", call: { toolCallId, ...tool.ref, args } });
  const policy = nearest(tool.approvalPolicy, ports.approval);
  const { audience = "staff", timeoutMs, overdueAfterMs, default: decided } = policy;
  const request: AskRequest = {
    audience,
    timeoutMs,
    overdueAfterMs,
    ...(decided === undefined ? {} : { defaultResponse: { decision: decided } }),
    source: { ...ports.supervise.source, tool: `${tool.ref.server}/${tool.ref.tool}`, toolCallId },
    kind: "approval",
    question: `May the tool "${tool.ref.server}/${tool.ref.tool}" be called?`,
    proposal: { toolCallId, ...tool.ref, args, argsHash, approval: mode, ...schemaForAsk(tool.parameters) },
  };
  const ask = journal.ask("approval", request);
  const proposed = proposalSchema.safeParse(ask.proposal);
  if (!proposed.success || proposed.data.toolCallId !== call.toolCallId || proposed.data.argsHash !== argsHash) {
    return refusal(`The call of "${tool.name}" was not made: what was approved is another call.`, []);
  }
  const answer = decisionOf(ask);
  const { decision, message } = answer ?? {};
  const told = (sentence: string): Promise<string> =>
    withMessage(sentence, { message }, { hook: "tool_call", supervisors, journal, ports: ports.supervise });
  if (decision === "session") ports.approvals.approveForSession(tool.ref);
  if (decision === "once" || decision === "session") {
    const value = answer !== undefined && "args" in answer ? (answer.args ?? args) : args;
    return { kind: "go", value, ...(message !== undefined && { told: await told("Who approved this call says.") }) };
  }
  const how = ask.status === "answered" ? "denied" : ask.status;
  return {
    kind: "refuse",
    reason: await told(`The call of "${tool.name}" was not approved (${how}).`),
    why: "declined",
  };
}

const proposalSchema = z.object({ toolCallId: z.string(), argsHash: z.string() });

function decidedOnce(journal: Journal, id: string, decide: () => boolean): Promise<boolean> {
  return journal.step({ id, kind: "load", schema: z.boolean(), interrupted: "again" }, async () => decide());
}

function requestOf(call: ToolCall): ToolCallRequest {
  return { toolCallId: call.toolCallId, ...call.tool.ref, args: { ...call.args } };
}

function refusal(what: string, reasons: readonly string[]): { kind: "refuse"; reason: string } {
  return { kind: "refuse", reason: [what, ...reasons].join(" ") };
}

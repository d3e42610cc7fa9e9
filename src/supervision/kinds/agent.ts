/**
 * Supervisors of kind `agent`: a model with instructions of its own that decides through tools. It runs on the one agent loop;
 * each pass is a fresh, bounded exchange (nothing is carried over from pass to pass, so nothing can pile up or go stale). What it
 * judges reaches it as delimited data under its own system prompt.
 */
import type { z } from "zod";
import type { AgentOutcome } from "../../agent/agent-spec.js";
import { type AgentLimits, defaultAgentLimits } from "../../agent/budget.js";
import { runAgent } from "../../agent/loop.js";
import type { AgentObserver, AgentPorts } from "../../agent/ports.js";
import { type CallRecord, openGuard } from "../../agent/tools.js";
import type { ModelPort } from "../../model/port.js";
import { conversationAround, type Environment } from "../environment.js";
import type { SupervisorCall } from "../state.js";
import type { Subject } from "../subject.js";
import {
  type JudgeContext,
  mayModifyMessages,
  NoDecisionError,
  type Permissions,
  RefusedCallError,
  type Supervisor,
} from "../supervisor.js";
import { contextTools } from "../tools/context-tools.js";
import { actionWanted, decisionNames, decisionTools } from "../tools/decision-tools.js";
import { reasonSchema } from "../tools/reason.js";
import { PassToolkit } from "../tools/toolkit.js";
import { type Action, type Hook, hooks, isStricter, strictest, type Verdict } from "../verdict.js";
import type { agentConfigSchema } from "./agent-config.js";
import { type ReplyPart, supervisorPrompt, type TranscriptPart } from "./agent-prompt.js";
import { maxParts, partsOf } from "./reply-parts.js";
import { transcriptParts } from "./transcript-parts.js";

export type AgentSupervisorSettings = Omit<
  Supervisor,
  "kind" | "mayModify" | "pure" | "reasons" | "judge" | "openStream"
> & {
  readonly permission: Permissions;
  readonly config: z.infer<typeof agentConfigSchema>;
};

export interface AgentSupervisorPorts extends Pick<AgentPorts, "now" | "validateArguments" | "withDeadline"> {
  readonly model: () => Promise<ModelPort>;
}

/** Rounds in which it may look around before it has to decide. */
const defaultRounds = 4;

export function agentSupervisor(settings: AgentSupervisorSettings, ports: AgentSupervisorPorts): Supervisor {
  return {
    ...settings,
    kind: "agent",
    mayModify: mayModifyMessages(settings.permission),
    onlyJudgesAt: new Set(hooks.filter((hook) => !changesTexts(hook, settings))),
    pure: false,
    ...(settings.config.reasons === undefined ? {} : { reasons: new Set(settings.config.reasons) }),
    judge: (subject, judging) => judge(subject, judging, settings, ports),
  };
}

/** Tools that put one text in the place of all that is said: who sees a part of it can't use them. */
const wholeTexts: readonly string[] = ["modify_response"];

function givesTool({ tools }: AgentSupervisorSettings["config"], name: string): boolean {
  return (
    name === "allow_message" || name === "block_message" || tools === undefined || tools.some((one) => one === name)
  );
}

/** Whether it holds a tool at this hook that changes a text: then it may propose another one to reviewers, too. */
function changesTexts(hook: Hook, { permission, config }: AgentSupervisorSettings): boolean {
  return decisionNames(hook, permission).some((name) => givesTool(config, name) && actionWanted(name) === "modify");
}

/**
 * A long reply, and a long conversation before a text, in parts, one after the other: every part of either is looked at, and each look
 * sees what those before it made of the text.
 */
async function judge(
  subject: Subject,
  judging: JudgeContext,
  settings: AgentSupervisorSettings,
  ports: AgentSupervisorPorts,
): Promise<Verdict> {
  const looks = looksAt(subject, judging.surroundings);
  const [only] = looks;
  if (looks.length === 1 && only !== undefined) return judgeOnce({ subject, ...only }, judging, settings, ports);
  let so: Verdict = { action: "allow", reasons: [] };
  for (const [index, look] of looks.entries()) {
    const current = so.change?.kind === "subject" ? so.change.subject : subject;
    const inPart = { ...judging, journal: judging.journal.scope(`part/${index}`) };
    try {
      so = combined(so, await judgeOnce({ subject: current, ...look }, inPart, settings, ports));
    } catch (error) {
      if (!(error instanceof NoDecisionError) || so.action === "allow") throw error;
      const refused = error instanceof RefusedCallError ? error : undefined;
      const decided = refused?.decided === undefined ? so : combined(so, refused.decided);
      throw new RefusedCallError(error.message, decided, refused?.wish);
    }
    if (so.action === "block") return so;
  }
  return so;
}

/** What is shown in one exchange with the model: one part of a long reply, one of what was said before. */
interface Look {
  readonly part?: ReplyPart;
  readonly transcript: TranscriptPart;
}

/** The newest part of the conversation comes first. Where both are long, their parts go side by side. */
function looksAt(subject: Subject, environment: Environment): Look[] {
  const parts = subject.hook === "response" ? partsOf(subject.reply) : [];
  if (parts.length > maxParts) {
    throw new NoDecisionError(`the reply has ${parts.length} parts of text, and it reads at most ${maxParts} of one`);
  }
  const transcripts = transcriptParts(conversationAround(subject, environment));
  const of = transcripts.length;
  return Array.from({ length: Math.max(parts.length, of) }, (_, index): Look => {
    const at = Math.max(0, of - 1 - index);
    const transcript = { lines: transcripts[at] ?? "", number: at + 1, of };
    const pieces = parts[Math.min(index, parts.length - 1)];
    if (parts.length <= 1 || pieces === undefined) return { transcript };
    return { transcript, part: { pieces, number: Math.min(index, parts.length - 1) + 1, of: parts.length } };
  });
}

function combined(before: Verdict, next: Verdict): Verdict {
  const change = next.change ?? before.change;
  const usage = {
    inputTokens: (before.usage?.inputTokens ?? 0) + (next.usage?.inputTokens ?? 0),
    outputTokens: (before.usage?.outputTokens ?? 0) + (next.usage?.outputTokens ?? 0),
  };
  return {
    action: strictest(before.action, next.action),
    reasons: [...before.reasons, ...next.reasons],
    ...(change === undefined ? {} : { change }),
    usage,
  };
}

/** What is judged in one exchange with the model. */
interface Judged extends Look {
  readonly subject: Subject;
}

async function judgeOnce(
  judged: Judged,
  judging: JudgeContext,
  settings: AgentSupervisorSettings,
  ports: AgentSupervisorPorts,
): Promise<Verdict> {
  const kit = new PassToolkit(judged.subject, settings.permission);
  const close = (): void => kit.close();
  judging.signal.addEventListener("abort", close);
  const refused: RefusedCall[] = [];
  const observer: AgentObserver = {
    // As they happen: what it did before it ran out of time is on record too.
    callEnded(round, record) {
      judging.called(callOnRecord(record));
      if (!record.isError) return;
      refused.push({ round, name: record.name, detail: record.content });
      judging.refused(actionWanted(record.name) ?? "allow");
    },
  };
  try {
    const outcome = await run(kit, judged, judging, settings, { ...ports, observer });
    return verdictOf(kit, outcome, refused);
  } finally {
    judging.signal.removeEventListener("abort", close);
    kit.close();
  }
}

async function run(
  kit: PassToolkit,
  { subject, part, transcript }: Judged,
  judging: JudgeContext,
  settings: AgentSupervisorSettings,
  ports: AgentSupervisorPorts & { readonly observer: AgentObserver },
): Promise<AgentOutcome> {
  const { name, permission, config, timeoutMs } = settings;
  const { surroundings, hash, contextChanged, sanitizeReason, journal, signal } = judging;
  const reason = reasonSchema(config.reasons);
  const offered = [
    ...decisionTools(kit, hash, reason, part === undefined && changesTexts(subject.hook, settings)),
    ...(surroundings.context === undefined
      ? []
      : contextTools(kit, {
          editor: surroundings.context,
          supervisor: name,
          reason,
          sanitizeReason,
          changed: contextChanged,
        })),
  ];
  const isGiven = (tool: string): boolean =>
    givesTool(config, tool) && (part === undefined || !wholeTexts.includes(tool));
  const endingTools = decisionNames(subject.hook, permission).filter(isGiven);
  // Each of them looks at the permission again when it is called.
  const tools = offered.filter((tool) => tool.offered && isGiven(tool.name));
  const prompt = supervisorPrompt(subject, {
    ...(part === undefined ? {} : { part }),
    name,
    instructions: config.instructions,
    baseHash: await hash(subject),
    transcript,
    statistics: surroundings.statistics?.() ?? {},
  });
  const limits: AgentLimits = {
    ...defaultAgentLimits,
    maxToolRounds: config.maxToolRounds ?? defaultRounds,
    // One after the other, so that what it says applies in the order in which it says it.
    parallelTools: 1,
    modelTimeoutMs: timeoutMs,
    maxActiveMs: timeoutMs,
  };
  return runAgent(
    {
      models: typeof config.model === "string" ? [config.model] : config.model,
      prompt: () => prompt,
      tools: () => (kit.closed ? [] : tools),
      endingTools,
      toolChoice: "required",
      ...(config.temperature === undefined ? {} : { temperature: config.temperature }),
      limits,
      replyId: `${surroundings.workId ?? "pass"}.${subject.hook}.${name}`,
    },
    { ...ports, model: await ports.model(), journal, signal, guard: openGuard },
  );
}

/** A call that did nothing, and the model's round that it stood in. */
interface RefusedCall {
  readonly round: number;
  readonly name: string;
  readonly detail: string;
}

/** What of a call is on record: its tool and what that was about. Arguments of a refused one are free text of the model. */
function callOnRecord({ tool, args, isError, content }: CallRecord): SupervisorCall {
  if (isError) return { tool, refused: content };
  const { server, tool: named, name } = args;
  const about = typeof name === "string" ? name : typeof server === "string" ? `${server}/${String(named)}` : undefined;
  return { tool, ...(about === undefined ? {} : { about }) };
}

/** @throws when nothing was decided, or when a stricter or an editing wish than what was decided came to nothing. */
function verdictOf(kit: PassToolkit, outcome: AgentOutcome, refused: readonly RefusedCall[]): Verdict {
  const decided = kit.verdict();
  if (decided === undefined) {
    if (outcome.kind === "failed") throw new Error(`its model (setting config.model) failed: ${outcome.detail}`);
    throw new NoDecisionError(
      "it ended without a decision: it has to call one of allow_message, block_message, request_review or a modifying tool",
    );
  }
  const verdict = { ...decided, usage: { inputTokens: outcome.inputTokens, outputTokens: outcome.outputTokens } };
  const lastRound = outcome.modelCalls - 1;
  const lostCalls = refused.filter((call) => isLost(call, decided.action, lastRound));
  const [lost] = lostCalls;
  if (lost !== undefined) {
    const what = isStricter("modify", decided.action) ? "allowed" : `decided "${decided.action}"`;
    const when = lost.round === lastRound ? "in the same breath" : "afterwards";
    throw new RefusedCallError(
      `its call of the tool ${toolNamed(lost)} was refused and it ${what} ${when}: ${lost.detail}`,
      verdict,
      strictest("allow", ...lostCalls.map(({ name }) => actionWanted(name) ?? "allow")),
    );
  }
  return verdict;
}

/** Whether what a refused call wanted isn't in the decision, which ended the last round. */
function isLost({ name, round }: RefusedCall, decided: Action, lastRound: number): boolean {
  const beside = round === lastRound;
  // Beside a decision nothing may have failed: nobody knows what a tool that doesn't exist was to do.
  const wanted = actionWanted(name) ?? (beside ? "modify" : "allow");
  // An edit that was tried again and done in a later round is done; one beside another edit is not.
  return isStricter(wanted, decided) || (beside && wanted === "modify" && decided === "modify");
}

/** A name that a model invented is free text. */
function toolNamed({ name }: RefusedCall): string {
  return actionWanted(name) === undefined ? "that it named" : name;
}

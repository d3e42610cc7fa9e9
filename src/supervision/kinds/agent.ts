/**
 * Supervisors of kind `agent`: a model with instructions of its own that decides through tools. It runs on the one agent loop;
 * each pass is a fresh, bounded exchange (nothing is carried over from pass to pass, so nothing can pile up or go stale). What it
 * judges reaches it as delimited data under its own system prompt.
 */
import { z } from "zod";
import type { AgentOutcome } from "../../agent/agent-spec.js";
import { type AgentLimits, defaultAgentLimits } from "../../agent/budget.js";
import { callResult, runAgent } from "../../agent/loop.js";
import type { AgentObserver } from "../../agent/ports.js";
import type { CallRecord } from "../../agent/tools.js";
import { defined } from "../../conversation/defined.js";
import { addTokens, noTokens } from "../../model/port.js";
import { conversationAround, type Environment } from "../environment.js";
import { ownGuard, ownParts } from "../own-parts.js";
import type { SupervisorCall } from "../state.js";
import type { Subject } from "../subject.js";
import {
  type JudgeContext,
  LimitReachedError,
  mayModifyMessages,
  NoDecisionError,
  RefusedCallError,
  type Supervisor,
  supervisorSettingsSchema,
} from "../supervisor.js";
import { contextTools } from "../tools/context-tools.js";
import { actionWanted, decisionNames, decisionTools } from "../tools/decision-tools.js";
import { PassToolkit, reasonSchema, supervisionServer } from "../tools/toolkit.js";
import { type Action, type Hook, hooks, isStricter, strictest, type Verdict } from "../verdict.js";
import { agentConfigSchema } from "./agent-config.js";
import { type ReplyPart, supervisorPrompt, type TranscriptPart } from "./agent-prompt.js";
import { type KindPorts, type KindSettings, type OwnParts, supervisorKind } from "./kind.js";
import { maxParts, partsOf } from "./reply-parts.js";
import { transcriptParts } from "./transcript-parts.js";

export type AgentSupervisorSettings = KindSettings<z.infer<typeof agentConfigSchema>>;
type AgentSupervisorPorts = Pick<KindPorts, "now" | "validateArguments" | "withDeadline" | "model" | "own">;

export const agentKind = supervisorKind({
  schema: supervisorSettingsSchema.extend({ kind: z.literal("agent"), config: agentConfigSchema }),
  onFailure: "allow",
  timeoutMs: 30_000,
  build: agentSupervisor,
  models: ({ model }) => model,
});

/** Rounds in which it may look around before it has to decide. */
const defaultRounds = 4;

export function agentSupervisor(settings: AgentSupervisorSettings, ports: AgentSupervisorPorts): Supervisor {
  const [model] = [settings.config.model].flat();
  return {
    ...settings,
    kind: "agent",
    mayModify: mayModifyMessages(settings.permission),
    onlyJudgesAt: new Set(hooks.filter((hook) => !changesTexts(hook, settings))),
    pure: false,
    readsConversation: true,
    ...defined({ model, reasons: settings.config.reasons && new Set(settings.config.reasons) }),
    judge: (subject, context) => judge(subject, context, settings, ports),
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
  context: JudgeContext,
  settings: AgentSupervisorSettings,
  ports: AgentSupervisorPorts,
): Promise<Verdict> {
  const { config, mode } = settings;
  const own = await ownParts(config, mode, context.journal.scope("own"), ports.own);
  const looks = looksAt(subject, context.environment);
  const [only] = looks;
  if (looks.length === 1 && only !== undefined) return judgeOnce({ subject, own, ...only }, context, settings, ports);
  let so: Verdict = { action: "allow", reasons: [] };
  for (const [index, look] of looks.entries()) {
    const current = so.change?.kind === "subject" ? so.change.subject : subject;
    const inPart = { ...context, journal: context.journal.scope(`part/${index}`) };
    try {
      so = combined(so, await judgeOnce({ subject: current, own, ...look }, inPart, settings, ports));
    } catch (error) {
      if (!(error instanceof NoDecisionError) || error instanceof LimitReachedError || so.action === "allow")
        throw error;
      const refused = error instanceof RefusedCallError ? error : undefined;
      const decided = refused?.decided === undefined ? so : combined(so, refused.decided);
      throw new RefusedCallError(error.message, decided, refused?.requested);
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
  const usage = addTokens(before.usage ?? noTokens, next.usage ?? noTokens);
  return {
    action: strictest(before.action, next.action),
    reasons: [...before.reasons, ...next.reasons],
    ...defined({ change, model: next.model ?? before.model }),
    usage,
  };
}

/** What is judged in one exchange with the model. */
interface Judged extends Look {
  readonly subject: Subject;
  readonly own: OwnParts;
}

async function judgeOnce(
  judged: Judged,
  context: JudgeContext,
  settings: AgentSupervisorSettings,
  ports: AgentSupervisorPorts,
): Promise<Verdict> {
  const kit = new PassToolkit(judged.subject, settings.permission);
  const close = (): void => kit.close();
  context.signal.addEventListener("abort", close);
  const refused: RefusedCall[] = [];
  const observer: AgentObserver = {
    // As they happen: what it did before it ran out of time is on record too.
    callEnded(round, record) {
      // What its own tools didn't find decides nothing, and loses nothing.
      const isOwn = judged.own.tools.some(({ name }) => name === record.name);
      context.called(callOnRecord(record), isOwn ? callResult(record) : undefined);
      if (!record.isError || isOwn) return;
      refused.push({ round, name: record.name, detail: record.content });
      context.refused(actionWanted(record.name) ?? "allow");
    },
  };
  try {
    const outcome = await run(kit, judged, context, settings, { ...ports, observer });
    return verdictOf(kit, outcome, refused);
  } finally {
    context.signal.removeEventListener("abort", close);
    kit.close();
  }
}

async function run(
  kit: PassToolkit,
  { subject, part, transcript, own }: Judged,
  context: JudgeContext,
  settings: AgentSupervisorSettings,
  ports: AgentSupervisorPorts & { readonly observer: AgentObserver },
): Promise<AgentOutcome> {
  const { name, permission, config, timeoutMs } = settings;
  const { environment, hash, contextChanged, sanitizeReason, journal, signal } = context;
  const reason = reasonSchema(config.reasons);
  const offered = [
    ...decisionTools(kit, hash, reason, part === undefined && changesTexts(subject.hook, settings)),
    ...(environment.context === undefined
      ? []
      : contextTools(kit, {
          editor: environment.context,
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
    ...defined({ part }),
    references: own.references,
    name,
    instructions: config.instructions,
    baseHash: await hash(subject),
    transcript,
    statistics: environment.statistics?.() ?? {},
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
      tools: () => (kit.closed ? [] : [...tools, ...own.tools]),
      endingTools,
      toolChoice: "required",
      ...defined({ temperature: config.temperature }),
      limits,
      replyId: `${environment.workId ?? "pass"}.${subject.hook}.${name}`,
    },
    { ...ports, model: await ports.model(), journal, signal, guard: ownGuard },
  );
}

/** A call that did nothing, and the model's round that it stood in. */
interface RefusedCall {
  readonly round: number;
  readonly name: string;
  readonly detail: string;
}

/** What of a call is on record: its tool and what that was about. Arguments of a refused one are free text of the model. */
function callOnRecord({ server: origin, tool: called, args, isError, content }: CallRecord): SupervisorCall {
  const isOwn = origin !== "" && origin !== supervisionServer;
  const tool = isOwn ? `${origin}/${called}` : called;
  if (isError) return { tool, refused: content };
  if (isOwn) return { tool };
  const { server, tool: named, name } = args;
  const about = typeof name === "string" ? name : typeof server === "string" ? `${server}/${String(named)}` : undefined;
  return { tool, ...defined({ about }) };
}

/** @throws when nothing was decided, or when a stricter or an editing request than what was decided came to nothing. */
function verdictOf(kit: PassToolkit, outcome: AgentOutcome, refused: readonly RefusedCall[]): Verdict {
  const decided = kit.verdict();
  if (decided === undefined) {
    if (outcome.kind === "failed" && (outcome.code === "limit_reached" || outcome.code === "unpriced_model"))
      throw new LimitReachedError(outcome.detail);
    if (outcome.kind === "failed") throw new Error(`its model (setting config.model) failed: ${outcome.detail}`);
    throw new NoDecisionError(
      "it ended without a decision: it has to call one of allow_message, block_message, request_review or a modifying tool",
    );
  }
  const { model } = outcome;
  const verdict = { ...decided, usage: addTokens(outcome, noTokens), ...defined({ model }) };
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
  const wish = actionWanted(name) ?? (beside ? "modify" : "allow");
  // An edit that was tried again and done in a later round is done; one beside another edit is not.
  return isStricter(wish, decided) || (beside && wish === "modify" && decided === "modify");
}

/** A name that a model invented is free text. */
function toolNamed({ name }: RefusedCall): string {
  return actionWanted(name) === undefined ? "that it named" : name;
}

/**
 * Supervisors of kind `agent`: a model with instructions of its own that decides through tools. It runs on the one agent loop;
 * each pass is a fresh, bounded exchange (nothing is carried over from pass to pass, so nothing can pile up or go stale). What it
 * judges reaches it as delimited data under its own system prompt.
 */
import type { z } from "zod";
import { type AgentLimits, defaultAgentLimits } from "../../agent/budget.js";
import { type AgentOutcome, runAgent } from "../../agent/loop.js";
import type { AgentPorts } from "../../agent/ports.js";
import { openGuard } from "../../agent/tools.js";
import type { ModelPort } from "../../model/port.js";
import type { Subject } from "../subject.js";
import {
  type JudgeContext,
  mayModifyMessages,
  NoDecisionError,
  type Permissions,
  type Supervisor,
} from "../supervisor.js";
import { contextTools } from "../tools/context-tools.js";
import { decisionNames, decisionTools } from "../tools/decision-tools.js";
import { reasonSchema } from "../tools/reason.js";
import { PassToolkit } from "../tools/toolkit.js";
import type { Verdict } from "../verdict.js";
import type { agentConfigSchema } from "./agent-config.js";
import { supervisorPrompt } from "./agent-prompt.js";

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
    pure: false,
    ...(settings.config.reasons === undefined ? {} : { reasons: new Set(settings.config.reasons) }),
    async judge(subject, judging) {
      const kit = new PassToolkit(subject, settings.permission);
      const close = (): void => kit.close();
      judging.signal.addEventListener("abort", close);
      try {
        const outcome = await run(kit, subject, judging, settings, ports);
        for (const call of outcome.turns.flatMap(({ toolCalls = [] }) => toolCalls)) {
          judging.called({ tool: call.tool, ...(call.error === undefined ? {} : { refused: call.error }) });
        }
        return verdictOf(kit, outcome);
      } finally {
        judging.signal.removeEventListener("abort", close);
        kit.close();
      }
    },
  };
}

async function run(
  kit: PassToolkit,
  subject: Subject,
  judging: JudgeContext,
  { name, permission, config, timeoutMs }: AgentSupervisorSettings,
  ports: AgentSupervisorPorts,
): Promise<AgentOutcome> {
  const { surroundings, hash, contextChanged, sanitizeReason: worded, journal, signal } = judging;
  const reason = reasonSchema(config.reasons);
  const offered = [
    ...decisionTools(kit, hash, reason),
    ...(surroundings.context === undefined
      ? []
      : contextTools(kit, {
          editor: surroundings.context,
          supervisor: name,
          reason,
          sanitizeReason: worded,
          changed: contextChanged,
        })),
  ];
  const endingTools = decisionNames(subject.hook, permission);
  // Each of them looks at the permission again when it is called.
  const tools = offered.filter((tool) => tool.offered);
  const prompt = supervisorPrompt(subject, {
    name,
    instructions: config.instructions,
    baseHash: await hash(subject),
    transcript: surroundings.transcript?.() ?? [],
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

/** @throws when nothing was decided, or when a stricter wish than what was decided came to nothing. */
function verdictOf(kit: PassToolkit, outcome: AgentOutcome): Verdict {
  const verdict = kit.verdict();
  if (verdict === undefined) {
    if (outcome.kind === "failed") throw new Error(`its model (setting config.model) failed: ${outcome.detail}`);
    throw new NoDecisionError(
      "it ended without a decision: it has to call one of allow_message, block_message, request_review or a modifying tool",
    );
  }
  if (verdict.action === "allow") {
    const refused = outcome.turns.at(-1)?.toolCalls?.find((call) => call.error !== undefined);
    if (refused !== undefined) {
      throw new NoDecisionError(
        `its call of the tool ${refused.tool} was refused and it allowed in the same breath: ${refused.error}`,
      );
    }
  }
  return { ...verdict, usage: { inputTokens: outcome.inputTokens, outputTokens: outcome.outputTokens } };
}

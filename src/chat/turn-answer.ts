/** Who answers a turn: the agent itself, a team or a panel. Their steps are steps of the turn. */

import type { AgentOutcome } from "../agent/agent-spec.js";
import { Parked } from "../agent/journal.js";
import type { LimitRefusal } from "../agent/limit-refusal.js";
import { runAgent } from "../agent/loop.js";
import type { AgentObserver } from "../agent/ports.js";
import { buildPrompt, type PromptParts } from "../agent/prompt.js";
import type { AgentTool, ToolCall } from "../agent/tools.js";
import { nearest } from "../asks/policy.js";
import { defined } from "../conversation/defined.js";
import { isSameTool } from "../conversation/names.js";
import { runPanel } from "../roundtable/nested.js";
import type { LoadedPanel } from "../roundtable/ports.js";
import { activeAfter } from "../routing/decide.js";
import type { LoadedTeam, TeamPorts } from "../routing/ports.js";
import type { PromptContext } from "../routing/prompt-context.js";
import type { TeamCommand } from "../routing/team-context.js";
import { runTeam } from "../routing/team-loop.js";
import type { NoteDegraded } from "../supervision/exchange.js";
import { supervisingGuard } from "../supervision/tool-guard.js";
import { questionCalls } from "./answered-questions.js";
import type { CallerInput } from "./caller-input.js";
import { answeringOf, limitsOf, promptOf, withCallerInput, withoutResultsOf } from "./caller-prompt.js";
import { superviseWaiting } from "./partial-reply.js";
import type { TurnCommand, TurnPorts, TurnSetup } from "./turn-ports.js";
import { type CallerTool, callerTool } from "./turn-request.js";

/** A turn's command with what supervision left of what was sent along with its message. */
interface JudgedCommand extends TurnCommand {
  readonly given: CallerInput | undefined;
}

/** @throws {Parked} while the answer waits for an ask */
export function answerTurn(
  command: JudgedCommand,
  message: string,
  setup: TurnSetup,
  ports: TurnPorts,
  noteDegraded: NoteDegraded,
): Promise<AgentOutcome> {
  const { team, panel } = setup;
  const { given } = command;
  const promptContext: PromptContext = () =>
    withCallerInput(given, {
      facts: setup.facts ?? [],
      ...setup.context(message),
      memory: setup.memory(),
      history: setup.history,
    });
  if (team !== undefined) {
    const { subject, metadata = {}, activeWorker } = setup;
    const task = { id: command.replyId, input: message, metadata, subject, activeWorker, promptContext, path: [] };
    return answerAsTeam(task, team, command.turnId, { ...ports, supervisors: setup.supervisors, noteDegraded });
  }
  if (panel !== undefined) {
    const about = { ...promptContext(), message };
    return answerAsPanel(command, panel, about, { ...ports, supervisors: setup.supervisors, noteDegraded });
  }
  return answerAsAgent(command, message, promptContext, setup, ports, noteDegraded);
}

/** The turn answered by the agent itself. While it waits for an ask, what there is of its reply is shown. */
async function answerAsAgent(
  command: JudgedCommand,
  message: string,
  promptContext: PromptContext,
  setup: TurnSetup,
  ports: TurnPorts,
  noteDegraded: NoteDegraded,
): Promise<AgentOutcome> {
  const { removedTool } = setup;
  const { request } = command;
  // What its session or its supervisors gave it since, the caller couldn't know of: it is the agent's all the same.
  const isOwn = (called: string): boolean =>
    setup.tools().some(({ name, ref }) => name === called || ref.tool === called);
  const callerTools = (): readonly CallerTool[] => (request?.tools ?? []).filter(({ name }) => !isOwn(name));
  const tools = (): readonly AgentTool[] => [...setup.tools(), ...callerTools().map(callerTool)];
  const given = command.given && withoutResultsOf(isOwn, command.given);
  const temperature = request?.temperature ?? setup.temperature;
  const cleared = new Map<string, Readonly<Record<string, unknown>>>();
  const guardPorts = { ...ports, argumentsPassed: (id: string, args: ToolCall["args"]) => void cleared.set(id, args) };
  let sofar: Parameters<NonNullable<AgentObserver["waiting"]>>[0] | undefined;
  try {
    return await runAgent(
      {
        models: setup.models,
        prompt: () =>
          buildPrompt({
            instructions: setup.instructions,
            ...promptContext(),
            ...promptOf(given, message),
            callerTools: [...callerTools().map(({ name }) => name), ...(given?.results ?? []).map(({ tool }) => tool)],
            toolName: (ref) => tools().find((tool) => isSameTool(tool.ref, ref))?.name,
          }),
        tools,
        ...defined({ removedTool, temperature }),
        ...answeringOf(request),
        limits: limitsOf(setup.limits, request),
        replyId: command.replyId,
      },
      {
        ...ports,
        journal: ports.journal.scope("agent"),
        asking: { source: {}, policy: nearest(setup.questions, ports.asking?.policy) },
        guard: supervisingGuard({ ...setup, tools }, guardPorts, noteDegraded),
        observer: {
          ...ports.observer,
          listen: () => ports.stream.listenToRound(),
          roundText: (_round, text) => ports.stream.roundComplete(text),
          waiting: (waiting) => {
            sofar = waiting;
          },
        },
      },
    );
  } catch (error) {
    if (!(error instanceof Parked) || sofar === undefined) throw error;
    const timestamp = new Date(command.acceptedAt).toISOString();
    await superviseWaiting({ ...sofar, timestamp }, cleared, setup.supervisors, ports);
    throw error;
  }
}

/** The turn answered by a team: its steps are steps of the turn, its questions are the turn's. */
async function answerAsTeam(
  task: TeamCommand,
  team: LoadedTeam,
  turnId: string,
  ports: TurnPorts & Pick<TeamPorts, "supervisors" | "noteDegraded">,
): Promise<AgentOutcome> {
  const { asks, raise, state, callWorker, debates, traced } = ports.team;
  const outcome = await runTeam(
    task,
    team,
    {
      ...ports,
      journal: ports.journal.scope("team"),
      asks,
      raise,
      state,
      callWorker,
      debates,
      observer: { ...ports.observer, traced, keepsTexts: false },
      work: turnId,
    },
    ports.stream.listenToRound(),
  );
  const { inputTokens, outputTokens, modelCalls } = outcome.spent;
  const spent = { ...outcome.spent, effects: outcome.effects, exchange: [] };
  if (outcome.kind === "failed") return { ...failureOf(outcome), turns: [], ...spent };
  const active = activeAfter(team.definition, outcome.results);
  const workers = [...new Set(outcome.results.map(({ worker }) => worker))].join(", ");
  return {
    kind: "answered",
    text: outcome.response,
    turns: [
      {
        turnId: `${task.id}.0`,
        message: outcome.response,
        inputTokens,
        outputTokens,
        ...(outcome.clarifications.length === 0 ? {} : { toolCalls: questionCalls(outcome.clarifications, task.id) }),
      },
    ],
    metadata: { team: team.key, workers, modelCalls, ...defined({ activeWorker: active }) },
    ...spent,
  };
}

function failureOf({ code, detail, userMessage, retryAfterMs }: Pick<FailedAgent, "code" | "detail"> & FailedAs) {
  return { kind: "failed" as const, code, detail, ...defined({ userMessage, retryAfterMs }) };
}
type FailedAgent = Extract<AgentOutcome, { kind: "failed" }>;
type FailedAs = Partial<Pick<LimitRefusal, "userMessage" | "retryAfterMs">>;

/** The turn answered by a panel: its rounds are steps of the turn, what its seats ask for are asks of the turn. */
async function answerAsPanel(
  { replyId }: TurnCommand,
  panel: LoadedPanel,
  about: Omit<PromptParts, "instructions">,
  ports: TurnPorts & Pick<TeamPorts, "supervisors" | "noteDegraded">,
): Promise<AgentOutcome> {
  const { asks, raise, debates } = ports.team;
  const outcome = await runPanel(replyId, about, panel, {
    ...ports,
    journal: ports.journal.scope("panel"),
    asks,
    raise,
    debates,
    observer: { ...ports.observer, recorded: ports.observer.debated },
  });
  const { inputTokens, outputTokens, modelCalls } = outcome.spent;
  const spent = { ...outcome.spent, effects: outcome.effects, exchange: [] };
  if (outcome.kind === "failed") {
    return { ...failureOf({ code: "model_failed", ...outcome.limit, detail: outcome.detail }), turns: [], ...spent };
  }
  const { response, rounds, exit, roundtableId } = outcome;
  ports.stream.roundComplete(response);
  return {
    kind: "answered",
    text: response,
    turns: [{ turnId: `${replyId}.0`, message: response, inputTokens, outputTokens }],
    metadata: { panel: panel.name, rounds, exit: exit.reason, roundtableId, modelCalls },
    ...spent,
  };
}

/**
 * A seat's turn in a round: its model with its tools, until it takes a position. What it writes instead is read as JSON; a position that
 * can't be used goes back to it once, with the reason; a seat that fails is tried again.
 */

import type { AgentOutcome } from "../agent/agent-spec.js";
import type { AgentLimits } from "../agent/budget.js";
import { defaultAgentLimits } from "../agent/budget.js";
import { type Effect, effectsOf, refusingRepeats } from "../agent/effects.js";
import { runAgent } from "../agent/loop.js";
import { addSpent, nothingSpent } from "../agent/spent.js";
import type { AgentTool, ToolEffect, ToolGuard } from "../agent/tools.js";
import type { ModelMessage } from "../model/port.js";
import { activeAtHop } from "../supervision/as-hop.js";
import { supervise } from "../supervision/supervise.js";
import { supervisingGuard } from "../supervision/tool-guard.js";
import { citableContext } from "./context-request.js";
import type { SeatFailure } from "./debate.js";
import { factCheckTool } from "./fact-check.js";
import type { Share } from "./limits.js";
import type { DebatePorts, LoadedPanel, LoadedSeat } from "./ports.js";
import {
  type Citation,
  checkPosition,
  type Position,
  type PositionDraft,
  type PositionRules,
  positionDemand,
  type ReadPosition,
  readPosition,
} from "./position.js";
import { type SeatView, seatPrompt } from "./prompts.js";
import { requestContextTool } from "./request-context.js";
import { joinParts, splitParts } from "./supervised-parts.js";
import { roundtableServer, takePositionTool } from "./take-position.js";

export type SeatOutcome =
  | { readonly kind: "position"; readonly position: Position }
  | { readonly kind: "failed"; readonly failure: SeatFailure };

export interface SeatTurn {
  /** Begins the ids of what it does; unique, and the same over replays. */
  readonly id: string;
  readonly seat: LoadedSeat;
  readonly view: SeatView;
  readonly share: Share;
  /** What was done before this turn that isn't to be done again. */
  readonly effects: readonly Effect[];
  /** What the turn takes and does, added up as it goes. */
  readonly meter: SeatMeter;
}

export class SeatMeter {
  spent = nothingSpent;
  readonly effects: Effect[] = [];
}

/** @throws {Parked} while a person's approval or review is awaited. */
export async function takeTurn(turn: SeatTurn, panel: LoadedPanel, ports: DebatePorts): Promise<SeatOutcome> {
  const { seat, view } = turn;
  const { maxSeatRetries } = panel.limits;
  let last: Attempt = { kind: "failed", error: "it was not asked", reason: "failed" };
  let attempts = 0;
  while (attempts <= maxSeatRetries) {
    const journal = ports.journal.scope(`try${attempts}`);
    const effects = [...turn.effects, ...turn.meter.effects];
    last = await attempt({ ...turn, effects, id: `${turn.id}.${attempts}` }, panel, { ...ports, journal });
    attempts++;
    if (last.kind === "position" || last.reason !== "failed") break;
  }
  if (last.kind === "position") {
    const { position } = last;
    await ports.journal.commit("taken", () => ports.observer.recorded({ type: "position.taken", position }));
    return { kind: "position", position };
  }
  const failure: SeatFailure = { seat: seat.id, error: last.error, attempts, reason: last.reason };
  await ports.journal.commit("failed", () =>
    ports.observer.recorded({ type: "seat.failed", round: view.round, failure }),
  );
  return { kind: "failed", failure };
}

type Attempt =
  | { readonly kind: "position"; readonly position: Position }
  | { readonly kind: "failed"; readonly error: string; readonly reason: SeatFailure["reason"] };

async function attempt(turn: SeatTurn, panel: LoadedPanel, ports: DebatePorts): Promise<Attempt> {
  const { view, seat } = turn;
  const rules: PositionRules = { stance: view.role?.stance, citable: citableContext(ports.book.forSeats()) };
  const first = await callSeat(turn, panel, ports, rules, "agent", []);
  let read = positionOf(first, rules);
  if (read === undefined && refusesTools(first)) {
    const demand: ModelMessage = { role: "user", content: positionDemand(rules) };
    read = positionOf(await callSeat(turn, panel, ports, rules, "plain", [demand]), rules);
  }
  if (read === undefined) {
    if (first.kind !== "failed") return { kind: "failed", error: "it took no position", reason: "failed" };
    return { kind: "failed", error: first.detail, reason: first.code === "budget_exceeded" ? "budget" : "failed" };
  }
  if (!read.ok) {
    const again: ModelMessage[] = [
      ...(first.kind === "answered" && first.text !== "" ? [{ role: "assistant" as const, content: first.text }] : []),
      { role: "user", content: `That position can't be used: ${read.problem} ${positionDemand(rules)}` },
    ];
    read = positionOf(await callSeat(turn, panel, ports, rules, "repair", again), rules) ?? read;
  }
  if (!read.ok) return { kind: "failed", error: `its position can't be used: ${read.problem}`, reason: "failed" };
  return supervisePosition(read.position, { seat: seat.id, round: view.round }, ports);
}

/** What the model did, in one go or with what was wrong shown back. */
async function callSeat(
  turn: SeatTurn,
  panel: LoadedPanel,
  ports: DebatePorts,
  rules: PositionRules,
  scope: "agent" | "plain" | "repair",
  more: readonly ModelMessage[],
): Promise<AgentOutcome> {
  const { seat, view, share } = turn;
  const ending = takePositionTool(rules);
  const own: readonly AgentTool[] =
    scope === "agent"
      ? [
          ...(view.mayAsk ? [requestContextTool({ seat: seat.id, round: view.round }, ports)] : []),
          factCheckTool(view, panel, ports),
          ...seat.tools,
        ]
      : [];
  const tools: readonly AgentTool[] = scope === "plain" ? [] : [ending, ...own];
  const limits: AgentLimits = {
    ...defaultAgentLimits,
    maxToolRounds: scope === "agent" ? panel.limits.maxToolRounds : 0,
    modelTimeoutMs: panel.limits.modelTimeoutMs,
    maxTokens: share.maxTokens,
    maxActiveMs: share.maxActiveMs,
  };
  const noteEffect = (call: { readonly server: string; readonly toolCallId: string }, effect?: ToolEffect): void => {
    // The debate's own tools change nothing outside of it.
    if (call.server === roundtableServer) return;
    ports.observer.effect?.(call.toolCallId, effect && effectsOf([effect], [], seat.id)[0]);
  };
  const outcome = await runAgent(
    {
      models: seat.models,
      prompt: () => [...seatPrompt(view, turn.effects), ...more],
      tools: () => tools,
      ...(scope === "plain" ? {} : { endingTools: [ending.name], toolChoice: "required" as const }),
      ...(seat.temperature === undefined ? {} : { temperature: seat.temperature }),
      limits,
      replyId: `${turn.id}.${scope}`,
    },
    {
      ...ports,
      journal: ports.journal.scope(scope),
      guard: seatGuard(seat.id, tools, turn.effects, ports),
      observer: {
        toolCalled: (call) => (isPosition(call) ? undefined : ports.observer.toolCalled?.(call)),
        toolReturned: (call) => (isPosition(call) ? undefined : ports.observer.toolReturned?.(call)),
        toolProgress: (call) => ports.observer.toolProgress?.(call),
        effectBegun: (effect) => noteEffect(effect, effect),
        callEnded: (_round, record) => noteEffect(record, record.effect),
      },
      worker: seat.id,
      asking: { source: { agent: seat.id }, policy: ports.asking?.policy ?? {} },
      // The debate's own tools check their arguments themselves.
      validateArguments: (tool, args) =>
        tool.ref.server === roundtableServer ? [] : ports.validateArguments(tool, args),
    },
  );
  turn.meter.spent = addSpent(turn.meter.spent, outcome);
  turn.meter.effects.push(...effectsOf(outcome.effects, [], seat.id));
  return outcome;
}

function isPosition({ server, tool }: { readonly server: string; readonly tool: string }): boolean {
  return server === roundtableServer && tool === "take_position";
}

/** Every call is supervised like a session's; the position itself is supervised as what passes to the others. */
function seatGuard(seat: string, tools: readonly AgentTool[], done: readonly Effect[], ports: DebatePorts): ToolGuard {
  const source = { ...ports.supervise.source, agent: seat };
  const guard = supervisingGuard(
    { supervisors: ports.supervisors, tools: () => tools },
    { ...ports, supervise: { ...ports.supervise, source } },
    ports.noteDegraded,
  );
  const supervised = refusingRepeats(guard, done);
  return {
    beforeCall: async (call, journal) =>
      isPosition(call.tool.ref) ? { kind: "go", value: call.args } : supervised.beforeCall(call, journal),
    afterCall: async (call, output, journal) =>
      isPosition(call.tool.ref) ? { kind: "go", value: output } : supervised.afterCall(call, output, journal),
  };
}

function positionOf(outcome: AgentOutcome, rules: PositionRules): ReadPosition | undefined {
  if (outcome.kind === "failed") return undefined;
  if (outcome.kind === "ended") return checkPosition(outcome.by.args, rules);
  // A last round with a position that was refused says more than its text.
  const refused = outcome.turns.at(-1)?.toolCalls?.find((call) => isPosition(call) && call.error !== undefined)?.error;
  const read = readPosition(outcome.text, rules);
  return !read.ok && refused !== undefined ? { ok: false, problem: refused } : read;
}

/** Servers that know no tools refuse the whole request: then there are none. */
function refusesTools(outcome: AgentOutcome): boolean {
  return outcome.kind === "failed" && outcome.turns.length === 0 && /\bbad_request\b/.test(outcome.detail);
}

/**
 * Has a position supervised before anybody reads it: by whoever supervises what passes between agents, and what leaves the system,
 * because the debate's positions are shown to its caller.
 */
async function supervisePosition(
  draft: PositionDraft,
  { seat, round }: { readonly seat: string; readonly round: number },
  ports: DebatePorts,
): Promise<Attempt> {
  const texts = [draft.position, draft.reasoning, ...draft.citations.flatMap(textsOf)];
  const passed = await supervise(
    { hook: "hop", from: seat, to: "panel", content: joinParts(texts) },
    activeAtHop(ports.supervisors, ["response", "hop"]),
    ports.journal.scope("position"),
    { ...ports.supervise, source: { ...ports.supervise.source, agent: seat } },
  );
  ports.noteDegraded(passed.degraded);
  if (passed.action === "block") {
    return { kind: "failed", error: `Its position was blocked: ${passed.reasons.join("; ")}`, reason: "blocked" };
  }
  const content = passed.subject.content;
  if (passed.action === "allow") return { kind: "position", position: { ...draft, seat, round } };
  const cleared = splitParts(content, texts.length);
  const changed =
    cleared === undefined
      ? { ...draft, position: content, reasoning: "", citations: [] }
      : {
          ...draft,
          position: cleared[0] ?? "",
          reasoning: cleared[1] ?? "",
          citations: draft.citations.map((_, at) => citationOf(cleared.slice(2 + at * 3, 5 + at * 3))),
        };
  return { kind: "position", position: { ...changed, seat, round } };
}

function textsOf({ title, url = "", snippet = "" }: Citation): string[] {
  return [title, url, snippet];
}

function citationOf([title = "", url = "", snippet = ""]: readonly string[]): Citation {
  return { title, ...(url === "" ? {} : { url }), ...(snippet === "" ? {} : { snippet }) };
}

/**
 * A seat's turn in a round: its model with its tools, until it takes a position. What it writes instead is read as JSON; a position that
 * can't be used goes back to it once, with the reason; a seat that fails is tried again.
 */

import type { AgentOutcome } from "../agent/agent-spec.js";
import { type AgentLimits, addSpent, defaultAgentLimits, nothingSpent, type Spent } from "../agent/budget.js";
import { type Effect, effectsOf, refusingRepeats } from "../agent/effects.js";
import { type LimitRefusal, limitRefusalOf } from "../agent/limit-refusal.js";
import { runAgent } from "../agent/loop.js";
import type { AgentObserver } from "../agent/ports.js";
import type { AgentTool, ToolEffect, ToolGuard } from "../agent/tools.js";
import { defined } from "../conversation/defined.js";
import type { ModelMessage } from "../model/port.js";
import { supervisingGuard } from "../supervision/tool-guard.js";
import { citableContext } from "./context-request.js";
import type { SeatFailure } from "./debate.js";
import type { Share } from "./exit.js";
import { type DebatePorts, type LoadedPanel, type LoadedSeat, scoped, speakingAs } from "./ports.js";
import {
  type Citation,
  checkPosition,
  type Position,
  type PositionDraft,
  type PositionRules,
  positionDemand,
  type ReadPosition,
  readPosition,
  roundtableServer,
  takePositionTool,
} from "./position.js";
import { type SeatView, seatPrompt } from "./prompts.js";
import { proseAsPosition } from "./prose-position.js";
import { factCheckTool, requestContextTool } from "./seat-tools.js";
import { superviseHop } from "./supervised-texts.js";

export type SeatOutcome = Taken &
  (
    | { readonly kind: "position"; readonly position: Position }
    | { readonly kind: "failed"; readonly failure: SeatFailure }
  );

/** What a turn takes and does. */
interface Taken {
  readonly spent: Spent;
  readonly effects: readonly Effect[];
}

export interface SeatTurn {
  /** Begins the ids of what it does; unique, and the same over replays. */
  readonly id: string;
  readonly seat: LoadedSeat;
  readonly view: SeatView;
  readonly share: Share;
  /** What was done before this turn that isn't to be done again. */
  readonly effects: readonly Effect[];
}

/** @throws {Parked} while a person's approval or review is awaited. */
export async function takeTurn(turn: SeatTurn, panel: LoadedPanel, ports: DebatePorts): Promise<SeatOutcome> {
  const { seat, view } = turn;
  const own = speakingAs(seat.id, ports);
  let usage: Taken = { spent: nothingSpent, effects: [] };
  let last: Attempt = { kind: "failed", error: "it was not asked", reason: "failed" };
  let attempts = 0;
  while (attempts <= panel.limits.maxSeatRetries && isWorthAgain(last)) {
    const again = { ...turn, id: `${turn.id}.${attempts}`, effects: [...turn.effects, ...usage.effects] };
    const tried = new SeatAttempt(again, panel, scoped(own, `try${attempts}`));
    last = await tried.run();
    usage = { spent: addSpent(usage.spent, tried.spent), effects: [...usage.effects, ...tried.effects] };
    attempts++;
  }
  if (last.kind === "position") {
    const { position } = last;
    await ports.journal.commit("taken", () => ports.observer.recorded({ type: "position.taken", position }));
    return { kind: "position", position, ...usage };
  }
  const { error, reason, limit } = last;
  const { code, userMessage } = limit ?? {};
  const failure: SeatFailure = { seat: seat.id, error, attempts, reason, ...defined({ limit: code, userMessage }) };
  await ports.journal.commit("failed", () =>
    ports.observer.recorded({ type: "seat.failed", round: view.round, failure }),
  );
  return { kind: "failed", failure, ...usage };
}

type Attempt =
  | { readonly kind: "position"; readonly position: Position }
  | ({ readonly kind: "failed"; readonly error: string } & Pick<SeatFailure, "reason"> & {
        readonly limit?: LimitRefusal;
      });

/** What no limit was in the way of. */
function isWorthAgain(last: Attempt): boolean {
  return last.kind === "failed" && last.reason === "failed" && last.limit === undefined;
}

class SeatAttempt {
  spent = nothingSpent;
  readonly effects: Effect[] = [];
  /** What the seat's role demands, and what it may cite. */
  private readonly rules: PositionRules;

  constructor(
    private readonly turn: SeatTurn,
    private readonly panel: LoadedPanel,
    private readonly ports: DebatePorts,
  ) {
    this.rules = { stance: turn.view.role?.stance, citable: citableContext(ports.book.forSeats()) };
  }

  async run(): Promise<Attempt> {
    const { rules } = this;
    const first = await this.call("agent", []);
    let read = positionOf(first, rules);
    if (read === undefined && refusesTools(first)) {
      read = positionOf(await this.call("plain", [{ role: "user", content: positionDemand(rules) }]), rules);
    }
    if (read === undefined) {
      if (first.kind !== "failed") return { kind: "failed", error: "it took no position", reason: "failed" };
      const reason = first.code === "budget_exceeded" ? "budget" : "failed";
      return { kind: "failed", error: first.detail, reason, ...defined({ limit: limitRefusalOf(first) }) };
    }
    if (!read.ok) {
      const written = first.kind === "answered" ? first.text : "";
      const again: ModelMessage[] = [
        ...(written === "" ? [] : [{ role: "assistant" as const, content: written }]),
        { role: "user", content: `That position can't be used: ${read.problem} ${positionDemand(rules)}` },
      ];
      read = positionOf(await this.call("repair", again), rules) ?? read;
    }
    const prose = read.ok || first.kind !== "answered" ? undefined : proseAsPosition(first.text, rules);
    if (prose !== undefined) return supervisePosition(prose, this.turn, this.ports);
    if (!read.ok) return { kind: "failed", error: `its position can't be used: ${read.problem}`, reason: "failed" };
    return supervisePosition(read.position, this.turn, this.ports);
  }

  /** What the model did, in one go or with what was wrong shown back. */
  private async call(scope: "agent" | "plain" | "repair", more: readonly ModelMessage[]): Promise<AgentOutcome> {
    const { turn, panel, ports, rules } = this;
    const { seat, view, share } = turn;
    const ending = takePositionTool(rules);
    const tools: readonly AgentTool[] = [
      ...(scope === "plain" ? [] : [ending]),
      ...(scope === "agent" && view.mayAsk ? [requestContextTool(view, ports)] : []),
      ...(scope === "agent" ? [factCheckTool(view, panel, ports), ...seat.tools] : []),
    ];
    const limits: AgentLimits = {
      ...defaultAgentLimits,
      ...share,
      maxToolRounds: scope === "agent" ? panel.limits.maxToolRounds : 0,
      modelTimeoutMs: panel.limits.modelTimeoutMs,
    };
    const outcome = await runAgent(
      {
        models: seat.models,
        prompt: () => [...seatPrompt(view, turn.effects), ...more],
        tools: () => tools,
        ...(scope === "plain" ? {} : { endingTools: [ending.name], toolChoice: "required" as const }),
        ...defined({ temperature: seat.temperature }),
        limits,
        replyId: `${turn.id}.${scope}`,
      },
      {
        ...ports,
        journal: ports.journal.scope(scope),
        guard: seatGuard(tools, turn.effects, ports),
        observer: seatObserver(seat.id, ports),
        worker: seat.id,
        asking: { source: { agent: seat.id }, policy: ports.asking?.policy ?? {} },
        // The debate's own tools check their arguments themselves.
        validateArguments: (tool, args) =>
          tool.ref.server === roundtableServer ? [] : ports.validateArguments(tool, args),
      },
    );
    this.spent = addSpent(this.spent, outcome);
    this.effects.push(...effectsOf(outcome.effects, [], seat.id));
    return outcome;
  }
}

/** What the debate observes of a seat's calls: its position isn't one of them. */
function seatObserver(seat: string, { observer }: DebatePorts): AgentObserver {
  const changed = (call: { readonly server: string; readonly toolCallId: string }, effect?: ToolEffect): void => {
    // The debate's own tools change nothing outside of it.
    if (call.server === roundtableServer) return;
    observer.effect?.(call.toolCallId, effect && effectsOf([effect], [], seat)[0]);
  };
  return {
    toolCalled: (call) => (isPosition(call) ? undefined : observer.toolCalled?.(call)),
    toolReturned: (call) => (isPosition(call) ? undefined : observer.toolReturned?.(call)),
    toolRejected: (call) => observer.toolRejected?.(call),
    toolProgress: (call) => observer.toolProgress?.(call),
    effectBegun: (effect) => changed(effect, effect),
    callEnded: (_round, record) => changed(record, record.effect),
  };
}

function isPosition({ server, tool }: { readonly server: string; readonly tool: string }): boolean {
  return server === roundtableServer && tool === "take_position";
}

/** Every call is supervised like a session's; the position itself is supervised as what passes to the others. */
function seatGuard(tools: readonly AgentTool[], done: readonly Effect[], ports: DebatePorts): ToolGuard {
  const guard = supervisingGuard({ supervisors: ports.supervisors, tools: () => tools }, ports, ports.noteDegraded);
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
 * Has a position supervised before anybody reads it: by the supervisors of what passes between agents, and of what leaves the system,
 * because the debate's positions are shown to its caller.
 */
async function supervisePosition(
  draft: PositionDraft,
  { seat, view: { round } }: SeatTurn,
  ports: DebatePorts,
): Promise<Attempt> {
  const texts = [draft.position, draft.reasoning, ...draft.citations.flatMap(textsOf)];
  const hop = { from: seat.id, to: "panel" } as const;
  const passed = await superviseHop(texts, hop, scoped(ports, "position"));
  if (passed.action === "block") {
    return { kind: "failed", error: `Its position was blocked: ${passed.why}`, reason: "blocked" };
  }
  if (passed.action === "allow") return { kind: "position", position: { ...draft, seat: seat.id, round } };
  const [position = "", reasoning = "", ...sources] = passed.texts;
  const citations = draft.citations
    .slice(0, sources.length)
    .map((_, at) => citationOf(sources.slice(at * 3, at * 3 + 3)));
  return { kind: "position", position: { ...draft, position, reasoning, citations, seat: seat.id, round } };
}

function textsOf({ title, url = "", snippet = "" }: Citation): string[] {
  return [title, url, snippet];
}

function citationOf([title = "", url = "", snippet = ""]: readonly string[]): Citation {
  return { title, ...(url === "" ? {} : { url }), ...(snippet === "" ? {} : { snippet }) };
}

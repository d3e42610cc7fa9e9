/** How a command of a roundtable ends: complete, failed, or cut short; what that makes of the debate, in one write. */

import { addSpent } from "../../src/agent/budget.js";
import { type Effect, effectsInWords } from "../../src/agent/effects.js";
import type { EndedStatus } from "../../src/agent/work.js";
import type { ActorRecord } from "../../src/conversation/actor-record.js";
import { defined } from "../../src/conversation/defined.js";
import type { Analysed } from "../../src/roundtable/analyst.js";
import { awaitedContext } from "../../src/roundtable/context-request.js";
import { limitOf, mergePass, type RoundRecord, type SeatFailure, withRound } from "../../src/roundtable/debate.js";
import { shownFailures } from "../../src/roundtable/debate-record.js";
import { budgetExhausted, countConsensus, exitOf } from "../../src/roundtable/exit.js";
import type { RoundtableError } from "../../src/roundtable/roundtable.js";
import type { Kit } from "../kit/kit.js";
import type { Driven } from "./drive.js";
import type { Requests } from "./requests.js";
import { debateOf, seatsAt } from "./roundtable-view.js";
import { type Command, isInBackground, type RoundCommandRow, type RoundtableStore } from "./store.js";

export interface EndPorts {
  readonly store: RoundtableStore;
  readonly kit: Kit;
  readonly requests: Requests;
  readonly now: () => number;
  readonly changed: () => void;
}

function statusOf({ kind }: Driven): EndedStatus {
  switch (kind) {
    case "completed":
    case "analysed":
    case "cleared":
    case "synthesised":
      return "completed";
    case "blocked":
    case "topic_blocked":
      return "blocked";
    case "all_failed":
    case "failed":
      return "failed";
  }
}

/** A round that was cut short: with what was said in it. */
function cutRound(
  { kind, round, speakers, absent, startedAt }: RoundCommandRow,
  result: Pick<RoundRecord, "positions" | "failures">,
  store: RoundtableStore,
  endedAt: string,
): RoundRecord {
  const rounds = store.rounds();
  const before = rounds.at(-1);
  const began = new Date(startedAt).toISOString();
  const cut: RoundRecord =
    kind === "round" || before === undefined
      ? { ...result, round, absent, passes: [], startedAt: began, endedAt }
      : mergePass(before, { kind, seats: speakers }, { ...result, endedAt });
  const { panel } = store.roundtable().definition;
  return {
    ...cut,
    consensus: countConsensus(withRound(rounds, cut), { ...panel, seats: seatsAt(store.roundtable()) }),
  };
}

const crashed = {
  code: "internal" as const,
  detail: "An internal error, which has been logged. Continue to try again.",
};

/** By a limit of the tenant's, where one was in the way of any of them. */
function failedBy(failures: readonly SeatFailure[]): Pick<RoundtableError, "code" | "userMessage"> {
  const limit = limitOf(failures);
  return limit === undefined
    ? { code: "all_seats_failed" }
    : { code: limit.code, ...defined({ userMessage: limit.userMessage }) };
}

/** How a command ended, and what it took. */
interface CommandEnd {
  readonly outcome: EndedStatus;
  readonly activeMs?: number;
  readonly degraded?: readonly string[];
}

export class CommandEnds {
  constructor(private readonly ports: EndPorts) {}

  end(work: string, command: Command, driven: Driven, degraded: readonly string[]): void {
    const { store } = this.ports;
    const activeMs = "spent" in driven ? driven.spent.activeMs : 0;
    const status = statusOf(driven);
    this.close(work, command, { outcome: status, activeMs, degraded }, () => {
      const all = new Set([...store.roundtable().degraded, ...degraded]);
      if (all.size > 0) store.setDegraded([...all]);
      if ("effects" in driven) store.addEffects(driven.effects);
      switch (driven.kind) {
        case "completed":
          if (driven.perspectives !== undefined) store.setPerspectives(driven.perspectives);
          if (driven.before !== undefined) this.addAnalysis(command.round - 1, driven.before);
          if ("speakers" in command) this.complete(work, command, driven.round);
          return;
        case "analysed":
          this.addAnalysis(driven.round, driven.analysed);
          return;
        case "cleared":
          return;
        case "synthesised":
          store.setSynthesis(driven.synthesis);
          this.ports.kit.events.append("synthesis.completed", work, { roundtableId: store.roundtable().roundtableId });
          return;
        case "all_failed":
          this.endIfExhausted();
          this.fail(work, command, {
            ...failedBy(driven.failures),
            detail: `All seats failed, so this is no round. ${store.roundtable().exit === undefined ? "The same continue tries again; see failures." : "The debate's budget is used up."}${effectsInWords(driven.effects)}`,
            failures: shownFailures(driven.failures),
          });
          return;
        case "blocked":
        case "topic_blocked":
          this.fail(work, command, { code: "blocked", detail: driven.detail });
          if (driven.kind === "topic_blocked") store.setExit({ reason: "blocked", round: 0 });
          return;
        case "failed":
          this.fail(work, command, { code: "failed", detail: driven.detail });
      }
    });
  }

  crash(work: string, command: Command): void {
    this.close(work, command, { outcome: "failed" }, () => {
      const done = this.keepEffects();
      this.fail(work, command, { ...crashed, detail: `${crashed.detail}${effectsInWords(done)}` });
    });
  }

  /** Ends what runs with what was said until now, and the debate with it. */
  cut(reason: "stopped" | "answered", by: ActorRecord): void {
    const { store, kit, requests, changed, now } = this.ports;
    const current = store.command();
    if (current !== undefined) {
      const { work, command } = current;
      const positions = store.positions();
      kit.loop.cancel();
      this.close(work, command, { outcome: "cancelled" }, () => {
        this.keepEffects();
        if (!("speakers" in command) || positions.length === 0) return;
        const spoken = new Set(positions.map(({ seat }) => seat));
        const failures = command.speakers
          .filter((seat) => !spoken.has(seat))
          .map((seat): SeatFailure => ({ seat, error: "It was cut short.", attempts: 1, reason: "cancelled" }));
        this.complete(work, command, cutRound(command, { positions, failures }, store, new Date(now()).toISOString()));
      });
    }
    requests.withdrawAll(by);
    store.setExit({ reason, round: store.rounds().at(-1)?.round ?? 0 });
    changed();
    if (current !== undefined) kit.loop.kick();
  }

  /** What goes on in the background is given up: what goes on now does it again, or does without. In the write that is under way. */
  dropBackground(): void {
    const { store, kit } = this.ports;
    const current = store.command();
    if (current === undefined || !isInBackground(current.command)) return;
    kit.loop.cancel();
    this.close(current.work, current.command, { outcome: "cancelled" }, () => undefined);
  }

  /** What seats did in a round that comes to no end of its own: the work after it isn't to do it again. */
  private keepEffects(): readonly Effect[] {
    const { store } = this.ports;
    const done = store.effectsUnderWay();
    store.addEffects(done);
    return done;
  }

  private complete(work: string, command: RoundCommandRow, record: RoundRecord): void {
    const { store, kit } = this.ports;
    const { roundtableId, definition, spent, exit } = store.roundtable();
    const { kind, round } = command;
    store.putRound(record);
    kit.events.append("round.completed", work, { roundtableId, round, kind });
    if (exit !== undefined) return;
    const debate = debateOf(store);
    const reached = exitOf({
      ...definition.panel,
      ...debate,
      exhausted: budgetExhausted(definition.panel.limits, spent),
      blocking: awaitedContext(debate.requests).blocking,
    });
    if (reached === undefined) return;
    store.setExit(reached);
    // Nothing is left to read an answer with.
    if (reached.reason === "budget") this.ports.requests.withdrawAll({ kind: "system", id: roundtableId });
  }

  /** Where seats fail because nothing is left to spend, the debate is over. */
  private endIfExhausted(): void {
    const { store, requests } = this.ports;
    const { roundtableId, definition, spent } = store.roundtable();
    if (budgetExhausted(definition.panel.limits, spent) === undefined) return;
    store.setExit({ reason: "budget", round: store.rounds().at(-1)?.round ?? 0 });
    requests.withdrawAll({ kind: "system", id: roundtableId });
  }

  private addAnalysis(round: number, analysed: Analysed): void {
    const { store } = this.ports;
    const record = store.rounds().find((one) => one.round === round);
    if (record?.consensus === undefined) return;
    store.putRound({ ...record, consensus: { ...record.consensus, ...analysed } });
  }

  private fail(work: string, command: Command, error: RoundtableError): void {
    const { store, kit } = this.ports;
    const { roundtableId } = store.roundtable();
    // Without an analysis the round is as it was.
    if (command.kind === "analysis") {
      this.addAnalysis(command.round, { analysisError: error.detail });
      return;
    }
    store.setError(error);
    if (!("speakers" in command)) return;
    const { kind, round } = command;
    kit.events.append("round.failed", work, { roundtableId, round, kind, code: error.code });
  }

  private close(
    work: string,
    command: Command,
    { outcome, activeMs = 0, degraded = [] }: CommandEnd,
    write: () => void,
  ): void {
    const { store, kit, changed } = this.ports;
    const { definition, keyId } = store.roundtable();
    const agent = definition.panelName;
    const since = command.startedAt;
    const ended = { kind: "round", outcome, since, agent, subject: definition.subject, keyId, degraded };
    kit.end(work, ended, (usage) => {
      store.setSpent(addSpent(store.roundtable().spent, { ...usage, activeMs }));
      write();
      store.clearCommand();
      changed();
    });
  }
}

/** How a command of a roundtable ends: complete, failed, or cut short; what that makes of the debate, in one write. */
import type { EndedStatus } from "../../src/agent/work.js";
import type { ActorRecord } from "../../src/conversation/actor-record.js";
import { awaitedContext } from "../../src/roundtable/context-request.js";
import { mergePass, type RoundRecord, type SeatFailure } from "../../src/roundtable/debate.js";
import { exitOf } from "../../src/roundtable/exit.js";
import { addSpent, budgetExhausted } from "../../src/roundtable/limits.js";
import type { RoundtableError } from "../../src/roundtable/roundtable.js";
import type { Kit } from "../kit/kit.js";
import type { Driven } from "./drive.js";
import type { Requests } from "./requests.js";
import { debateOf } from "./roundtable-view.js";
import type { Command, RoundCommandRow, RoundtableStore } from "./store.js";

export interface EndPorts {
  readonly store: RoundtableStore;
  readonly kit: Kit;
  readonly requests: Requests;
  readonly now: () => number;
  readonly changed: () => void;
}

const crashed = {
  code: "internal" as const,
  detail: "An internal error, which has been logged. Continue to try again.",
};

export class CommandEnds {
  constructor(private readonly ports: EndPorts) {}

  end(work: string, command: Command, driven: Driven, degraded: readonly string[]): void {
    const { store } = this.ports;
    const activeMs = "activeMs" in driven ? driven.activeMs : 0;
    const status: EndedStatus =
      driven.kind === "completed" ? "completed" : driven.kind === "blocked" ? "blocked" : "failed";
    this.close(work, command, status, activeMs, () => {
      const all = new Set([...store.roundtable().degraded, ...degraded]);
      if (all.size > 0) store.setDegraded([...all]);
      switch (driven.kind) {
        case "completed":
          if (command.kind === "synthesis") return;
          if (driven.perspectives !== undefined) store.setPerspectives(driven.perspectives);
          this.complete(work, command, driven.round);
          return;
        case "all_failed":
          this.fail(work, command, {
            code: "all_seats_failed",
            detail: "All seats failed, so this is no round. The same continue tries again; see failures.",
            failures: driven.failures.map(({ seat, ...failure }) => ({ agentId: seat, ...failure })),
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
    this.close(work, command, "failed", 0, () => this.fail(work, command, crashed));
  }

  /** Ends what runs with what was said until now, and the debate with it. */
  cut(reason: "stopped" | "answered", by: ActorRecord): void {
    const { store, kit, requests, changed } = this.ports;
    const current = store.command();
    if (current !== undefined) {
      const { work, command } = current;
      const positions = store.positions();
      kit.cancel();
      this.close(work, command, "cancelled", 0, () => {
        if (command.kind === "synthesis" || positions.length === 0) return;
        const spoken = new Set(positions.map(({ seat }) => seat));
        const failures = command.speakers
          .filter((seat) => !spoken.has(seat))
          .map((seat): SeatFailure => ({ seat, error: "It was cut short.", attempts: 1, reason: "cancelled" }));
        this.complete(work, command, { positions, failures });
      });
    }
    requests.withdrawAll(by);
    store.setExit({ reason, round: store.rounds().at(-1)?.round ?? 0 });
    changed();
    if (current !== undefined) kit.kick();
  }

  private complete(
    work: string,
    command: RoundCommandRow,
    result: Pick<RoundRecord, "focusQuestion" | "positions" | "failures">,
  ): void {
    const { store, kit, now } = this.ports;
    const { roundtableId, definition, spent, exit } = store.roundtable();
    const rounds = store.rounds();
    const endedAt = new Date(now()).toISOString();
    const { kind, round, speakers, absent } = command;
    const before = rounds.at(-1);
    const record: RoundRecord =
      kind === "round" || before === undefined
        ? { ...result, round, absent, passes: [], startedAt: new Date(command.startedAt).toISOString(), endedAt }
        : mergePass(before, { kind, seats: speakers }, { ...result, endedAt });
    store.putRound(record);
    kit.events.append("round.completed", work, { roundtableId, round, kind });
    if (exit !== undefined) return;
    const debate = debateOf(store);
    const reached = exitOf({
      rounds: debate.rounds,
      totalRounds: debate.totalRounds,
      exitOnConsensus: definition.panel.exitOnConsensus,
      exhausted: budgetExhausted(definition.panel.limits, spent),
      blocking: awaitedContext(debate.requests).blocking,
      stable: false,
      vetoed: false,
    });
    if (reached === undefined) return;
    store.setExit(reached);
    // Nothing is left to read an answer with.
    if (reached.reason === "budget") this.ports.requests.withdrawAll({ kind: "system", id: roundtableId });
  }

  private fail(work: string, command: Command, error: RoundtableError): void {
    const { store, kit } = this.ports;
    const { roundtableId } = store.roundtable();
    store.setError(error);
    if (command.kind === "synthesis") return;
    const { kind, round } = command;
    kit.events.append("round.failed", work, { roundtableId, round, kind, code: error.code });
  }

  private close(work: string, command: Command, outcome: EndedStatus, activeMs: number, write: () => void): void {
    const { store, kit, changed } = this.ports;
    const { definition, keyId } = store.roundtable();
    const agent = definition.panelName;
    const ended = { kind: "round", outcome, since: command.startedAt, agent, subject: definition.subject, keyId };
    kit.end(work, ended, (usage) => {
      store.setSpent(addSpent(store.roundtable().spent, { ...usage, activeMs }));
      write();
      store.clearCommand();
      changed();
    });
  }
}

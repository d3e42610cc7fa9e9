/** What callers have a roundtable do: begin, go on, bring the debate together, pause and stop. */
import type { Effect } from "../../src/agent/effects.js";
import type { AdmittedWork } from "../../src/application/limits/admit-work.js";
import type { Answerer } from "../../src/asks/ask.js";
import { awaitedAnswer } from "../../src/asks/ask-sentence.js";
import type { ActorRecord } from "../../src/conversation/actor-record.js";
import { defined } from "../../src/conversation/defined.js";
import { ok, type Result, refuse } from "../../src/conversation/problem.js";
import type { RoundtableIdentity } from "../../src/gateways/roundtable-gateway.js";
import type { ContextResult, ResultOutcome } from "../../src/roundtable/context-results.js";
import { type Debate, isCompleted, nextStep, prolonged } from "../../src/roundtable/debate.js";
import type { DebateRecord } from "../../src/roundtable/debate-record.js";
import type { ContinueCommand, ControlAction, RoundtableDefinition } from "../../src/roundtable/roundtable.js";
import type { Kit } from "../kit/kit.js";
import type { CommandEnds } from "./command-ends.js";
import type { Requests } from "./requests.js";
import { debateOf, seatsAt } from "./roundtable-view.js";
import { type Command, isInBackground, type RoundtableStore } from "./store.js";

export interface CommandIntakePorts {
  readonly store: RoundtableStore;
  readonly kit: Kit;
  readonly requests: Requests;
  readonly ends: CommandEnds;
  readonly now: () => number;
  readonly changed: () => void;
  /** Makes a command the one that is worked on, in the write that is under way; with the tenant's revision, where it is known. */
  readonly run: (command: Command, admitted?: Admitted) => void;
}

/** What a command was admitted with by the tenant's limits. */
export interface Admitted {
  /** What was reserved for it is known by this. */
  readonly reservation: string;
  readonly reserved: AdmittedWork["reserved"];
  /** The tenant's. */
  readonly revision: number | undefined;
}

export class CommandIntake {
  constructor(private readonly ports: CommandIntakePorts) {}

  begin(identity: RoundtableIdentity, definition: RoundtableDefinition, admitted: Admitted): void {
    const { store, kit, now, run } = this.ports;
    kit.write(() => {
      this.create(identity, definition);
      const speakers = seatsAt(store.roundtable()).map(({ id }) => id);
      const startedAt = now();
      run({ kind: "round", round: 1, speakers, absent: [], startedAt }, admitted);
    });
    kit.deliverSoon();
  }

  /** As it stood in another's record: its rounds, and what was answered in them; and what was done there. */
  adopt(
    identity: RoundtableIdentity,
    definition: RoundtableDefinition,
    record: DebateRecord,
    done: readonly Effect[],
  ): void {
    const { store, kit, changed } = this.ports;
    kit.write(() => {
      this.create(identity, definition);
      store.addEffects(done);
      if (record.topic !== undefined) store.setTopic(record.topic);
      const perspectives = record.seats.flatMap(({ perspective }) => perspective ?? []);
      if (perspectives.length === record.seats.length) store.setPerspectives(perspectives);
      for (const round of record.rounds) store.putRound(round);
      for (const request of record.requests) {
        const { status, result, error, source } = request;
        store.putRequest({ request, cleared: { status, result, error, source } });
      }
      changed();
    });
    kit.deliverSoon();
  }

  /** Whether this command, as things are, begins work that its tenant's limits have to have room for. */
  beginsRound(commandId: string, { skipPending, rerun, contextResults, rounds }: ContinueCommand): boolean {
    const { store } = this.ports;
    if (store.roundtable().lastCommand === commandId || !this.busy().ok) return false;
    const debate = rounds === undefined ? debateOf(store) : prolonged(debateOf(store), rounds);
    if ("refused" in debate) return false;
    const { kind } = nextStep(debate, { skipPending: skipPending === true || contextResults !== undefined, rerun });
    return kind !== "refused" && kind !== "needs_context" && kind !== "complete";
  }

  /** Whether there is something to bring together that isn't yet. */
  beginsSynthesis(): boolean {
    const { store } = this.ports;
    const { synthesis } = store.roundtable();
    const last = store.rounds().at(-1);
    if (last === undefined || store.command()?.command.kind === "synthesis" || !this.busy().ok) return false;
    return synthesis?.round !== last.round || this.hasAnswersSince(synthesis.asOf);
  }

  /** Goes on by a round, a further pass of one, or to the end. The same command, sent again, does nothing again. */
  goOn(
    commandId: string,
    command: ContinueCommand,
    answerer: Answerer,
    admitted?: Admitted,
  ): Result<readonly ResultOutcome[] | undefined> {
    const { store, kit, requests, now, changed, run } = this.ports;
    const { lastCommand } = store.roundtable();
    if (lastCommand === commandId) return ok(undefined);
    const busy = this.busy();
    if (!busy.ok) return busy;
    const { skipPending, rerun, focusQuestion, contextResults, rounds } = command;
    const asked = (debate: Debate) => (rounds === undefined ? debate : prolonged(debate, rounds));
    const current = asked(debateOf(store));
    if ("refused" in current) return refuse("conflict", current.refused);
    const before = nextStep(current, { skipPending: true });
    if (before.kind === "refused") return refuse("conflict", before.detail);
    let outcomes: readonly ResultOutcome[] | undefined;
    if (contextResults !== undefined) {
      const given = requests.give(contextResults, answerer);
      if (!given.ok) return given;
      outcomes = given.value;
    }
    const debate = asked(debateOf(store));
    if ("refused" in debate) return refuse("conflict", debate.refused);
    const next = nextStep(debate, { skipPending, rerun });
    if (next.kind === "refused") return refuse("conflict", next.detail);
    kit.write(() => {
      store.setLastCommand(commandId);
      store.setError(undefined);
      // What is still waited for doesn't undo that there are more rounds.
      if (rounds !== undefined) store.prolong(debate.totalRounds);
      if (next.kind === "needs_context") return;
      requests.closeOpen({ skipRequired: skipPending === true, by: answerer.by });
      if (next.kind === "complete") return;
      const { kind, round, speakers, absent } = next;
      const started = {
        kind,
        round,
        speakers: [...speakers],
        absent: [...absent],
        startedAt: now(),
        ...defined({ focusQuestion }),
      };
      run(started, admitted);
    });
    changed();
    kit.deliverSoon();
    return ok(outcomes);
  }

  giveContext(results: readonly ContextResult[], answerer: Answerer): Result<readonly ResultOutcome[]> {
    return this.ports.requests.give(results, answerer);
  }

  /** Brings the debate together, once for each state of it. */
  synthesize(admitted?: Admitted): Result<undefined> {
    const { store, kit, now, run } = this.ports;
    const { synthesis } = store.roundtable();
    const last = store.rounds().at(-1);
    if (last === undefined)
      return refuse("conflict", "Nobody has said anything yet: there is nothing to bring together.");
    if (synthesis?.round === last.round && !this.hasAnswersSince(synthesis.asOf)) return ok(undefined);
    if (store.command()?.command.kind === "synthesis") return ok(undefined);
    const busy = this.busy();
    if (!busy.ok) return busy;
    kit.write(() => {
      store.setError(undefined);
      run({ kind: "synthesis", round: last.round, startedAt: now() }, admitted);
    });
    return ok(undefined);
  }

  control(action: ControlAction, by: ActorRecord): Result<undefined> {
    const { store, kit, ends, changed } = this.ports;
    const debate = debateOf(store);
    if (action === "pause" || action === "resume") {
      if (isCompleted(debate)) return refuse("conflict", `The roundtable is completed: there is nothing to ${action}.`);
      store.setPaused(action === "pause");
      changed();
      kit.deliverSoon();
      return ok(undefined);
    }
    if (isCompleted(debate)) return action === "answerNow" ? this.synthesize() : ok(undefined);
    const hasPositions = debate.rounds.length > 0 || store.positions().length > 0;
    if (action === "answerNow" && !hasPositions) {
      return refuse("conflict", "Nobody has said anything yet: there is nothing to answer with.");
    }
    ends.cut(action === "stop" ? "stopped" : "answered", by);
    kit.deliverSoon();
    return action === "answerNow" ? this.synthesize() : ok(undefined);
  }

  /** Whether what was answered after that time isn't in a synthesis of then. */
  private hasAnswersSince(asOf: string | undefined): boolean {
    if (asOf === undefined) return false;
    const { requests } = debateOf(this.ports.store);
    return requests.some(({ status, closedAt }) => status === "answered" && closedAt !== undefined && closedAt > asOf);
  }

  private create(identity: RoundtableIdentity, definition: RoundtableDefinition): void {
    const { store, kit, now } = this.ports;
    store.create(identity, definition, crypto.randomUUID(), now());
    kit.events.append("roundtable.started", undefined, { roundtableId: identity.roundtableId });
  }

  /** Whether a command can be taken. */
  private busy(): Result<undefined> {
    const { store, kit } = this.ports;
    const command = store.command();
    if (command === undefined || isInBackground(command.command)) return ok(undefined);
    if (command.status === "running") {
      return refuse("conflict", "A round is running: read the roundtable with waitMs, or follow its events.", {
        retryAfterSeconds: 1,
      });
    }
    const [ask] = kit.asks.openOfWork(command.work);
    if (ask === undefined) {
      return refuse("conflict", "The round goes on with an answer that it has just got.", { retryAfterSeconds: 1 });
    }
    const waiting = `The round is waiting for ${awaitedAnswer(ask)}.`;
    const { askId } = ask;
    return refuse("waiting_on_ask", `${waiting} Send the request again after that, or stop the roundtable.`, { askId });
  }
}

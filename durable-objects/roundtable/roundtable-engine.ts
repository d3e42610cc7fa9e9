/** A roundtable at work: the kit's parts put together, and what happens when a command, an answer or an alarm comes. */
import type { Effect } from "../../src/agent/effects.js";
import type { RootPlatform } from "../../src/application/root-platform.js";
import type { Answerer } from "../../src/asks/ask.js";
import type { AskWork } from "../../src/asks/origin.js";
import type { ActorRecord } from "../../src/conversation/actor-record.js";
import { ok, type Result, refuse } from "../../src/conversation/problem.js";
import type { RoundtableIdentity } from "../../src/gateways/roundtable-gateway.js";
import type { ContextResult, ResultOutcome } from "../../src/roundtable/context-results.js";
import { isCompleted, nextStep } from "../../src/roundtable/debate.js";
import type { DebateRecord } from "../../src/roundtable/debate-record.js";
import { awaitsAnalysis } from "../../src/roundtable/round-consensus.js";
import type {
  ContinueCommand,
  ControlAction,
  Roundtable,
  RoundtableDefinition,
} from "../../src/roundtable/roundtable.js";
import type { Lease, StepOutcome } from "../kit/driver.js";
import { Kit } from "../kit/kit.js";
import type { RootEngine } from "../kit/root.js";
import { CommandEnds } from "./command-ends.js";
import { driveCommand } from "./drive.js";
import { presentEvent } from "./event-view.js";
import { Requests } from "./requests.js";
import { debateOf, debateRecord, roundtableView, seatsAt, summaryView } from "./roundtable-view.js";
import { type Command, RoundtableStore } from "./store.js";

export class RoundtableEngine implements RootEngine {
  readonly store: RoundtableStore;
  readonly kit: Kit;
  private readonly requests: Requests;
  private readonly ends: CommandEnds;
  /** The tenant's revision, as the request brought it that begins the next command. */
  private revision: number | undefined;

  constructor(
    ctx: DurableObjectState,
    private readonly platform: RootPlatform,
  ) {
    this.store = new RoundtableStore(ctx.storage.sql);
    this.kit = new Kit(ctx, {
      now: platform.now,
      owner: () => {
        const { tenantId, roundtableId } = this.store.roundtable();
        return { tenantId, id: roundtableId };
      },
      deliver: (messages) => {
        const { tenantId, roundtableId } = this.store.roundtable();
        return platform.deliver({ tenantId, ownerId: roundtableId, messages });
      },
      step: (lease) => this.step(lease),
      present: (type, data) => presentEvent(type, data, { store: this.store, view: () => this.view() }),
      describeWork: () => this.describeWork(),
      askClosed: (work) => this.askClosed(work),
      // An analysis is in nobody's way, and is work all the same.
      active: () => this.store.command()?.status === "running",
      load: platform.load,
    });
    const changed = (): void => this.changed();
    const { store, kit } = this;
    this.requests = new Requests({ store, kit, now: platform.now, changed });
    this.ends = new CommandEnds({ store, kit, requests: this.requests, now: platform.now, changed });
  }

  begin(identity: RoundtableIdentity, definition: RoundtableDefinition): void {
    this.kit.write(() => {
      this.create(identity, definition);
      const speakers = seatsAt(this.store.roundtable()).map(({ id }) => id);
      const startedAt = this.platform.now();
      this.run({ kind: "round", round: 1, speakers, absent: [], startedAt }, identity.revision);
    });
    this.kit.deliverSoon();
  }

  /** As it stood in another's record: its rounds, and what was answered in them; and what was done there. */
  adopt(
    identity: RoundtableIdentity,
    definition: RoundtableDefinition,
    record: DebateRecord,
    done: readonly Effect[],
  ): void {
    this.kit.write(() => {
      this.create(identity, definition);
      this.store.addEffects(done);
      if (record.topic !== undefined) this.store.setTopic(record.topic);
      const perspectives = record.seats.flatMap(({ perspective }) => perspective ?? []);
      if (perspectives.length === record.seats.length) this.store.setPerspectives(perspectives);
      for (const round of record.rounds) this.store.putRound(round);
      for (const request of record.requests) {
        const { status, result, error, source } = request;
        this.store.putRequest({ request, cleared: { status, result, error, source } });
      }
      this.changed();
    });
    this.kit.deliverSoon();
  }

  /** Goes on by a round, a further pass of one, or to the end. The same command, sent again, does nothing again. */
  goOn(
    commandId: string,
    command: ContinueCommand,
    answerer: Answerer,
    revision?: number,
  ): Result<readonly ResultOutcome[] | undefined> {
    const { lastCommand } = this.store.roundtable();
    if (lastCommand === commandId) return ok(undefined);
    const busy = this.busy();
    if (!busy.ok) return busy;
    const { skipPending, rerun, focusQuestion, contextResults } = command;
    const before = nextStep(debateOf(this.store), { skipPending: true });
    if (before.kind === "refused") return refuse("conflict", before.detail);
    let outcomes: readonly ResultOutcome[] | undefined;
    if (contextResults !== undefined) {
      const given = this.requests.give(contextResults, answerer);
      if (!given.ok) return given;
      outcomes = given.value;
    }
    const next = nextStep(debateOf(this.store), { skipPending, rerun });
    if (next.kind === "refused") return refuse("conflict", next.detail);
    this.kit.write(() => {
      this.store.setLastCommand(commandId);
      this.store.setError(undefined);
      if (next.kind === "needs_context") return;
      this.requests.closeOpen({ skipRequired: skipPending === true, by: answerer.by });
      if (next.kind === "complete") return;
      const { kind, round, speakers, absent } = next;
      const started = {
        ...{ kind, round, speakers: [...speakers], absent: [...absent], startedAt: this.platform.now() },
        ...(focusQuestion === undefined ? {} : { focusQuestion }),
      };
      this.run(started, revision);
    });
    this.changed();
    this.kit.deliverSoon();
    return ok(outcomes);
  }

  giveContext(results: readonly ContextResult[], answerer: Answerer): Result<readonly ResultOutcome[]> {
    return this.requests.give(results, answerer);
  }

  /** Brings the debate together, once for each state of it. */
  synthesize(): Result<undefined> {
    const { synthesis } = this.store.roundtable();
    const last = this.store.rounds().at(-1);
    if (last === undefined)
      return refuse("conflict", "Nobody has said anything yet: there is nothing to bring together.");
    if (synthesis !== undefined && synthesis.round === last.round) return ok(undefined);
    if (this.store.command()?.command.kind === "synthesis") return ok(undefined);
    const busy = this.busy();
    if (!busy.ok) return busy;
    this.kit.write(() => {
      this.store.setError(undefined);
      this.run({ kind: "synthesis", round: last.round, startedAt: this.platform.now() });
    });
    return ok(undefined);
  }

  control(action: ControlAction, by: ActorRecord): Result<undefined> {
    const debate = debateOf(this.store);
    if (action === "pause" || action === "resume") {
      if (isCompleted(debate)) return refuse("conflict", "The roundtable is completed: there is nothing to pause.");
      this.store.setPaused(action === "pause");
      this.changed();
      this.kit.deliverSoon();
      return ok(undefined);
    }
    if (isCompleted(debate)) return action === "answerNow" ? this.synthesize() : ok(undefined);
    const said = debate.rounds.length > 0 || this.store.positions().length > 0;
    if (action === "answerNow" && !said) {
      return refuse("conflict", "Nobody has said anything yet: there is nothing to answer with.");
    }
    this.ends.cut(action === "stop" ? "stopped" : "answered", by);
    this.kit.deliverSoon();
    return action === "answerNow" ? this.synthesize() : ok(undefined);
  }

  async stop(): Promise<void> {
    this.kit.cancel();
    await this.kit.stopped();
  }

  /** Resolves when nothing runs, at the latest after `waitMs`. */
  async settled(waitMs: number): Promise<void> {
    await this.kit.waiters.until(() => !this.active(), waitMs);
  }

  /** Whether a round or a synthesis goes on. */
  active(): boolean {
    const command = this.store.command();
    return command?.status === "running" && command.command.kind !== "analysis";
  }

  /** Between its rounds the roundtable's own, which is what its questions for context belong to. */
  runningWork(): string {
    return this.store.command()?.work ?? this.store.roundtable().roundtableId;
  }

  view(outcomes?: readonly ResultOutcome[]): Roundtable {
    const { roundtableId, spent } = this.store.roundtable();
    const command = this.store.command();
    const running = command === undefined ? undefined : this.kit.usage(command.work);
    const usage = {
      modelCalls: spent.modelCalls + (running?.modelCalls ?? 0),
      inputTokens: spent.inputTokens + (running?.inputTokens ?? 0),
      outputTokens: spent.outputTokens + (running?.outputTokens ?? 0),
    };
    const asks = command === undefined ? [] : this.kit.asks.ofWork(command.work);
    return roundtableView(this.store, [...asks, ...this.kit.asks.ofWork(roundtableId)], { usage, outcomes });
  }

  record(): DebateRecord {
    return debateRecord(this.store);
  }

  private create(identity: RoundtableIdentity, definition: RoundtableDefinition): void {
    this.store.create(identity, definition, crypto.randomUUID(), this.platform.now());
    this.kit.events.append("roundtable.started", undefined, { roundtableId: identity.roundtableId });
  }

  /**
   * Makes a command the one that is worked on. In the write that is under way.
   * @param revision the tenant's, where the request brought it
   */
  private run(command: Command, revision?: number): void {
    const { roundtableId } = this.store.roundtable();
    this.revision = revision;
    this.ends.dropAnalysis();
    const work = `${roundtableId}.${this.store.nextWork()}`;
    this.store.setCommand(work, command);
    if ("speakers" in command) {
      const { kind, round } = command;
      this.kit.events.append("round.started", work, { roundtableId, round, kind });
    }
    this.changed();
    this.kit.kick();
  }

  /** Whether a command can be taken. An analysis is in nobody's way: the next round does it beside its seats. */
  private busy(): Result<undefined> {
    const command = this.store.command();
    if (command === undefined || command.command.kind === "analysis") return ok(undefined);
    if (command.status === "running") {
      return refuse("conflict", "A round is running: read the roundtable with waitMs, or follow its events.", {
        retryAfterSeconds: 1,
      });
    }
    const [ask] = this.kit.asks.openOfWork(command.work);
    const more = ask === undefined ? {} : { askId: ask.askId };
    return refuse("waiting_on_ask", "The round waits for an approval or a review: answer that first.", more);
  }

  private async step(lease: Lease): Promise<StepOutcome> {
    const current = this.store.command();
    if (current?.status !== "running") return "idle";
    const { work, command } = current;
    const { store, kit } = this;
    const attempt = await kit.attempts.begin(work);
    if (attempt === "later") return "idle";
    if (attempt === "given_up") {
      kit.log("error", "work.given_up", { work, error: kit.attempts.whyGivenUp(work) });
      this.ends.crash(work, command);
      return "again";
    }
    // Stopped meanwhile: whoever did that has ended it.
    if (!lease.isHeld()) return "again";
    try {
      const platform = await this.platformNow();
      const { driven, degraded } = await driveCommand(work, command, { store, kit, platform }, lease);
      // Cut short between its last step and its end: whoever did that has ended it.
      if (lease.isHeld()) this.ends.end(work, command, driven, degraded);
      this.analyseLast();
    } catch (error) {
      const then = kit.afterThrow(work, error, lease);
      if (then === "failed") this.ends.crash(work, command);
      if (then === "waiting") {
        store.setCommandStatus("waiting");
        this.changed();
      }
    }
    return "again";
  }

  /** The platform with what is known of the tenant. */
  private async platformNow(): Promise<RootPlatform> {
    const { revision } = this;
    this.revision = undefined;
    return this.platform.at(revision ?? (await this.platform.revision(this.store.roundtable().tenantId)));
  }

  /** What was counted is there at once; what an analyst says of it comes after, unless somebody goes on before. */
  private analyseLast(): void {
    const last = this.store.rounds().at(-1);
    const { definition, exit, topic } = this.store.roundtable();
    if (this.store.command() !== undefined || last === undefined || topic === undefined) return;
    if (!definition.panel.analysis || exit?.reason === "budget" || !awaitsAnalysis(last)) return;
    this.kit.write(() => this.run({ kind: "analysis", round: last.round, startedAt: this.platform.now() }));
  }

  private askClosed(work: string): void {
    if (work === this.store.roundtable().roundtableId) {
      this.requests.sync();
      return;
    }
    const command = this.store.command();
    if (command?.work !== work || command.status !== "waiting") return;
    this.store.setCommandStatus("running");
    this.changed();
    this.kit.kick();
  }

  /** What its asks say of where they come from. */
  private describeWork(): AskWork {
    const { roundtableId, definition, topic } = this.store.roundtable();
    const { subject, externalId, metadata } = definition;
    return { roundtableId, subject, externalId, metadata, message: topic };
  }

  /** Something of it is otherwise now: its copy in the list follows, and it may be complete. In the write that is under way. */
  private changed(): void {
    this.store.touch(this.platform.now());
    const { endedAt, roundtableId } = this.store.roundtable();
    if (endedAt === undefined && !this.active() && isCompleted(debateOf(this.store))) {
      this.store.setEnded(this.platform.now());
      this.kit.events.append("roundtable.completed", undefined, { roundtableId });
    }
    this.kit.outbox.put("roundtable", "roundtable", summaryView(this.store));
    this.kit.waiters.check();
  }
}

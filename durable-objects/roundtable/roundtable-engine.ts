/** A roundtable at work: the kit's parts put together, the command that is driven, and what callers see of it. */
import { addUsage, noUsage } from "../../src/agent/work.js";
import type { RootPlatform } from "../../src/application/root-platform.js";
import type { AskWork } from "../../src/asks/origin.js";
import { ok, type Result } from "../../src/conversation/problem.js";
import type { RoundtableIdentity } from "../../src/gateways/roundtable-gateway.js";
import { awaitsAnalysis } from "../../src/roundtable/analyst.js";
import type { ResultOutcome } from "../../src/roundtable/context-results.js";
import { isCompleted } from "../../src/roundtable/debate.js";
import type { DebateRecord } from "../../src/roundtable/debate-record.js";
import type { Roundtable, RoundtableDefinition } from "../../src/roundtable/roundtable.js";
import { loaded } from "../../src/text/lazily.js";
import { Kit } from "../kit/kit.js";
import type { RootEngine } from "../kit/root.js";
import type { WorkItem } from "../kit/work-loop.js";
import { CommandEnds } from "./command-ends.js";
import { type Admitted, CommandIntake } from "./command-intake.js";
import { driveCommand } from "./drive.js";
import { Requests } from "./requests.js";
import { debateOf, debateRecord, presentEvent, roundtableView, summaryView } from "./roundtable-view.js";
import { type Command, isInBackground, RoundtableStore } from "./store.js";

const admission = loaded(() => import("../../src/application/limits/admit-work.js"));
/** What a round or a synthesis takes of limits; its tokens and money are worked out. */
const takenByRound = { turns: 1, concurrentTurns: 1, openAsks: 1, tokens: 1, money: 1 };

export class RoundtableEngine implements RootEngine {
  readonly store: RoundtableStore;
  readonly kit: Kit;
  readonly intake: CommandIntake;
  private readonly requests: Requests;
  private readonly ends: CommandEnds;

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
      deliver: (messages, { tenantId, id }) => platform.deliver({ tenantId, ownerId: id, messages }),
      next: () => this.next(),
      present: (type, data) => presentEvent(type, data, { store: this.store, view: () => this.view() }),
      describeWork: () => this.describeWork(),
      askClosed: (work) => this.askClosed(work),
      // An analysis is in nobody's way, and is work all the same.
      active: () => this.store.command()?.status === "running",
      shadows: { platform, keep: (_work, state) => this.store.passes.add(state) },
      load: platform.load,
    });
    const changed = (): void => this.changed();
    const shared = { store: this.store, kit: this.kit, now: platform.now, changed };
    this.requests = new Requests(shared);
    const ports = { ...shared, requests: this.requests };
    this.ends = new CommandEnds(ports);
    const run = (command: Command, admitted?: Admitted): void => this.run(command, admitted);
    this.intake = new CommandIntake({ ...ports, ends: this.ends, run });
  }

  /** Resolves when supervision has looked at every answer, at the latest after `waitMs`; what a person has to look at isn't waited for. */
  async cleared(waitMs: number): Promise<void> {
    if (!this.hasUncleared()) return;
    this.inBackground();
    await this.kit.waiters.until(() => {
      const current = this.store.command();
      return current?.status !== "running" || current.command.kind !== "answers";
    }, waitMs);
  }

  /**
   * Whether the tenant's limits have room for a round or a synthesis, which is a turn's work.
   * @param reservation what is reserved for it is known by this
   * @param text what the command sends
   */
  async admit(
    reservation: string,
    { tenantId, keyId, revision, measures }: RoundtableIdentity,
    { subject, panelName }: Pick<RoundtableDefinition, "subject" | "panelName">,
    text: string,
    inDoubt?: (reservation: string) => void,
  ): Promise<Result<Admitted>> {
    if (measures !== undefined && !measures.some((measure) => Object.hasOwn(takenByRound, measure)))
      return ok({ reservation, reserved: undefined, revision });
    const facts = { tenantId, keyId, subject, agent: panelName };
    const { admitWork } = await admission();
    return admitWork({ work: reservation, facts, text, revision, inDoubt }, takenByRound, this.platform);
  }

  /** What was reserved for a command that began no work, or is in doubt. */
  giveBackUnbegun(reservation: string): void {
    const { kit } = this;
    if (kit.budgets.isBegun(reservation)) return;
    kit.write(() => kit.budgets.giveBack(reservation));
    kit.deliverSoon();
  }

  /** Whether a round or a synthesis goes on. */
  active(): boolean {
    const command = this.store.command();
    return command?.status === "running" && !isInBackground(command.command);
  }

  /** Whether a round or a synthesis goes on; the next round is somebody's to ask for. */
  unfinished(): boolean {
    return this.active();
  }

  /** Between its rounds the roundtable's own, which is what its questions for context belong to. */
  runningWork(): string {
    return this.store.command()?.work ?? this.store.roundtable().roundtableId;
  }

  view(outcomes?: readonly ResultOutcome[]): Roundtable {
    const { roundtableId, spent } = this.store.roundtable();
    const command = this.store.command();
    const usage = addUsage(spent, command === undefined ? noUsage : this.kit.works.usage(command.work));
    const asks = command === undefined ? [] : this.kit.asks.ofWork(command.work);
    const retry = command?.status === "running" ? this.kit.attempts.retryField(command.work) : {};
    return roundtableView(this.store, [...asks, ...this.kit.asks.ofWork(roundtableId)], { usage, outcomes, ...retry });
  }

  record(): DebateRecord {
    return debateRecord(this.store);
  }

  /**
   * Makes a command the one that is worked on. In the write that is under way.
   * @param admitted what its tenant's limits admitted it with, where they were asked
   */
  private run(command: Command, admitted?: Admitted): void {
    const { roundtableId } = this.store.roundtable();
    this.ends.dropBackground();
    const work = `${roundtableId}.${this.store.nextWork()}`;
    this.store.setCommand(work, command);
    if ("speakers" in command) {
      const { kind, round } = command;
      this.kit.events.append("round.started", work, { roundtableId, round, kind });
    }
    if (admitted?.reserved !== undefined) this.kit.budgets.begin(work, admitted.reserved, admitted.reservation);
    this.changed();
    this.kit.loop.kick({ id: work, revision: admitted?.revision });
  }

  private next(): WorkItem | undefined {
    const current = this.store.command();
    if (current?.status !== "running") return undefined;
    const { work, command } = current;
    const { store, kit } = this;
    return {
      id: work,
      drive: async (lease, revision) => {
        const platform = await this.platform.at(store.roundtable().tenantId, revision);
        const { driven, degraded } = await driveCommand(work, command, { store, kit, platform }, lease);
        return () => {
          this.ends.end(work, command, driven, degraded);
          this.inBackground();
        };
      },
      park: () => {
        store.setCommandStatus("waiting");
        this.changed();
      },
      fail: () => this.ends.crash(work, command),
    };
  }

  /**
   * What is left to do while nobody waits: answers are supervised as they come, so that the debate's readers have them; what was counted
   * is there at once, and what an analyst says of it comes after. A round that begins before does without.
   */
  private inBackground(): void {
    const last = this.store.rounds().at(-1);
    const { definition, exit, topic } = this.store.roundtable();
    if (this.store.command() !== undefined || last === undefined || topic === undefined) return;
    if (this.hasUncleared()) {
      this.kit.write(() => this.run({ kind: "answers", round: last.round, startedAt: this.platform.now() }));
      return;
    }
    if (!definition.panel.analysis || exit?.reason === "budget" || !awaitsAnalysis(last)) return;
    this.kit.write(() => this.run({ kind: "analysis", round: last.round, startedAt: this.platform.now() }));
  }

  private hasUncleared(): boolean {
    return this.store.requests().some(({ request, cleared }) => request.status === "answered" && cleared === undefined);
  }

  private askClosed(work: string): void {
    if (work === this.store.roundtable().roundtableId) {
      this.requests.sync();
      this.inBackground();
      return;
    }
    const command = this.store.command();
    if (command?.work !== work || command.status !== "waiting") return;
    this.store.setCommandStatus("running");
    this.changed();
    this.kit.loop.kick();
  }

  /** What its asks say of where they come from. */
  private describeWork(): AskWork {
    const { roundtableId, definition, topic } = this.store.roundtable();
    const { subject, externalId, metadata } = definition;
    return { roundtableId, subject, externalId, metadata, message: topic };
  }

  renewCopy(): void {
    this.kit.outbox.put("roundtable", "roundtable", summaryView(this.store));
  }

  /** Something of it is otherwise now: its copy in the list follows, and it may be complete. In the write that is under way. */
  private changed(): void {
    this.store.touch(this.platform.now());
    const { endedAt, roundtableId } = this.store.roundtable();
    if (endedAt === undefined && !this.active() && isCompleted(debateOf(this.store))) {
      this.store.setEnded(this.platform.now());
      this.kit.events.append("roundtable.completed", undefined, { roundtableId });
    }
    this.renewCopy();
    this.kit.waiters.check();
  }
}

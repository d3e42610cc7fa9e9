/** A session at work: the kit's parts put together, and what happens when a message, an answer or an alarm comes. */

import type { EndedStatus } from "../../src/agent/work.js";
import type { RootPlatform } from "../../src/application/root-platform.js";
import { loadRules } from "../../src/application/turn-setup.js";
import type { ContextChangeBody, ContextView } from "../../src/chat/context.js";
import {
  changeDefinition,
  isFinal,
  type Session,
  type SessionChange,
  type SessionDefinition,
  type SettledOutcome,
  type Turn,
} from "../../src/chat/session.js";
import type { ActorRecord } from "../../src/conversation/actor-record.js";
import type { CommandKey } from "../../src/conversation/command-key.js";
import { ok, type Result, refuse } from "../../src/conversation/problem.js";
import type { SendCommand } from "../../src/gateways/session-gateway.js";
import type { Lease, StepOutcome } from "../kit/driver.js";
import { Kit } from "../kit/kit.js";
import type { RootEngine } from "../kit/root.js";
import { AnswerSupervision } from "./answer-supervision.js";
import { forLatecomers } from "./latecomers.js";
import { MessageIntake } from "./message-intake.js";
import { MessageVersions } from "./message-versions.js";
import { deliverOutbox } from "./outbox-delivery.js";
import { VersionedContext } from "./session-context.js";
import { SessionOutbox } from "./session-outbox.js";
import { presentEvent, sessionView } from "./session-view.js";
import { ChatSessionStore } from "./store.js";
import { crashOutcome, endTurn } from "./turn-end.js";
import type { TurnRecord } from "./turn-rows.js";
import { TurnRun } from "./turn-runner.js";
import { describeTurn, turnView } from "./turn-view.js";

/** After how long the list of sessions shows that a turn runs, in milliseconds. */
const runningShownAfterMs = 5_000;

export class SessionEngine implements RootEngine {
  readonly store: ChatSessionStore;
  readonly kit: Kit;
  readonly context: VersionedContext;
  readonly versions: MessageVersions;
  private readonly outbox: SessionOutbox;
  private readonly intake: MessageIntake;
  private run: TurnRun | undefined;
  /** The tenant's revision, as the message brought it that begins the next turn. */
  private revision: number | undefined;
  /** The turn that was made in this very stretch. */
  private madeNow: string | undefined;

  constructor(
    ctx: DurableObjectState,
    private readonly platform: RootPlatform,
  ) {
    this.store = new ChatSessionStore(ctx.storage.sql);
    this.kit = new Kit(ctx, {
      now: platform.now,
      owner: () => {
        const { tenantId, sessionId } = this.store.session();
        return { tenantId, id: sessionId };
      },
      deliver: (messages) => deliverOutbox(messages, this.store, platform),
      step: (lease) => this.step(lease),
      present: (type, data) => this.present(type, data),
      describeWork: (turnId) => describeTurn(turnId, this.store),
      askClosed: (turnId) => this.askClosed(turnId),
      askChanged: ({ askId, status }) => this.outbox.notifyConversation({ askId, status }),
      // Set by versions before: what the list shows is due.
      deadlinePassed: () => this.kit.deliverSoon(),
      active: () => this.active(),
      undone: () => {
        this.store.undone();
        this.context.undone();
      },
      load: platform.load,
    });
    this.versions = new MessageVersions({
      store: this.store,
      kit: this.kit,
      now: platform.now,
      changed: (messageId, change) => this.outbox.remember(messageId, change),
      rules: () => loadRules({ ...this.store.session(), context: () => this.context.current().context }, platform),
    });
    this.context = new VersionedContext({
      sql: ctx.storage.sql,
      kit: this.kit,
      now: platform.now,
      changed: () => this.outbox.updateIndex(),
    });
    const view = (): Session => this.view();
    this.outbox = new SessionOutbox({ store: this.store, kit: this.kit, now: platform.now, view });
    this.intake = new MessageIntake({
      store: this.store,
      kit: this.kit,
      supervision: new AnswerSupervision({ store: this.store, kit: this.kit, platform, context: this.context }),
      now: platform.now,
      cancelTurn: (turn) => this.cancelTurn(turn),
      remember: (messageId) => this.outbox.remember(messageId),
      indexed: () => this.outbox.updateIndex(),
      begins: (turnId) => {
        this.madeNow = turnId;
      },
    });
  }

  create(identity: { tenantId: string; sessionId: string }, definition: SessionDefinition): void {
    const createdAt = this.platform.now();
    this.kit.write(() => {
      this.store.createSession({ ...identity, definition, salt: crypto.randomUUID(), createdAt });
      this.context.begin(definition.context);
      this.outbox.updateIndex();
      if (definition.memory !== undefined) this.kit.outbox.put("memory", "memory", {});
    });
    this.kit.deliverSoon();
  }

  /** Takes a message; gives the id of the turn that it begins or answers. The same key gives the same turn. */
  accept(command: SendCommand): Promise<Result<string>> {
    // A turn that waits for others finds out itself what holds when it begins.
    this.revision = this.store.turns.current() === undefined ? command.revision : undefined;
    return this.intake.accept(command, this.store.session().definition.whileWaiting);
  }

  /** Changes what the caller notes on the session; a subject is given once. */
  change(change: SessionChange, command?: CommandKey): Result<Session> {
    const done = this.kit.commands.once<void>(
      command,
      () => {
        const changed = changeDefinition(this.store.session().definition, change);
        if (!changed.ok) return changed;
        this.store.setDefinition(changed.value);
        return ok(this.outbox.updateIndex());
      },
      () => ok(undefined),
    );
    if (!done.ok) return done;
    this.kit.deliverSoon();
    return ok(this.view());
  }

  /** Changes the context, for the turn under way too. */
  async changeContext(
    change: ContextChangeBody,
    author: ActorRecord,
    command?: CommandKey,
  ): Promise<Result<ContextView>> {
    const again = () => ok(this.context.view());
    const changed = this.kit.commands.once(command, () => this.context.changeBy(change, author), again);
    await this.run?.refresh();
    return changed;
  }

  async restoreContext(version: number, author: ActorRecord, command?: CommandKey): Promise<Result<ContextView>> {
    const again = () => ok(this.context.view());
    const restored = this.kit.commands.once(command, () => this.context.restore(version, author), again);
    await this.run?.refresh();
    return restored;
  }

  cancelTurn(turn: TurnRecord, by?: ActorRecord): void {
    if (isFinal(turn.status)) return;
    if (this.run?.turn.turnId === turn.turnId) this.kit.cancel();
    this.end(turn, "cancelled", { degraded: [], ...(by && { cancelledBy: by }) }, by);
    this.kit.kick();
  }

  /** Resolves when the turn has ended or waits for an ask, at the latest after `waitMs`. */
  async settled(turnId: string, waitMs: number): Promise<void> {
    await this.kit.waiters.until(() => !this.active(turnId), waitMs);
  }

  /** Whether the session, or one turn, goes on without anybody doing anything. */
  active(turnId?: string): boolean {
    const current = this.store.turns.current();
    // What is queued behind a turn that waits goes on when somebody answers.
    if (current === undefined || current.status === "waiting") return false;
    const status = turnId === undefined ? current.status : this.store.turns.get(turnId)?.status;
    return status === "queued" || status === "running";
  }

  /** Somebody who follows one message gets its reply as text, even when it was complete before they listened. */
  forLatecomers(turnId: string | undefined): ReturnType<typeof forLatecomers> {
    return forLatecomers(turnId, { store: this.store, events: this.kit.events, running: () => this.run });
  }

  view(): Session {
    return sessionView(this.store, this.context);
  }

  turn(turnId: string): Result<Turn> {
    const turn = this.store.turns.get(turnId);
    return turn === undefined
      ? refuse("not_found", "There is no such turn in this session.")
      : ok(turnView(turn, this.store, this.kit));
  }

  /** Ends what runs and waits, so that nothing is written after an erasure. */
  async stop(): Promise<void> {
    for (let turn = this.store.turns.current(); turn !== undefined; turn = this.store.turns.current())
      this.cancelTurn(turn);
    await this.kit.stopped();
  }

  /** Goes on with the oldest turn that isn't done, if it can go on. */
  private async step(lease: Lease): Promise<StepOutcome> {
    const turn = this.store.turns.current();
    if (turn === undefined || turn.status === "waiting") return "idle";
    const { turnId } = turn;
    const isNew = this.madeNow === turnId;
    this.madeNow = undefined;
    const attempt = await this.kit.attempts.begin(turnId, undefined, isNew);
    if (attempt === "later") return "idle";
    if (attempt === "given_up") {
      const why = this.kit.attempts.whyGivenUp(turnId);
      this.kit.log("error", "work.given_up", { work: turnId, error: why });
      this.end(turn, "failed", crashOutcome(turn, why));
      return "again";
    }
    // Cancelled meanwhile.
    if (isFinal(this.store.turns.get(turnId)?.status ?? "cancelled")) return "again";
    if (turn.status === "queued") {
      this.kit.journal(turnId, lease.isHeld).withNext(() => {
        this.store.turns.setStatus(turnId, "running");
        this.store.passes.begin(turnId);
        this.kit.events.append("turn.started", turnId, { turnId });
      });
    }
    // A turn that is over soon goes off with its end; of a longer one the list tells meanwhile.
    const listing = setTimeout(() => this.listRunning(turnId), runningShownAfterMs);
    const { store, kit, context } = this;
    const platform = await this.platformNow();
    const remember = (messageId: string): void => this.outbox.remember(messageId);
    this.run = new TurnRun(turn, store.session(), { store, kit, platform, context, remember });
    try {
      const { status, outcome } = await this.run.drive(lease);
      // Cancelled between its last step and its end: whoever did that has ended it.
      if (lease.isHeld()) this.end(turn, status, outcome);
    } catch (error) {
      const then = kit.afterThrow(turnId, error, lease);
      if (then === "failed") this.end(turn, "failed", crashOutcome(turn));
      if (then === "waiting") this.park(turn);
    } finally {
      clearTimeout(listing);
      this.run = undefined;
    }
    return "again";
  }

  private listRunning(turnId: string): void {
    if (this.store.turns.get(turnId)?.status !== "running") return;
    this.kit.write(() => this.outbox.updateIndex());
    this.kit.deliverSoon();
  }

  /** The platform with what is known of the tenant: a change counts from the next message on. */
  private async platformNow(): Promise<RootPlatform> {
    const { revision } = this;
    this.revision = undefined;
    return this.platform.at(revision ?? (await this.platform.revision(this.store.session().tenantId)));
  }

  /** The turn waits for an ask; it has done so since the ask was opened, for whoever has sent a message since. */
  private park(turn: TurnRecord): void {
    const { turnId } = turn;
    if (this.store.session().definition.whileWaiting === "cancel" && this.store.turns.queued() > 0) {
      this.end(turn, "cancelled", { degraded: [] });
      return;
    }
    this.kit.write(() => {
      this.store.turns.setStatus(turnId, "waiting");
      this.kit.events.append("turn.waiting", turnId, { turnId });
      this.outbox.updateIndex();
    });
  }

  private end(turn: TurnRecord, status: EndedStatus, outcome: SettledOutcome, by?: ActorRecord): void {
    const { store, kit, outbox } = this;
    endTurn({ turn, status, outcome, by }, { store, kit, outbox });
  }

  /** From here on a conversation of a chat channel shows what happens here. */
  showIn(conversation: string): void {
    this.store.setConversation(conversation);
  }

  private askClosed(turnId: string): void {
    if (this.store.turns.get(turnId)?.status !== "waiting") return;
    this.store.turns.setStatus(turnId, "running");
    this.outbox.updateIndex();
    this.kit.kick();
  }

  /** What the log stores are ids; what is shown of them is what holds now. */
  private present(type: string, data: unknown): unknown {
    const { context, store } = this;
    const partial = (turnId: string) => store.turns.get(turnId)?.partial;
    return presentEvent(type, data, { context, partial, turn: (turnId) => this.turn(turnId) }) ?? data;
  }
}

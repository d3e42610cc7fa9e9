/** A session at work: the kit's parts put together, and what happens when a message, an answer or an alarm comes. */

import type { RootPlatform } from "../../src/application/root-platform.js";
import { loadRules } from "../../src/application/turn-setup.js";
import type { ContextView } from "../../src/chat/context.js";
import {
  changeDefinition,
  isFinal,
  type Session,
  type SessionChange,
  type SessionDefinition,
  type Turn,
} from "../../src/chat/session.js";
import type { ActorRecord } from "../../src/conversation/actor-record.js";
import type { CommandKey } from "../../src/conversation/command-key.js";
import { defined } from "../../src/conversation/defined.js";
import { ok, type Result, refuse } from "../../src/conversation/problem.js";
import { Kit } from "../kit/kit.js";
import type { RootEngine } from "../kit/root.js";
import type { WorkItem } from "../kit/work-loop.js";
import { AnswerSupervision } from "./answer-supervision.js";
import { FeedbackBook } from "./feedback-book.js";
import { HandOver, silenceDeadline } from "./hand-over.js";
import { MessageIntake } from "./message-intake.js";
import { MessageVersions } from "./message-versions.js";
import { deliverOutbox } from "./outbox-delivery.js";
import { replaySoFar } from "./replay-so-far.js";
import { VersionedContext } from "./session-context.js";
import { SessionOutbox } from "./session-outbox.js";
import { presentEvent, sessionView } from "./session-view.js";
import { ChatSessionStore } from "./store.js";
import { endTurn } from "./turn-end.js";
import type { TurnRecord } from "./turn-rows.js";
import { TurnRun } from "./turn-runner.js";
import { describeWork, turnView } from "./turn-view.js";

export class SessionEngine implements RootEngine {
  readonly store: ChatSessionStore;
  readonly kit: Kit;
  readonly context: VersionedContext;
  readonly versions: MessageVersions;
  readonly outbox: SessionOutbox;
  readonly intake: MessageIntake;
  readonly handOver: HandOver;
  readonly feedback: FeedbackBook;
  /** The turn that was driven last. */
  private run: TurnRun | undefined;

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
      next: () => this.next(),
      present: (type, data) => this.present(type, data),
      describeWork: (work) => describeWork(work, this.store),
      isPaused: (work) => this.handOver.isPaused(work),
      askClosed: (turnId) => this.askClosed(turnId),
      askChanged: (ask) => {
        const { askId, status } = ask;
        this.outbox.notifyConversation({ askId, status });
        if (ask.kind === "handover") this.handOver.decided(ask);
      },
      // Others were set by versions before: what the list shows is due.
      deadlinePassed: (name) => (name === silenceDeadline ? this.handOver.silent() : this.kit.deliverSoon()),
      active: () => this.active(),
      eventSpans: {
        of: (turnId) => this.store.turns.get(turnId)?.events,
        extend: (turnId, seq) => this.store.turns.extendEvents(turnId, seq),
      },
      firstTry: (turnId) => this.store.turns.firstTry(turnId),
      onRollback: () => {
        this.store.onRollback();
        this.context.onRollback();
      },
      shadows: { platform, keep: (turnId, state) => this.store.passes.add(turnId, state, platform.now()) },
      load: platform.load,
    });
    this.versions = new MessageVersions({
      store: this.store,
      kit: this.kit,
      now: platform.now,
      changed: (messageId, change) => this.outbox.remember(messageId, change),
      forgetComments: (turnId) => this.feedback.forgetComments(turnId),
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
    this.handOver = new HandOver({
      store: this.store,
      kit: this.kit,
      outbox: this.outbox,
      now: platform.now,
      throughRules: (message) => this.versions.throughRules(message),
      withdrawReply: () => this.run?.stream?.withdraw(),
    });
    this.feedback = new FeedbackBook({
      sql: ctx.storage.sql,
      store: this.store,
      kit: this.kit,
      now: platform.now,
      throughRules: (message) => this.versions.throughRules(message),
    });
    this.intake = new MessageIntake({
      store: this.store,
      kit: this.kit,
      supervision: new AnswerSupervision({ store: this.store, kit: this.kit, platform, context: this.context }),
      platform,
      cancelTurn: (turn) => this.cancelTurn(turn),
      outbox: this.outbox,
    });
  }

  renewCopy(): void {
    this.outbox.updateIndex();
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

  /** Changes what the caller notes on the session; a subject is given once. Supervisors that are added are on record. */
  change(change: SessionChange, command?: CommandKey, by?: ActorRecord): Result<Session> {
    const done = this.kit.commands.once<void>(
      command,
      () => {
        const before = this.store.session().definition;
        const changed = changeDefinition(before, change);
        if (!changed.ok) return changed;
        this.store.setDefinition(changed.value);
        const added = changed.value.supervisors.filter((name) => !before.supervisors.includes(name));
        if (added.length > 0) {
          const about = {
            ...defined({ actor: by }),
            subject: { changes: added },
            reasons: [],
            at: this.platform.now(),
          };
          this.kit.outbox.put("act", "supervisors", { type: "session.supervised", decision: "added", ...about });
        }
        return ok(this.outbox.updateIndex());
      },
      () => ok(undefined),
    );
    if (!done.ok) return done;
    this.kit.deliverSoon();
    return ok(this.view());
  }

  /** Changes the context, for the turn under way too. */
  async changeContext(change: () => Result<ContextView>, command?: CommandKey): Promise<Result<ContextView>> {
    const changed = this.kit.commands.once(command, change, () => ok(this.context.view()));
    await this.run?.refresh();
    return changed;
  }

  cancelTurn(turn: TurnRecord, by?: ActorRecord): void {
    if (isFinal(turn.status)) return;
    this.kit.loop.cancel(turn.turnId);
    endTurn(turn, "cancelled", { degraded: [], ...defined({ cancelledBy: by }) }, this);
    this.kit.loop.kick();
  }

  /** Whether the session, or one turn, goes on without anybody doing anything. */
  active(turnId?: string): boolean {
    const next = this.handOver.nextTurn();
    // What is queued behind a turn that waits goes on when somebody answers.
    if (next === undefined) return false;
    const status = turnId === undefined ? next.status : this.store.turns.get(turnId)?.status;
    return status === "queued" || status === "running";
  }

  /** Whether a turn, or any, has an end before it. */
  unfinished(turnId?: string): boolean {
    const turn = turnId === undefined ? this.store.turns.current() : this.store.turns.get(turnId);
    return turn !== undefined && !isFinal(turn.status);
  }

  /** The turns before a queued one, from the moment it was queued. */
  before(turnId: string): ReturnType<NonNullable<RootEngine["before"]>> {
    const { store, kit } = this;
    const [first] = kit.events.read(0, 1, turnId);
    const turn = store.turns.get(turnId);
    if (turn === undefined || first?.type !== "turn.queued") return undefined;
    const also = (work: string): boolean => (store.turns.get(work)?.seq ?? turn.seq) < turn.seq;
    return { after: first.seq - 1, also };
  }

  /** Somebody who follows one message gets its reply as text, even when it was complete before they listened. */
  replaySoFar(turnId: string | undefined, also?: (turnId: string) => boolean): ReturnType<typeof replaySoFar> {
    const running = (): TurnRun | undefined => (this.store.session().hold === undefined ? this.run : undefined);
    return replaySoFar(turnId, also, { store: this.store, events: this.kit.events, running });
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

  stop(): void {
    for (let turn = this.store.turns.current(); turn !== undefined; turn = this.store.turns.current())
      this.cancelTurn(turn);
  }

  /** The oldest turn that isn't done, if it can go on. */
  private next(): WorkItem | undefined {
    const { store, kit, platform, context, outbox, handOver } = this;
    const turn = handOver.nextTurn();
    if (turn === undefined) return undefined;
    this.run = new TurnRun(turn, store.session(), { store, kit, platform, context, outbox, handOver });
    return this.run;
  }

  /** As JSON. */
  shownIn(): string | undefined {
    return this.store.session().conversation;
  }

  /** From here on a conversation of a chat channel shows what happens here. */
  showIn(conversation: string): void {
    this.store.setConversation(conversation);
  }

  private askClosed(turnId: string): void {
    if (this.store.turns.get(turnId)?.status !== "waiting") return;
    this.store.turns.setStatus(turnId, "running");
    this.outbox.updateIndex();
    this.kit.loop.kick();
  }

  /** What the log stores are ids; what is shown of them is what holds now. */
  private present(type: string, data: unknown): unknown {
    const { context, store } = this;
    const isHeld = store.session().hold !== undefined;
    const partial = (turnId: string) => (isHeld ? undefined : store.turns.get(turnId)?.partial);
    return presentEvent(type, data, { context, partial, turn: (turnId) => this.turn(turnId) }) ?? data;
  }
}

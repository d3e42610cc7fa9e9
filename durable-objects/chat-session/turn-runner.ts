/** Drives one turn of a session: gathers its setup, runs the durable function, stores what came of it. */

import type { CallOrigin } from "../../src/agent/call-context.js";
import { type Journal, Parked, Superseded } from "../../src/agent/journal.js";
import type { EndedStatus } from "../../src/agent/work.js";
import type { RootPlatform } from "../../src/application/root-platform.js";
import { saltedHash } from "../../src/application/salted-hash.js";
import { type LoadedSetup, loadTurnSetup } from "../../src/application/turn-setup.js";
import { ReplyStream } from "../../src/chat/reply-stream.js";
import type { SettledOutcome } from "../../src/chat/session.js";
import { runTurn } from "../../src/chat/turn.js";
import type { TurnPorts } from "../../src/chat/turn-ports.js";
import { defined } from "../../src/conversation/defined.js";
import type { AssistantMessage, ToolCallResult } from "../../src/conversation/message.js";
import { assign } from "../../src/evidence/experiment.js";
import type { CancelSignal } from "../../src/model/port.js";
import { entryWithoutText } from "../../src/routing/trace.js";
import type { SupervisionState } from "../../src/supervision/state.js";
import { openStreamGate } from "../../src/supervision/stream-gate.js";
import type { Subject } from "../../src/supervision/subject.js";
import { agentPorts } from "../kit/agent-ports.js";
import { pausedBy } from "../kit/journal.js";
import type { Kit } from "../kit/kit.js";
import type { EndingWork, Lease } from "../kit/work-loop.js";
import type { HandOver } from "./hand-over.js";
import { limitFactsOf } from "./limit-facts.js";
import type { VersionedContext } from "./session-context.js";
import type { SessionOutbox } from "./session-outbox.js";
import type { ChatSessionStore, SessionRecord } from "./store.js";
import { transcriptOf } from "./transcript.js";
import { crashOutcome, endTurn, groundsOf, misconfiguredOutcome, settledOf } from "./turn-end.js";
import type { TurnRecord } from "./turn-rows.js";
import { recordQueued, turnWaitsFor } from "./turn-view.js";

export interface RunnerPorts {
  readonly store: ChatSessionStore;
  readonly kit: Kit;
  readonly platform: RootPlatform;
  readonly context: VersionedContext;
  readonly outbox: SessionOutbox;
  readonly handOver: HandOver;
}

type Loaded = Extract<LoadedSetup, { ok: true }>;

/** After how long the list of sessions shows that a turn runs, in milliseconds. */
const runningShownAfterMs = 5_000;

/** One turn of a session, as the loop does it in this instance. */
export class TurnRun implements EndingWork {
  readonly id: string;
  /** What is shown of the reply while it is driven. */
  stream: ReplyStream | undefined;
  /** What was called so far, each call once however often the turn is entered. */
  private readonly calls = new Map<string, ToolCallResult>();
  /** What it is driven with, while it is. */
  private platform: RootPlatform | undefined;
  private loaded: Loaded | undefined;

  constructor(
    readonly turn: TurnRecord,
    private readonly session: SessionRecord,
    private readonly ports: RunnerPorts,
  ) {
    this.id = turn.turnId;
  }

  /** The session's context was changed from outside: what it names now is loaded for the next prompt and call. */
  async refresh(): Promise<void> {
    this.platform?.renew();
    await this.loaded?.refresh();
  }

  async drive({ signal, isHeld }: Lease, revision: number | undefined): Promise<() => void> {
    const { turn, session, id } = this;
    const { store, kit } = this.ports;
    const journal = kit.journal(id, isHeld);
    if (turn.status === "queued" || (turn.firstTry && !this.hasStarted())) {
      // One that was kept for a person has passed its request supervisors.
      const isNew = kit.works.stepsOf(id).find("message") === undefined;
      journal.withNext(() => {
        store.turns.setStatus(id, "running");
        if (isNew) store.passes.begin(id);
        kit.events.append("turn.started", id, { turnId: id });
      });
    }
    // A turn that is over soon goes off with its end; of a longer one the list tells meanwhile.
    const listing = setTimeout(() => this.listRunning(), runningShownAfterMs);
    try {
      const platform = await this.ports.platform.at(session.tenantId, revision);
      this.platform = platform;
      await this.assignVariant(platform, isHeld);
      const loaded = await this.load(journal, platform, isHeld);
      if (!loaded.ok) {
        kit.log("error", "turn.misconfigured", { work: this.id, error: loaded.detail });
        return () => this.end("failed", misconfiguredOutcome(turn, loaded.detail));
      }
      this.loaded = loaded;
      kit.budgets.limit(id, await platform.limitsOfWork(limitFactsOf(session, turn.keyId)));
      const model = await platform.model(session.tenantId);
      const command = { ...turn, content: turn.original };
      const outcome = await runTurn(command, loaded.setup, {
        ...this.turnPorts(loaded, signal, platform),
        journal,
        model,
      });
      const { status, reply, request } = outcome;
      // What it came to is said when the conversation was handed back; that a message was blocked is known at once.
      if (request.action !== "block" && this.ports.handOver.isPaused(id)) throw new Parked([pausedBy]);
      const settled = settledOf(outcome, groundsOf([...this.calls.values()], reply, session.definition));
      return () => this.end(status, settled);
    } finally {
      clearTimeout(listing);
      this.stream = undefined;
      this.platform = undefined;
      this.loaded = undefined;
    }
  }

  /** A turn that was made with its first try was stored as running before it began. */
  private hasStarted(): boolean {
    return this.ports.kit.events.stored(this.id, "turn.started").length > 0;
  }

  /** The turn waits for an ask; it has done so since the ask was opened, for those who have sent a message since. */
  park(): void {
    const { store, kit, outbox } = this.ports;
    const { definition, hold } = store.session();
    if (hold === undefined && definition.whileWaiting === "cancel" && store.turns.queued() > 0) {
      this.end("cancelled", { degraded: [] });
      return;
    }
    kit.write(() => {
      outbox.auditSoFar(this.id);
      store.turns.setStatus(this.id, "waiting");
      const waited = turnWaitsFor(this.id, store, kit);
      kit.events.append("turn.waiting", this.id, { turnId: this.id, ...defined({ waitsFor: waited }) });
      // Of a conversation that a person has, each message waits for them alone.
      for (const { turnId } of hold === undefined ? store.turns.waitingInLine() : []) {
        recordQueued(turnId, store, kit);
        kit.budgets.park(turnId);
      }
      outbox.updateIndex();
    });
  }

  fail(why?: string): void {
    this.end("failed", crashOutcome(this.turn, why));
  }

  private end(status: EndedStatus, outcome: SettledOutcome): void {
    endTurn(this.turn, status, outcome, this.ports);
  }

  private listRunning(): void {
    const { store, kit, outbox } = this.ports;
    if (store.turns.get(this.id)?.status !== "running") return;
    kit.write(() => {
      outbox.auditSoFar(this.id);
      outbox.updateIndex();
    });
    kit.deliverSoon();
  }

  /** With its first turn a session gets its variant of the experiment that runs on its agent, and keeps it. */
  private async assignVariant(platform: RootPlatform, isHeld: () => boolean): Promise<void> {
    const { store, kit } = this.ports;
    const { tenantId, sessionId } = this.session;
    const experiments = (await platform.tenants.get(tenantId))?.experiments ?? [];
    if (experiments.length === 0 || !isHeld()) return;
    const { definition } = store.session();
    const live = experiments.find(({ agent, status }) => status === "running" && agent === definition.agent);
    if (live === undefined || definition.experiment !== undefined || store.turns.counts().turns > 1) return;
    const experiment = assign(live, { subject: definition.subject, sessionId });
    kit.write(() => store.setDefinition({ ...definition, experiment }));
  }

  private load(journal: Journal, platform: RootPlatform, isHeld: () => boolean): Promise<LoadedSetup> {
    const { store, kit, context } = this.ports;
    const { id } = this;
    const { tenantId, sessionId } = this.session;
    const { definition } = store.session();
    return loadTurnSetup(
      {
        tenantId,
        sessionId,
        definition,
        origin: this.origin(),
        context: () => context.current().context,
        changeContext: (change, author, reason) => {
          // What a change needs is loaded first: meanwhile the turn may have been cancelled.
          if (!isHeld()) throw new Superseded(`the turn ${id} was cancelled`);
          return context.change(change, author, reason, id);
        },
        history: () => store.messages.history(id),
        lastReply: () => store.messages.lastReply(id)?.metadata,
        health: kit.health,
      },
      journal,
      platform,
    );
  }

  private turnPorts(
    { setup, policies, contextEditor }: Loaded,
    signal: CancelSignal,
    platform: RootPlatform,
  ): Omit<TurnPorts, "journal" | "model"> {
    const { turn, session } = this;
    const { store, kit, outbox, handOver } = this.ports;
    const { events } = kit;
    const { turnId } = turn;
    this.stream = new ReplyStream(
      () => openStreamGate(setup.supervisors, "response", turn.replyId),
      {
        delta: (delta) => {
          // A person speaks now.
          if (!handOver.isPaused(turnId)) events.announce("reply.delta", turnId, { turnId, ...delta });
        },
        retracted: (attempt) => events.announce("reply.retracted", turnId, { turnId, attempt }),
      },
      () => events.isHeard(),
    );
    const { asks, raise, state, callWorker, debates, ...ports } = agentPorts(kit, platform, {
      tenantId: session.tenantId,
      origin: this.origin(),
      ownerId: session.sessionId,
      ref: { type: "turn", id: turnId },
      // The request's text is the message's; all others come with the reply.
      hash: (subject) =>
        saltedHash((subject.hook === "request" ? turn.messageSalt : turn.replySalt) ?? session.salt, subject),
      signal,
      settings: policies,
      environment: {
        transcript: () => {
          kit.works.flush(turnId);
          return transcriptOf(store, turn);
        },
        statistics: () => store.turns.counts(),
        context: contextEditor,
      },
      keepPass: (pass, before) => {
        store.passes.add(turnId, pass, platform.now(), { unsent: true });
        if (pass.decision !== "allow" && pass.subject?.partial !== true) this.keepOriginal(before, pass);
      },
      auditsLater: true,
      reviewPass: (before, after) => {
        // The audit has what was decided first.
        outbox.auditSoFar(turnId);
        store.passes.replace(turnId, before, after);
      },
      replyId: turn.replyId,
      answered: (call) => this.calls.set(`${call.toolCallId} ${call.tool} ${JSON.stringify(call.args)}`, call),
      // OpenAI's clients keep their connection open, and come back by themselves.
      rateLimitWaitMs: turn.request === undefined ? undefined : 0,
    });
    return {
      ...ports,
      stream: this.stream,
      team: {
        asks,
        raise,
        state,
        callWorker,
        debates,
        traced: (entry) => {
          // The log keeps no texts; the restricted record of the turn does, until a text of the turn is erased.
          const seq = events.append(entry.type, turnId, { turnId, ...entryWithoutText(entry) });
          store.trace.add(seq, turnId, entry);
        },
      },
      waiting: ({ reply, dropped, supervisors }) => {
        store.turns.setPartial(turnId, reply);
        const by = { kind: "supervisor" as const, id: supervisors.join(", ") };
        for (const { askId, from } of kit.asks.openOfWork(turnId)) {
          if (from.toolCallId !== undefined && dropped.includes(from.toolCallId)) kit.asks.cancel(askId, by);
        }
      },
      messageDecided: (message, blocked) => {
        store.messages.add({ ...message, createdAt: new Date(turn.acceptedAt).toISOString() }, turnId, !blocked);
        if (!blocked) outbox.remember(message.messageId);
      },
    };
  }

  /** What this turn's outgoing calls say of it. */
  private origin(): CallOrigin {
    const { agent, subject, metadata } = this.session.definition;
    return { sessionId: this.session.sessionId, turnId: this.turn.turnId, agent, subject, metadata };
  }

  /** The restricted record: what a reply said before supervision changed or blocked it. What was sent is kept with the turn. */
  private keepOriginal(before: Subject, { decision, reasons }: SupervisionState): void {
    if (before.hook !== "response") return;
    const original: AssistantMessage = { messageId: this.turn.replyId, role: "assistant", modelReply: before.reply };
    this.ports.store.versions.addOriginal(original, decision, reasons, this.ports.platform.now());
  }
}

/** Drives one turn of a session: gathers its setup, runs the durable function, stores what came of it. */

import type { CallOrigin } from "../../src/agent/call-context.js";
import { Superseded } from "../../src/agent/journal.js";
import type { EndedStatus } from "../../src/agent/work.js";
import type { RootPlatform } from "../../src/application/root-platform.js";
import { saltedHash } from "../../src/application/salted-hash.js";
import { type LoadedSetup, loadTurnSetup } from "../../src/application/turn-setup.js";
import { ReplyStream } from "../../src/chat/reply-stream.js";
import type { SettledOutcome } from "../../src/chat/session.js";
import { runTurn } from "../../src/chat/turn.js";
import type { TurnPorts } from "../../src/chat/turn-ports.js";
import type { AssistantMessage } from "../../src/conversation/message.js";
import type { CancelSignal } from "../../src/model/port.js";
import { entryWithoutText } from "../../src/routing/trace.js";
import type { SupervisionState } from "../../src/supervision/state.js";
import { openStreamGate } from "../../src/supervision/stream-gate.js";
import type { Subject } from "../../src/supervision/subject.js";
import { agentPorts } from "../kit/agent-ports.js";
import type { Lease } from "../kit/driver.js";
import type { Kit } from "../kit/kit.js";
import type { VersionedContext } from "./session-context.js";
import type { ChatSessionStore, SessionRecord } from "./store.js";
import { transcriptOf } from "./transcript.js";
import type { TurnRecord } from "./turn-rows.js";

export interface RunnerPorts {
  readonly store: ChatSessionStore;
  readonly kit: Kit;
  readonly platform: RootPlatform;
  readonly context: VersionedContext;
  /** Puts a message into the outbox for the memory, in the write that is under way. Only effective texts are. */
  readonly remember: (messageId: string) => void;
}

/** What a turn came to. */
export interface TurnEnd {
  readonly status: EndedStatus;
  readonly outcome: SettledOutcome;
}

/** A turn while it runs in this instance. */
export class TurnRun {
  stream: ReplyStream | undefined;
  private loaded: Extract<LoadedSetup, { ok: true }> | undefined;

  constructor(
    readonly turn: TurnRecord,
    private readonly session: SessionRecord,
    private readonly ports: RunnerPorts,
  ) {}

  /** The session's context was changed from outside: what it names now is loaded for the next prompt and call. */
  async refresh(): Promise<void> {
    this.ports.platform.renew();
    await this.loaded?.refresh();
  }

  /** @throws {Parked} while the turn waits for an ask. */
  async drive({ signal, isHeld }: Lease): Promise<TurnEnd> {
    const { turn, session } = this;
    const { store, platform, kit } = this.ports;
    const journal = kit.journal(turn.turnId, isHeld);
    const loaded = await loadTurnSetup(
      {
        tenantId: session.tenantId,
        sessionId: session.sessionId,
        definition: session.definition,
        origin: this.origin(),
        context: () => this.ports.context.current().context,
        changeContext: (change, author, reason) => {
          // What a change needs is loaded first: meanwhile the turn may have been cancelled.
          if (!isHeld()) throw new Superseded(`the turn ${turn.turnId} was cancelled`);
          return this.ports.context.change(change, author, reason, turn.turnId);
        },
        history: () => store.messages.history(turn.turnId),
        lastReply: () => store.messages.lastReply(turn.turnId)?.metadata,
        health: kit.health,
      },
      journal,
      platform,
    );
    if (!loaded.ok) return { status: "failed", outcome: this.failure(loaded.detail) };

    this.loaded = loaded;
    const model = await platform.model(session.tenantId);
    const command = { ...turn, content: turn.original };
    const ports = { ...this.turnPorts(loaded, signal), journal, model };
    const outcome = await runTurn(command, loaded.setup, ports);
    const { status, reply, error, failure, request, response, degraded } = outcome;
    return {
      status,
      outcome: {
        ...(reply === undefined ? {} : { reply }),
        ...(error === undefined ? {} : { error }),
        ...(failure === undefined ? {} : { failure }),
        request: { action: request.action, reasons: [...request.reasons] },
        ...(response === undefined ? {} : { response: { action: response.action, reasons: [...response.reasons] } }),
        degraded: [...degraded],
      },
    };
  }

  private turnPorts(
    { setup, policies, contextEditor }: Extract<LoadedSetup, { ok: true }>,
    signal: CancelSignal,
  ): Omit<TurnPorts, "journal" | "model"> {
    const { turn, session } = this;
    const { store, kit, platform } = this.ports;
    const { events } = kit;
    const { turnId } = turn;
    this.stream = new ReplyStream(
      () => openStreamGate(setup.supervisors, "response", turn.replyId),
      {
        delta: (delta) => events.announce("reply.delta", turnId, { turnId, ...delta }),
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
        store.passes.add(turnId, pass, platform.now());
        if (pass.decision !== "allow" && pass.subject?.partial !== true) this.keepOriginal(before, pass);
      },
      reviewPass: (before, after) => store.passes.replace(turnId, before, after),
      replyId: turn.replyId,
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
        if (!blocked) this.ports.remember(message.messageId);
      },
    };
  }

  /** What this turn's outgoing calls say of it. */
  private origin(): CallOrigin {
    const { sessionId, definition } = this.session;
    const { agent, subject, metadata } = definition;
    return { sessionId, turnId: this.turn.turnId, agent, subject, metadata };
  }

  /** The restricted record: what a reply said before supervision changed or blocked it. What was sent is kept with the turn. */
  private keepOriginal(before: Subject, { decision, reasons }: SupervisionState): void {
    if (before.hook !== "response") return;
    const original: AssistantMessage = { messageId: this.turn.replyId, role: "assistant", modelReply: before.reply };
    this.ports.store.versions.addOriginal(original, decision, reasons, this.ports.platform.now());
  }

  /** What is wrong is for operators: it stands in the log, and in the warnings of what was stored. */
  private failure(detail: string): SettledOutcome {
    this.ports.kit.log("error", "turn.misconfigured", { work: this.turn.turnId, error: detail });
    const content = "The answer failed: this assistant isn't set up completely. Whoever runs it can see why.";
    const error = { messageId: this.turn.replyId, role: "error" as const, content, code: "misconfigured" as const };
    return { error, failure: detail, degraded: [] };
  }
}

/** Drives one turn of a session: gathers its setup, runs the durable function, stores what came of it. */
import { Superseded } from "../../src/agent/journal.js";
import { type AssistantMessage, messageText } from "../../src/chat/message.js";
import type { HistoryMessage } from "../../src/chat/prompt.js";
import { ReplyStream } from "../../src/chat/reply-stream.js";
import type { StoredOutcome, TurnStatus } from "../../src/chat/session.js";
import { runTurn, type TurnPorts } from "../../src/chat/turn.js";
import { validateArguments } from "../../src/platform/argument-check.js";
import { withDeadline } from "../../src/platform/clock.js";
import { logDecision } from "../../src/platform/decision-log.js";
import { sha256Hex } from "../../src/platform/digest.js";
import type { SessionPlatform } from "../../src/platform/session-platform.js";
import { type LoadedSetup, loadTurnSetup } from "../../src/platform/turn-setup.js";
import { entryWithoutText } from "../../src/routing/trace.js";
import type { SupervisionState } from "../../src/supervision/state.js";
import { openStreamGate } from "../../src/supervision/stream-gate.js";
import type { Subject } from "../../src/supervision/subject.js";
import { askPolicy } from "../../src/tenancy/ask-policy.js";
import type { Kit } from "../kit/kit.js";
import type { Hold } from "../kit/piece.js";
import type { VersionedContext } from "./session-context.js";
import type { ChatSessionStore, SessionRecord, TurnRecord } from "./store.js";

export interface RunnerPorts {
  readonly store: ChatSessionStore;
  readonly kit: Kit;
  readonly platform: SessionPlatform;
  readonly context: VersionedContext;
  /** Copies a decision to the tenant's audit. */
  readonly audit: (entry: { turnId: string; hook: string; decision: string; body: unknown }) => void;
  /** Has the memory told of a message, by the write that is under way. Only effective texts are. */
  readonly remember: (messageId: string) => void;
  /** Ends the turn: status, outcome, messages and event in one write. */
  readonly ended: (turn: TurnRecord, status: TurnStatus, outcome: StoredOutcome) => void;
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
    await this.loaded?.refresh();
  }

  /** @throws {Parked} while the turn waits for an ask. */
  async drive(hold: Hold): Promise<void> {
    const { turn, session } = this;
    const { store, platform, kit } = this.ports;
    const { holds } = hold;
    // Cancelled meanwhile, between its last step and its end: whoever did that has ended it.
    const ended: (status: TurnStatus, outcome: StoredOutcome) => void = (status, outcome) => {
      if (holds()) this.ports.ended(turn, status, outcome);
    };
    const journal = kit.journal(turn.turnId, holds);
    const loaded = await loadTurnSetup(
      {
        tenantId: session.tenantId,
        sessionId: session.sessionId,
        definition: session.definition,
        context: () => this.ports.context.current().context,
        changeContext: (change, author, reason) => {
          // What a change needs is loaded first: meanwhile the turn may have been cancelled.
          if (!holds()) throw new Superseded(`the turn ${turn.turnId} was cancelled`);
          return this.ports.context.change(change, author, reason, turn.turnId);
        },
        history: () => store.history(turn.turnId),
        health: kit.health,
      },
      journal,
      platform,
    );
    if (!loaded.ok) return ended("failed", this.failure(loaded.detail));

    this.loaded = loaded;
    const model = await platform.model(session.tenantId);
    const command = { ...turn, content: turn.original };
    const outcome = await runTurn(command, loaded.setup, this.turnPorts(loaded, journal, model, hold.signal));
    const { status, reply, error, request, response, degraded, usage } = outcome;
    ended(status, {
      ...(reply === undefined ? {} : { reply }),
      ...(error === undefined ? {} : { error }),
      request: { action: request.action, reasons: [...request.reasons] },
      ...(response === undefined ? {} : { response: { action: response.action, reasons: [...response.reasons] } }),
      degraded: [...degraded],
      usage,
    });
  }

  private turnPorts(
    { setup, strict, reviews, approvals, desk }: Extract<LoadedSetup, { ok: true }>,
    journal: TurnPorts["journal"],
    model: TurnPorts["model"],
    signal: AbortSignal,
  ): TurnPorts {
    const { turn, session } = this;
    const { store, kit, platform, audit } = this.ports;
    const { events } = kit;
    const { turnId } = turn;
    this.stream = new ReplyStream(() => openStreamGate(setup.supervisors), {
      delta: (delta) => events.announce("reply.delta", turnId, { turnId, ...delta }),
      retracted: (attempt) => events.announce("reply.retracted", turnId, { turnId, attempt }),
    });
    return {
      journal,
      model,
      signal,
      now: platform.now,
      withDeadline: (timeoutMs, work) => withDeadline(timeoutMs, work, signal),
      validateArguments,
      stream: this.stream,
      team: {
        asks: () => kit.asks.ofWork(turnId),
        state: platform.teamState(session.tenantId),
        callWorker: (call, cancel) => platform.callWorker(session.tenantId, call, cancel),
        traced: (entry) => events.append(entry.type, turnId, { turnId, ...entryWithoutText(entry) }),
      },
      observer: {
        toolCalled: (call) => events.append("tool.called", turnId, { turnId, ...call }),
        toolReturned: (call) => events.append("tool.returned", turnId, { turnId, ...call }),
      },
      approvals: {
        isApproved: ({ server, tool }) => store.isApproved(server, tool),
        approveForSession: ({ server, tool }) => store.approve(server, tool),
      },
      approval: askPolicy(approvals, { type: "turn", id: turnId }),
      supervise: {
        now: platform.now,
        hash: (text) => sha256Hex(session.salt + text),
        withDeadline: (timeoutMs, work) => withDeadline(timeoutMs, work, signal),
        strict,
        cancelled: () => signal.aborted,
        review: askPolicy(reviews, { type: "turn", id: turnId }),
        surroundings: {
          ownerId: session.sessionId,
          workId: turnId,
          transcript: () => this.transcript(),
          statistics: () => store.turnCounts(),
          context: desk,
        },
        decided: (state, before) => {
          store.addPass(turnId, state, platform.now());
          if (state.decision !== "allow") this.keepOriginal(before, state);
          const { hook, decision, reasons } = state;
          events.append("supervision.decided", turnId, { turnId, hook, decision, reasons, degraded: state.degraded });
          audit({ turnId, hook, decision, body: state });
          logDecision({ tenantId: session.tenantId, sessionId: session.sessionId, turnId }, state);
        },
      },
      messageDecided: (message, blocked) => {
        store.addMessage(message, turnId, !blocked);
        if (!blocked) this.ports.remember(message.messageId);
      },
    };
  }

  /** What was said before the text that is judged: this turn's message too, once its verdict is in. */
  private transcript(): HistoryMessage[] {
    const { store } = this.ports;
    const message = store.message(this.turn.messageId);
    const said = message === undefined ? [] : [{ role: "user" as const, content: messageText(message) }];
    return [...store.history(this.turn.turnId), ...said];
  }

  /** The restricted record: what a reply said before supervision changed or blocked it. What was sent is kept with the turn. */
  private keepOriginal(before: Subject, { decision, reasons }: SupervisionState): void {
    if (before.hook !== "response") return;
    const original: AssistantMessage = { messageId: this.turn.replyId, role: "assistant", modelReply: before.reply };
    this.ports.store.addOriginal(original, decision, reasons, this.ports.platform.now());
  }

  private failure(detail: string): StoredOutcome {
    const error = { messageId: this.turn.replyId, role: "error" as const, content: `The answer failed: ${detail}` };
    return { error, degraded: [], usage: { inputTokens: 0, outputTokens: 0 } };
  }
}

/** A message that is taken as an answer is a message: all request supervisors of the session judge it before it answers anything. */
import { CancelSource } from "../../src/agent/cancel.js";
import { isControlFlow } from "../../src/agent/journal.js";
import type { RootPlatform } from "../../src/application/root-platform.js";
import { saltedHash } from "../../src/application/salted-hash.js";
import { loadSupervisors } from "../../src/application/turn-setup.js";
import { type SentMessage, textsOfMessage, withTexts } from "../../src/chat/caller-texts.js";
import { isFinal } from "../../src/chat/session.js";
import type { PlainMessage } from "../../src/conversation/message.js";
import { ok, type Result, refuse } from "../../src/conversation/problem.js";
import { runPass } from "../../src/supervision/pass.js";
import type { PendingShadow } from "../../src/supervision/shadows.js";
import type { SupervisionState } from "../../src/supervision/state.js";
import type { SubjectOf } from "../../src/supervision/subject.js";
import type { Action } from "../../src/supervision/verdict.js";
import { agentPorts } from "../kit/agent-ports.js";
import type { Kit } from "../kit/kit.js";
import type { VersionedContext } from "./session-context.js";
import type { ChatSessionStore } from "./store.js";
import { transcriptOf } from "./transcript.js";
import type { TurnRecord } from "./turn-rows.js";

export interface AnswerSupervisionPorts {
  readonly store: ChatSessionStore;
  readonly kit: Kit;
  readonly platform: RootPlatform;
  readonly context: VersionedContext;
}

/** What the supervisors made of an answer. */
export interface JudgedAnswer {
  /** The effective message, or why it answers nothing. */
  readonly message: Result<PlainMessage>;
  /** Records their verdict. To be called in the write that acts on it. */
  readonly record: () => void;
}

export class AnswerSupervision {
  constructor(private readonly ports: AnswerSupervisionPorts) {}

  /** Nothing when the turn ended meanwhile. Supervisors can't change the session's context here, and nobody reviews: what they hold answers nothing. */
  async judge(message: PlainMessage, sender: SentMessage, turn: TurnRecord): Promise<JudgedAnswer | undefined> {
    const { store, kit, platform, context } = this.ports;
    const { tenantId, sessionId, definition, salt } = store.session();
    const { turnId } = turn;
    const { agent, subject, metadata } = definition;
    const origin = { sessionId, turnId, agent, subject, metadata };
    const session = { tenantId, definition, context: () => context.current().context };
    const loaded = await loadSupervisors(session, platform, { health: kit.health, origin });
    if (!loaded.ok) return { message: refuse("conflict", loaded.detail), record: () => {} };
    const { supervise } = agentPorts(kit, platform, {
      tenantId,
      origin,
      ownerId: sessionId,
      ref: { type: "turn", id: turnId },
      hash: (judged) => saltedHash(salt, judged),
      signal: new CancelSource().signal,
      settings: loaded.policies,
      environment: {
        transcript: () => transcriptOf(store, turn),
        statistics: () => store.turns.counts(),
      },
      keepPass: (pass) => store.passes.add(turnId, pass, platform.now()),
      reviewPass: () => {},
    });
    const { messageId, content } = message;
    const texts = textsOfMessage(sender);
    const sent: SubjectOf<"request"> = {
      hook: "request",
      message: { messageId, role: "user", content },
      ...(texts.length === 0 ? {} : { beside: texts }),
    };
    const isOpen = (): boolean => !isFinal(store.turns.get(turnId)?.status ?? "cancelled");
    // Steps of the turn: what its models take is counted with it, and forgotten with it.
    const journal = kit.journal(turnId, isOpen).scope(`answer/${messageId}`);
    try {
      const shadows: PendingShadow[] = [];
      const later = (shadow: PendingShadow): void => void shadows.push(shadow);
      const { state, subject: after } = await runPass(sent, loaded.supervisors, { ...supervise, journal }, later);
      const decided = (record: SupervisionState): void => {
        supervise.decided(record, sent, after);
        for (const shadow of shadows) supervise.shadow?.(shadow);
      };
      const passed = after.hook === "request" ? after.message.content : "";
      const beside = after.hook === "request" ? (after.beside ?? []) : [];
      const why = stopped(state.decision);
      if (why === undefined) {
        const cleared = withTexts({ ...message, content: passed }, sender, beside);
        return { message: ok(cleared), record: () => decided(state) };
      }
      // No message keeps the text of one that was stopped.
      const record = { ...state, texts: { before: content, after: passed } };
      const detail = ["The message was not taken as the answer:", why, ...state.reasons].join(" ");
      return { message: refuse("invalid", detail), record: () => decided(record) };
    } catch (error) {
      if (isControlFlow(error)) return undefined;
      // It is no try of the turn: those that come after begin anew.
      throw kit.works.flushAfter(turnId, error);
    }
  }
}

function stopped(decision: Action): string | undefined {
  switch (decision) {
    case "allow":
    case "modify":
      return undefined;
    case "review":
      return "a person would have to review it first.";
    case "block":
      return "it was blocked.";
  }
}

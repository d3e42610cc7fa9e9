/** The object of a session as others call it: what it does is in `SessionEngine`. */

import { type ContextChangeBody, type ContextView, contextChangeSchema } from "../../src/chat/context.js";
import type { RecordedConversation } from "../../src/chat/conversation.js";
import { type Feedback, type NewFeedback, newFeedbackSchema } from "../../src/chat/feedback.js";
import { type MessageEdit, type MessageVersion, messageEditSchema } from "../../src/chat/message-version.js";
import {
  type Session,
  type SessionChange,
  type SessionDefinition,
  sessionChangeSchema,
  sessionDefinitionSchema,
  type Turn,
} from "../../src/chat/session.js";
import { environmentOf } from "../../src/composition/databases.js";
import { composeRootPlatform } from "../../src/composition/objects.js";
import type { ActorRecord } from "../../src/conversation/actor-record.js";
import type { CommandKey } from "../../src/conversation/command-key.js";
import { defined } from "../../src/conversation/defined.js";
import type { ChatMessage } from "../../src/conversation/message.js";
import { ok, type Result, refuse } from "../../src/conversation/problem.js";
import { type ConversationIdentity, conversationIdentitySchema } from "../../src/gateways/channel-gateway.js";
import type { EventsQuery } from "../../src/gateways/root-gateway.js";
import type {
  CreatedSession,
  ErasedMessage,
  FollowedMessage,
  HandOverStep,
  RecordedPass,
  RecordedTurn,
  SendCommand,
  SentTurn,
  SessionObject,
} from "../../src/gateways/session-object.js";
import { fromWire, type Page, pageOfRows, toWire, type Wire } from "../../src/gateways/wire.js";
import type { TurnTrace } from "../../src/routing/trace.js";
import { tenantOf } from "../kit/home.js";
import { Root } from "../kit/root.js";
import { chatSessionSchema } from "./schema.js";
import { SessionEngine } from "./session-engine.js";
import { turnTrace } from "./turn-trace.js";

/** One session: its messages, its turns one at a time, the asks they wait on. */
export class ChatSession extends Root<SessionEngine> implements SessionObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(
      ctx,
      env,
      chatSessionSchema,
      new SessionEngine(ctx, composeRootPlatform(environmentOf(env, tenantOf(ctx, "session")))),
    );
  }

  async create(
    identity: { tenantId: string; sessionId: string },
    definition: Wire<SessionDefinition>,
  ): Promise<Wire<CreatedSession>> {
    const created = !this.exists();
    if (created) {
      const parsed = fromWire(definition, sessionDefinitionSchema);
      this.makeTables();
      this.engine.create(identity, parsed);
    }
    return toWire({ session: this.engine.view(), created });
  }

  async change(change: Wire<SessionChange>, command?: CommandKey, by?: ActorRecord): Promise<Wire<Result<Session>>> {
    return toWire(this.exists() ? this.engine.change(fromWire(change, sessionChangeSchema), command, by) : noSession);
  }

  async showIn(conversation: Wire<ConversationIdentity>): Promise<Wire<Result<Session>>> {
    if (!this.exists()) return toWire(noSession);
    this.engine.showIn(JSON.stringify(fromWire(conversation, conversationIdentitySchema)));
    return toWire(ok(this.engine.view()));
  }

  async shownIn(): Promise<Wire<ConversationIdentity | null>> {
    const shown = this.exists() ? this.engine.shownIn() : undefined;
    return toWire(shown === undefined ? null : conversationIdentitySchema.parse(JSON.parse(shown)));
  }

  async describe(): Promise<Wire<Result<Session>>> {
    return toWire(this.exists() ? ok(this.engine.view()) : noSession);
  }

  /** Takes a message and waits for its turn's outcome, at most `waitMs`. The same key gets the same turn. */
  async send(command: SendCommand): Promise<Wire<Result<Turn>>> {
    if (!this.exists()) return toWire(noSession);
    const accepted = await this.engine.intake.accept(command);
    return accepted.ok ? this.turn(accepted.value, command.waitMs, command.follow) : toWire(accepted);
  }

  async sendAndFollow(command: SendCommand, query: Omit<EventsQuery, "work">): Promise<FollowedMessage> {
    const accepted = this.exists() ? await this.engine.intake.accept(command) : noSession;
    if (!accepted.ok) return { refusal: toWire(accepted) };
    const stream = await this.streamEvents({ ...query, work: accepted.value });
    return stream === null ? { refusal: toWire(noSession) } : { stream };
  }

  async turn(turnId: string, waitMs: number, follow = false): Promise<Wire<Result<Turn>>> {
    return toWire((await this.settled(waitMs, turnId, follow)) ? this.engine.turn(turnId) : noSession);
  }

  async turnAsSent(turnId: string): Promise<Wire<Result<SentTurn>>> {
    const turn = this.exists() ? this.engine.store.turns.get(turnId) : undefined;
    if (turn === undefined) return toWire(noTurn);
    const view = this.engine.turn(turnId);
    return toWire(view.ok ? ok({ turn: view.value, request: turn.request }) : view);
  }

  async recordedTurn(turnId: string): Promise<Wire<Result<RecordedTurn>>> {
    const turn = this.exists() ? this.engine.store.turns.get(turnId) : undefined;
    const view = turn && this.engine.turn(turnId);
    if (turn === undefined || view?.ok !== true) return toWire(noTurn);
    const steps = this.engine.store.passes.ofTurn(turnId).flatMap((pass) => pass.steps);
    const versions = steps.flatMap(({ supervisor, version }) => (supervisor && version ? [[supervisor, version]] : []));
    const { request, outcome } = turn;
    return toWire(
      ok({
        turn: view.value,
        ...defined({ request, grounds: outcome?.grounds }),
        versions: Object.fromEntries(versions),
      }),
    );
  }

  async turnTrace(turnId: string): Promise<Wire<Result<TurnTrace>>> {
    const turn = this.exists() ? this.engine.store.turns.get(turnId) : undefined;
    return toWire(turn === undefined ? noTurn : ok(turnTrace(turn, this.engine.store, this.engine.kit)));
  }

  async cancelTurn(turnId: string, by: ActorRecord): Promise<Wire<Result<Turn>>> {
    const turn = this.exists() ? this.engine.store.turns.get(turnId) : undefined;
    if (turn === undefined) return toWire(noTurn);
    this.engine.cancelTurn(turn, by);
    return toWire(this.engine.turn(turnId));
  }

  async context(): Promise<Wire<Result<ContextView>>> {
    return toWire(this.exists() ? ok(this.engine.context.view()) : noSession);
  }

  async changeContext(
    change: Wire<ContextChangeBody>,
    author: ActorRecord,
    command?: CommandKey,
  ): Promise<Wire<Result<ContextView>>> {
    if (!this.exists()) return toWire(noSession);
    const parsed = fromWire(change, contextChangeSchema);
    return toWire(await this.engine.changeContext(() => this.engine.context.changeBy(parsed, author), command));
  }

  async restoreContext(version: number, author: ActorRecord, command?: CommandKey): Promise<Wire<Result<ContextView>>> {
    if (!this.exists()) return toWire(noSession);
    return toWire(await this.engine.changeContext(() => this.engine.context.restore(version, author), command));
  }

  async messages(after: number, limit: number): Promise<Wire<Result<Page<ChatMessage>>>> {
    if (!this.exists()) return toWire(noSession);
    const rows = this.engine.store.messages.after(after, limit + 1);
    return toWire(ok(pageOfRows(rows, limit, ({ message }) => message)));
  }

  /** What was said last, with what supervision decided of it and who was asked about it. */
  async conversation(before: number, limit: number): Promise<Wire<Result<RecordedConversation>>> {
    if (!this.exists()) return toWire(noSession);
    const { messages, passes } = this.engine.store;
    const rows = messages.before(before, limit + 1);
    const shown = rows.slice(-limit);
    const items = shown.map(({ message, turnId }) => {
      const about = passes.ofTurn(turnId).filter(({ hook }) => (hook === "request") === (message.role === "user"));
      const asks = message.role === "user" ? this.engine.kit.asks.ofWork(turnId) : [];
      const { messageId, role } = message;
      // What is said of a turn stands by its reply.
      const feedback = this.engine.feedback
        .ofTurn(turnId)
        .filter((given) => (given.messageId === undefined ? role !== "user" : given.messageId === messageId));
      return { turnId, message, passes: [...about], asks, feedback };
    });
    const earlier = rows.length > limit ? (shown[0]?.seq ?? null) : null;
    return toWire(ok({ items, earlier }));
  }

  /** All that a message ever said. Originals are for operators: the caller sees to that. */
  async versions(messageId: string): Promise<Wire<Result<MessageVersion[]>>> {
    const versions = this.exists() ? await this.engine.versions.history.versions(messageId) : [];
    return toWire(
      versions.length > 0 ? ok(versions) : refuse("not_found", "There is no such message in this session."),
    );
  }

  async editMessage(
    messageId: string,
    edit: Wire<MessageEdit>,
    author: ActorRecord,
    command?: CommandKey,
  ): Promise<Wire<Result<MessageVersion>>> {
    if (!this.exists()) return toWire(noSession);
    return toWire(await this.engine.versions.edit(messageId, fromWire(edit, messageEditSchema()), author, command));
  }

  async restoreMessage(
    messageId: string,
    version: number,
    author: ActorRecord,
    command?: CommandKey,
  ): Promise<Wire<Result<MessageVersion>>> {
    if (!this.exists()) return toWire(noSession);
    return toWire(await this.engine.versions.restore(messageId, version, author, command));
  }

  async eraseMessage(messageId: string, author: ActorRecord): Promise<Wire<Result<ErasedMessage>>> {
    if (!this.exists()) return toWire(noSession);
    const erased = await this.engine.versions.erase(messageId, author);
    const turn = this.engine.store.turns.ofMessage(messageId);
    return toWire(erased.ok ? ok({ version: erased.value, turnId: turn?.turnId ?? "" }) : erased);
  }

  async handOver(step: HandOverStep, by: ActorRecord, command?: CommandKey): Promise<Wire<Result<Session>>> {
    if (!this.exists()) return toWire(noSession);
    const done = this.stepOf(step, by, command);
    return toWire(done.ok ? ok(this.engine.view()) : done);
  }

  private stepOf(step: HandOverStep, by: ActorRecord, command?: CommandKey): Result<void> {
    const { handOver } = this.engine;
    switch (step.kind) {
      case "hold":
        return handOver.hold(by, command);
      case "release":
        return handOver.release(by, step.answers, command);
      case "request":
        return handOver.request(by, step.who, command);
      case "withdraw":
        return handOver.withdraw(by, command);
    }
  }

  async writeAsStaff(content: string, by: ActorRecord, command?: CommandKey): Promise<Wire<Result<Turn>>> {
    if (!this.exists()) return toWire(noSession);
    const written = await this.engine.handOver.write(content, by, command);
    return toWire(written.ok ? this.engine.turn(written.value) : written);
  }

  async giveFeedback(given: Wire<NewFeedback>, by: ActorRecord): Promise<Wire<Result<Feedback>>> {
    if (!this.exists()) return toWire(noSession);
    return toWire(await this.engine.feedback.give(fromWire(given, newFeedbackSchema()), by));
  }

  async supervision(after: number, limit: number): Promise<Wire<Result<Page<RecordedPass>>>> {
    if (!this.exists()) return toWire(noSession);
    const rows = this.engine.store.passes.after(after, limit + 1);
    const view = ({ state, turnId, at }: (typeof rows)[number]): RecordedPass => ({
      ...state,
      turnId,
      at: new Date(at).toISOString(),
    });
    return toWire(ok(pageOfRows(rows, limit, view)));
  }
}

const noSession = refuse("not_found", "There is no such session.");
const noTurn = refuse("not_found", "There is no such session, or no such turn in it.");

/** What a session puts into its outbox: its copy for the list, messages for the memory, turns and asks for its chat. */
import type { OutboxPayload } from "../../src/catalogues/outbox.js";
import type { Session } from "../../src/chat/session.js";
import type { Kit } from "../kit/kit.js";
import { putAudit } from "../kit/pass-audit.js";
import type { StoredPass } from "./pass-store.js";
import type { ChatSessionStore } from "./store.js";

export interface SessionOutboxPorts {
  readonly store: ChatSessionStore;
  readonly kit: Kit;
  readonly now: () => number;
  readonly view: () => Session;
}

/** Each is called in the write that it is about; `outbox-delivery.ts` brings it where it belongs. */
export class SessionOutbox {
  constructor(private readonly ports: SessionOutboxPorts) {}

  /** Sends what the list of sessions shows to its copy. To be called in the write that changes it. */
  updateIndex({ turnEnded = false } = {}): void {
    const { store, kit, now, view } = this.ports;
    if (turnEnded) store.turnEnded(now());
    else store.touch(now());
    kit.outbox.put("session", "session", view());
  }

  /** Sends the rows of the audit of a turn's passes that are not sent yet. To be called in the write that ends it. */
  auditEnded(turnId: string): void {
    const { store } = this.ports;
    for (const [id, passes] of this.endedBefore()) {
      this.audit(id, passes);
      store.passes.markSent(passes);
      store.turns.endedBefore(id, store.passes.lastNumber());
    }
    this.audit(turnId, store.passes.unsent(turnId));
  }

  /** The same while the turn goes on, or waits. To be called in a write. */
  auditSoFar(turnId: string): void {
    const { passes } = this.ports.store;
    const unsent = passes.unsent(turnId);
    this.audit(turnId, unsent);
    passes.markSent(unsent);
  }

  private audit(turnId: string, passes: readonly StoredPass[]): void {
    for (const { state, at } of passes) putAudit(this.ports.kit.outbox, turnId, state, at);
  }

  /** Turns that code of before has ended while it was deployed again: it didn't know that their passes were unsent. */
  private endedBefore(): (readonly [string, StoredPass[]])[] {
    const { turns, passes } = this.ports.store;
    return turns.endedByCodeBefore().map((id) => [id, passes.unsent(id)] as const);
  }

  /** For the memory, by id: the outbox holds no text, and what is delivered is what the message says by then. */
  remember(messageId: string, change?: number | "erased"): void {
    const { store, kit, now } = this.ports;
    if (store.session().definition.memory !== undefined) {
      const edit = change === "erased" ? undefined : change;
      kit.outbox.put("memory", "memory", { messageId, edit, at: now() });
    }
    // The end of a turn sends off what it left; a change stands alone.
    if (change !== undefined) kit.deliverSoon();
  }

  /** Where the session belongs to a chat, that is where turns and asks appear. To be called in the write that it is about. */
  notifyConversation(change: OutboxPayload<"channel">): void {
    const { store, kit } = this.ports;
    // One entity: what happened first appears first.
    if (store.session().conversation !== undefined) kit.outbox.put("channel", "channel", change);
  }
}

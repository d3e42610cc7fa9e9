/** What a session puts into its outbox: its copy for the list, messages for the memory, turns and asks for its chat. */
import type { OutboxPayload } from "../../src/catalogues/outbox.js";
import type { Session } from "../../src/chat/session.js";
import type { Kit } from "../kit/kit.js";
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
  updateIndex(): void {
    const { store, kit, now, view } = this.ports;
    store.touch(now());
    kit.outbox.put("session", "session", view());
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

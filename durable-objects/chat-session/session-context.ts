/** The context of a session as versions: every change is a new one, with who made it and why. */
import type { ContextView, SessionContext } from "../../src/chat/context.js";
import type { Kit } from "../kit/kit.js";
import type { ChatSessionStore } from "./store.js";

export interface ContextPorts {
  readonly storage: DurableObjectStorage;
  readonly store: ChatSessionStore;
  readonly kit: Kit;
  readonly now: () => number;
  /** The session as it is listed shows its context. */
  readonly changed: () => void;
}

export class VersionedContext {
  constructor(private readonly ports: ContextPorts) {}

  view(): ContextView {
    const { version, context } = this.ports.store.context();
    return { version, context, history: this.ports.store.contextHistory() };
  }

  /** Changes the context at once; what changes nothing makes no version. */
  change(
    apply: (context: SessionContext) => SessionContext,
    author: string,
    reason: string,
    turnId?: string,
  ): { version: number; changed: boolean } {
    const { storage, store, kit, now, changed } = this.ports;
    const before = store.context();
    const next = apply(before.context);
    if (JSON.stringify(next) === JSON.stringify(before.context)) return { version: before.version, changed: false };
    const version = before.version + 1;
    storage.transactionSync(() => {
      store.addContextVersion(next, author, reason, now());
      // The log holds the number; who and why are read from the version.
      kit.events.append("context.changed", turnId, { version, ...(turnId === undefined ? {} : { turnId }) });
      changed();
    });
    return { version, changed: true };
  }

  /** Makes an earlier version count again, as a new one; `undefined` when there is no such version. */
  restore(version: number, author: string): ContextView | undefined {
    const earlier = this.ports.store.contextVersion(version);
    if (earlier === undefined) return undefined;
    this.change(() => earlier.context, author, `version ${version} was restored`);
    return this.view();
  }
}

/** The context of a session as versions: every change is a new one, with who made it and why. */
import {
  type ContextChangeBody,
  type ContextView,
  changeContext,
  fitsLimits,
  type SessionContext,
  sessionContextSchema,
} from "../../src/chat/context.js";
import { type ActorRecord, readAuthor } from "../../src/conversation/actor-record.js";
import { defined } from "../../src/conversation/defined.js";
import { ok, type Result, refuse } from "../../src/conversation/problem.js";
import type { Kit } from "../kit/kit.js";
import { ParsedTexts } from "../kit/parsed-texts.js";

type ContextVersion = ContextView["history"][number];

export interface ContextPorts {
  readonly sql: SqlStorage;
  readonly kit: Kit;
  readonly now: () => number;
  /** The session as it is listed shows its context. */
  readonly changed: () => void;
}

export class VersionedContext {
  private readonly contexts = new ParsedTexts(sessionContextSchema);
  /** The newest version, once it was read. */
  private newest: ContextVersion | undefined;

  constructor(private readonly ports: ContextPorts) {}

  /** A write was rolled back: what was read within it doesn't hold. */
  onRollback(): void {
    this.newest = undefined;
  }

  /** The first version, as the session was created with it. */
  begin(context: SessionContext): void {
    this.add(context, "", "the session was created");
  }

  current(): { readonly version: number; readonly context: SessionContext } {
    this.newest ??= this.read("ORDER BY version DESC LIMIT ?", 1)[0];
    if (this.newest === undefined) throw new Error("a session without a context");
    return this.newest;
  }

  version(version: number): ContextVersion | undefined {
    return this.read("WHERE version = ?", version)[0];
  }

  view(): ContextView {
    const { version, context } = this.current();
    return { version, context, history: this.read("ORDER BY version DESC LIMIT ?", shownVersions) };
  }

  /** Changes the context at once; what changes nothing makes no version. */
  change(
    apply: (context: SessionContext) => SessionContext,
    author: ActorRecord,
    reason: string,
    turnId?: string,
  ): { version: number; changed: boolean } {
    const { kit, changed } = this.ports;
    const before = this.current();
    const next = apply(before.context);
    if (JSON.stringify(next) === JSON.stringify(before.context)) return { version: before.version, changed: false };
    const version = before.version + 1;
    const write = (): void => {
      this.add(next, JSON.stringify(author), reason);
      // The log holds the number; who and why are read from the version.
      kit.events.append("context.changed", turnId, { version, ...defined({ turnId }) });
      const act = { type: "context.changed", decision: "changed", actor: author } as const;
      const at = this.ports.now();
      kit.outbox.put("act", "context", { ...act, workId: turnId, subject: { version }, reasons: [reason], at });
      changed();
    };
    kit.write(write);
    kit.deliverSoon();
    return { version, changed: true };
  }

  /** What a caller adds and removes. */
  changeBy(change: ContextChangeBody, author: ActorRecord): Result<ContextView> {
    if (!fitsLimits(changeContext(this.current().context, change))) {
      return refuse("invalid", "The session's context would hold more than it can; remove something first.");
    }
    this.change((context) => changeContext(context, change), author, change.reason ?? "changed by a caller");
    return ok(this.view());
  }

  /** Makes an earlier version count again, as a new one. */
  restore(version: number, author: ActorRecord): Result<ContextView> {
    const earlier = this.version(version);
    if (earlier === undefined) return refuse("not_found", "There is no such version of this session's context.");
    this.change(() => earlier.context, author, `version ${version} was restored`);
    return ok(this.view());
  }

  private add(context: SessionContext, author: string, reason: string): void {
    this.newest = undefined;
    this.ports.sql.exec(
      `INSERT INTO context_versions (version, context, author, reason, at)
       VALUES ((SELECT COALESCE(MAX(version), 0) + 1 FROM context_versions), ?, ?, ?, ?)`,
      JSON.stringify(context),
      author,
      reason,
      this.ports.now(),
    );
  }

  private read(rest: string, binding: number): ContextVersion[] {
    return this.ports.sql
      .exec<{ version: number; context: string; author: string; reason: string; at: number }>(
        `SELECT version, context, author, reason, at FROM context_versions ${rest}`,
        binding,
      )
      .toArray()
      .map(({ context, at, author, ...row }) => ({
        ...row,
        author: readAuthor(author),
        at: new Date(at).toISOString(),
        context: this.contexts.read(context),
      }));
  }
}

/** How many versions are shown. */
const shownVersions = 100;

/** Counts the calls of the database that a test's own tenant causes, by what they ask for, and notes what their sessions began with. */
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { readKey } from "../../src/platform/secrets.js";
import type { TestTenant } from "./conclave.js";

/** A statement as it stands in a call, as far as it is looked into. */
interface Sent {
  readonly statement: string;
  readonly params: readonly unknown[];
}

interface Call {
  readonly kind: string;
  /** What D1's session was begun with: `first-primary`, a bookmark; nothing of a call outside of one. */
  readonly begun: string | undefined;
}

export class D1Calls {
  private calls: Call[] = [];
  private readonly sessions = new WeakMap<object, string>();

  constructor(tenant: TestTenant) {
    const { sessions } = this;
    const databases = Object.getPrototypeOf(env.DB);
    const { withSession } = databases;
    vi.spyOn(databases, "withSession").mockImplementation(function (this: unknown, begun: unknown) {
      const session = withSession.call(this, begun);
      sessions.set(session, String(begun));
      return session;
    });
    const about = (sent: readonly Sent[], kind: string, session: unknown): void => {
      if (!isOf(tenant, sent)) return;
      this.calls.push({ kind, begun: isObject(session) ? sessions.get(session) : undefined });
    };
    // A database's own calls go through a session too.
    const sessionsOfD1 = Object.getPrototypeOf(withSession.call(env.DB, "first-primary"));
    const { batch } = sessionsOfD1;
    vi.spyOn(sessionsOfD1, "batch").mockImplementation(function (this: unknown, sent: unknown) {
      about(sentOf(sent), "batch", this);
      return batch.call(this, sent);
    });
    const statements = Object.getPrototypeOf(env.DB.prepare("SELECT 1"));
    for (const method of ["first", "all", "run", "raw"]) {
      const original = statements[method];
      vi.spyOn(statements, method).mockImplementation(function (this: unknown, ...rest: unknown[]) {
        const sent = sentOf([this]);
        const session = isObject(this) && "dbSession" in this ? this.dbSession : undefined;
        about(sent, tableOf(sent[0]?.statement ?? ""), session);
        return original.apply(this, rest);
      });
    }
  }

  /** What was called since this was asked last, in order. */
  taken(): string[] {
    return this.takenWithSessions().map(({ kind }) => kind);
  }

  /** The same, with what the sessions began with. */
  takenWithSessions(): Call[] {
    const { calls } = this;
    this.calls = [];
    return calls;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Whether a call of the database is of a tenant: objects of other tests may still be at work beside it. */
export function isOf(tenant: TestTenant, sent: readonly Sent[]): boolean {
  const own = [tenant.tenantId, keyIdOf(tenant.key)];
  return sent.some(({ params }) => params.some((param) => own.includes(String(param))));
}

/** The statements of a call, as D1's own objects hold them. */
export function sentOf(statements: unknown): Sent[] {
  if (!Array.isArray(statements)) throw new Error("a batch of nothing");
  return statements.map(({ statement, params }) => ({
    statement: String(statement),
    params: Array.from(params ?? []),
  }));
}

/** The first table that a statement names. */
function tableOf(statement: string): string {
  // What is asked for in the list of columns is no table of the statement's own.
  const own = statement.replace(/\(SELECT[^;]*?\) AS \w+/g, "");
  return /\b(?:FROM|INTO|UPDATE)\s+(\w+)/i.exec(own)?.[1] ?? statement;
}

function keyIdOf(key: string): string {
  return readKey(key)?.keyId ?? "";
}

/**
 * D1 as stores use it, and the two ways to reach it. Everything that decides reads the primary; what only looks up may read a replica
 * near its caller, which a bookmark keeps from being older than what the caller has seen.
 */

import type { Database } from "../platform/sql.js";

/** A bookmark of D1, as far as we look into it: they sort by age as texts do. */
const bookmarkPattern = /^[0-9a-f-]{16,128}$/;

/** The newest state of the database that this isolate has seen. It says nothing of any tenant. */
export class Bookmarks {
  private newest: string | undefined;

  /** A bookmark that covers everything this isolate has read or written. */
  get latest(): string | undefined {
    return this.newest;
  }

  note(bookmark: string | null): void {
    if (bookmark !== null && (this.newest === undefined || bookmark > this.newest)) this.newest = bookmark;
  }

  /**
   * What a look-up begins with: the bookmark that the caller sent, or the primary where it can't be used. Whoever
   * authenticates has just read the primary: a bookmark from the future was made up, and waiting for it would be waiting for ever.
   */
  forLookUp(sent: string): string {
    const isKnown = bookmarkPattern.test(sent) && this.newest !== undefined && sent <= this.newest;
    return isKnown ? sent : "first-primary";
  }
}

/** The primary, always: a session of its own for each call, whose first query goes there. What it has read or written is noted. */
export class PrimaryDatabase implements Database {
  constructor(
    private readonly db: Pick<D1Database, "withSession">,
    private readonly bookmarks: Bookmarks,
  ) {}

  prepare(query: string): D1PreparedStatement {
    return new PrimaryStatement(query, [], (use) => this.inSession(use));
  }

  batch<T = unknown>(statements: D1PreparedStatement[]): Promise<D1Result<T>[]> {
    return this.inSession((session) =>
      session.batch<T>(statements.map((one) => (one instanceof PrimaryStatement ? one.of(session) : one))),
    );
  }

  private async inSession<T>(use: (session: D1DatabaseSession) => Promise<T>): Promise<T> {
    const session = this.db.withSession("first-primary");
    const result = await use(session);
    this.bookmarks.note(session.getBookmark());
    return result;
  }
}

/** A statement that finds its session when it is sent. */
class PrimaryStatement implements D1PreparedStatement {
  constructor(
    private readonly query: string,
    private readonly values: readonly unknown[],
    private readonly inSession: <T>(use: (session: D1DatabaseSession) => Promise<T>) => Promise<T>,
  ) {}

  of(session: D1DatabaseSession): D1PreparedStatement {
    const statement = session.prepare(this.query);
    return this.values.length === 0 ? statement : statement.bind(...this.values);
  }

  bind(...values: unknown[]): D1PreparedStatement {
    return new PrimaryStatement(this.query, values, this.inSession);
  }

  first<T = unknown>(colName: string): Promise<T | null>;
  first<T = Record<string, unknown>>(): Promise<T | null>;
  first<T>(colName?: string): Promise<T | null> {
    return this.inSession((session) =>
      colName === undefined ? this.of(session).first<T>() : this.of(session).first<T>(colName),
    );
  }

  run<T = Record<string, unknown>>(): Promise<D1Result<T>> {
    return this.inSession((session) => this.of(session).run<T>());
  }

  all<T = Record<string, unknown>>(): Promise<D1Result<T>> {
    return this.inSession((session) => this.of(session).all<T>());
  }

  raw<T = unknown[]>(options: { columnNames: true }): Promise<[string[], ...T[]]>;
  raw<T = unknown[]>(options?: { columnNames?: false }): Promise<T[]>;
  raw<T>(options?: { columnNames?: boolean }): Promise<T[] | [string[], ...T[]]> {
    return this.inSession<T[] | [string[], ...T[]]>((session) =>
      options?.columnNames === true ? this.of(session).raw<T>({ columnNames: true }) : this.of(session).raw<T>(),
    );
  }
}

/** What one request looks up: one session of D1, begun with the first statement, so that the request has been authenticated by then. */
export class NearDatabase implements Database {
  private session: D1DatabaseSession | undefined;

  /** @param sent the bookmark that the caller sent */
  constructor(
    private readonly db: Pick<D1Database, "withSession">,
    private readonly bookmarks: Bookmarks,
    private readonly sent: string,
  ) {}

  prepare(query: string): D1PreparedStatement {
    return this.begun().prepare(query);
  }

  batch<T = unknown>(statements: D1PreparedStatement[]): Promise<D1Result<T>[]> {
    return this.begun().batch<T>(statements);
  }

  /** A bookmark that covers what was looked up, and everything that the isolate knows. */
  get bookmark(): string | undefined {
    this.bookmarks.note(this.session?.getBookmark() ?? null);
    return this.bookmarks.latest;
  }

  private begun(): D1DatabaseSession {
    this.session ??= this.db.withSession(this.bookmarks.forLookUp(this.sent));
    return this.session;
  }
}

/** Roundtables: a panel debates a topic, and asks for what it lacks. */
import type { Connection } from "./connection.js";
import type { ConclaveEvent } from "./event-types.js";
import { type EventOptions, eventsOf, type SendOptions } from "./follow.js";
import type { ContextResult, ContinueRoundtable, NewRoundtable, Roundtable } from "./roundtable-types.js";
import type { Page, PageRequest } from "./types.js";

type Patience = Pick<SendOptions, "waitMs">;

export class Roundtables {
  constructor(private readonly connection: Connection) {}

  /** Starts a roundtable and waits for its first round; it may still run after `waitMs`. */
  start(roundtable: NewRoundtable, { waitMs, ...options }: SendOptions = {}): Promise<Roundtable> {
    return this.connection.json("POST", "/v1/roundtables", { body: { ...roundtable, ...patient(waitMs) }, ...options });
  }

  /** @param waitMs how long the end of what runs is waited for, in milliseconds */
  get(roundtableId: string, { waitMs = 0 }: Patience = {}): Promise<Roundtable> {
    return this.connection.json("GET", path(roundtableId), { query: { waitMs } });
  }

  list(
    query: PageRequest & {
      readonly status?: Roundtable["status"];
      readonly panel?: string;
      readonly subject?: string;
      readonly externalId?: string;
    } = {},
  ): Promise<Page<Pick<Roundtable, "sessionId" | "status" | "running" | "currentRound" | "totalRounds">>> {
    return this.connection.json("GET", "/v1/roundtables", { query: { ...query } });
  }

  /** One more round, with what its seats asked for; or the closing pass. Refused while a required request is open. */
  continue(roundtableId: string, command: ContinueRoundtable = {}, { waitMs }: Patience = {}): Promise<Roundtable> {
    return this.connection.json("POST", path(roundtableId, "continue"), { body: { ...command, ...patient(waitMs) } });
  }

  /** Brings what its seats asked for, at any time, also while a round runs. */
  giveContext(roundtableId: string, contextResults: readonly ContextResult[]): Promise<Roundtable> {
    return this.connection.json("POST", path(roundtableId, "context"), { body: { contextResults } });
  }

  control(
    roundtableId: string,
    action: "pause" | "resume" | "stop" | "answerNow",
    { waitMs }: Patience = {},
  ): Promise<Roundtable> {
    return this.connection.json("POST", path(roundtableId, "control"), { body: { action, ...patient(waitMs) } });
  }

  /** Brings the debate together in one text: `synthesis` of the answer. */
  synthesize(roundtableId: string, { waitMs }: Patience = {}): Promise<Roundtable> {
    return this.connection.json("POST", path(roundtableId, "synthesis"), { body: patient(waitMs) });
  }

  /** The whole debate as Markdown that reads as a story. */
  async export(roundtableId: string): Promise<string> {
    const query = { format: "markdown" };
    return (await this.connection.send("GET", path(roundtableId, "export"), { query })).text();
  }

  /** Everything that happened in it, and happens: each position as it is taken, each round as it ends. */
  events(roundtableId: string, options: EventOptions = {}): AsyncGenerator<ConclaveEvent, void, undefined> {
    return eventsOf(this.connection, path(roundtableId, "events"), options);
  }
}

function patient(waitMs: number | undefined): { readonly waitMs?: number } {
  return waitMs === undefined ? {} : { waitMs };
}

function path(...parts: readonly string[]): string {
  return ["/v1/roundtables", ...parts.map(encodeURIComponent)].join("/");
}

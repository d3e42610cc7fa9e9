/**
 * The typed client, `conclave/client`: for Node, browsers and Workers. It needs `fetch` and nothing else.
 * @example
 * const conclave = new Conclave({ baseUrl: "https://conclave.example", token: process.env.CONCLAVE_KEY });
 * const { sessionId } = await conclave.sessions.create({ agent: "assistant" });
 * const turn = await conclave.sessions.send(sessionId, { content: "Where is my parcel?" });
 * console.log(replyText(turn));
 */
import { Asks } from "./asks.js";
import { Connection, type ConnectionOptions, type RequestOptions } from "./connection.js";
import { Roundtables } from "./roundtables.js";
import { Runs } from "./runs.js";
import { Sessions } from "./sessions.js";

export { ConclaveError, type ConnectionOptions, type RequestOptions } from "./connection.js";
export type * from "./event-types.js";
export type { EventOptions, SendOptions } from "./follow.js";
export { ReplyText, replyText, type TurnState } from "./reply-text.js";
export type * from "./roundtable-types.js";
export type * from "./types.js";

export class Conclave {
  readonly sessions: Sessions;
  readonly asks: Asks;
  readonly runs: Runs;
  readonly roundtables: Roundtables;
  private readonly connection: Connection;

  constructor(options: ConnectionOptions) {
    this.connection = new Connection(options);
    this.sessions = new Sessions(this.connection);
    this.asks = new Asks(this.connection);
    this.runs = new Runs(this.connection);
    this.roundtables = new Roundtables(this.connection);
  }

  /**
   * Any other route, by the API's document: `request<{ token: string }>("POST", "/v1/tokens", { body: { subject: "ada" } })`.
   * Refusals are thrown as {@link ConclaveError}, passing failures are tried again.
   */
  request<T>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
    return this.connection.json<T>(method, path, options);
  }
}

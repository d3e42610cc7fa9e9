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
import type { Operations } from "./generated/operations.js";
import { operationsOver } from "./perform.js";
import { Roundtables } from "./roundtables.js";
import { Runs } from "./runs.js";
import { Sessions } from "./sessions.js";

export { Asks } from "./asks.js";
export { ConclaveError, Connection, type ConnectionOptions, type RequestOptions } from "./connection.js";
export type * from "./event-types.js";
export type { EventOptions, SendOptions } from "./follow.js";
export type { Operations } from "./generated/operations.js";
export type { Schemas } from "./generated/schemas.js";
export type { Operation, OperationOptions } from "./operation.js";
export { ReplyText, replyText, type TurnState } from "./reply-text.js";
export type * from "./roundtable-types.js";
export { Roundtables } from "./roundtables.js";
export { Runs } from "./runs.js";
export { Sessions } from "./sessions.js";
export type * from "./types.js";

export class Conclave {
  readonly sessions: Sessions;
  readonly asks: Asks;
  readonly runs: Runs;
  readonly roundtables: Roundtables;
  /** Every operation of the API, in the groups of its document: `conclave.api.agents.putAgent({ name, body })`. */
  readonly api: Operations;
  private readonly connection: Connection;

  constructor(options: ConnectionOptions) {
    this.connection = new Connection(options);
    this.sessions = new Sessions(this.connection);
    this.asks = new Asks(this.connection);
    this.runs = new Runs(this.connection);
    this.roundtables = new Roundtables(this.connection);
    this.api = operationsOver(this.connection);
  }

  /**
   * Any other route, by the API's document: `request<{ token: string }>("POST", "/v1/tokens", { body: { subject: "ada" } })`.
   * Refusals are thrown as {@link ConclaveError}, passing failures are tried again.
   */
  request<T>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
    return this.connection.json<T>(method, path, options);
  }

  /** The same, where the answer isn't JSON. */
  response(method: string, path: string, options: RequestOptions = {}): Promise<Response> {
    return this.connection.send(method, path, options);
  }
}

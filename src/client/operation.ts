/** What an operation is to its caller: any operation of the API's document: called with what its path, its query and its body take, answered as the document says. */
import type { RequestOptions } from "./connection.js";
import type { ConclaveEvent } from "./event-types.js";

export type OperationOptions = Pick<RequestOptions, "idempotencyKey" | "signal" | "headers">;

/** Followed events, an answer that isn't JSON as the platform gives it, or the JSON itself. */
type Answered<Output> = [Output] extends ["events"]
  ? AsyncGenerator<ConclaveEvent, void, undefined>
  : [Output] extends ["response"]
    ? Promise<Response>
    : Promise<Output>;

/** What nothing has to be said of is called with nothing. */
export type Operation<Input, Output> =
  Record<never, never> extends Input
    ? (input?: Input, options?: OperationOptions) => Answered<Output>
    : (input: Input, options?: OperationOptions) => Answered<Output>;

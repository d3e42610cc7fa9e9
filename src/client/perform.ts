/** Performs any operation of the API's document, by the table that is generated of it. */
import type { Connection, Query } from "./connection.js";
import { eventsOf } from "./follow.js";
import { calls, type Operations } from "./generated/operations.js";
import type { OperationOptions } from "./operation.js";

type Input = Readonly<Record<string, unknown>>;

/** @param call a line of the table: a mark, the method, the path, and the type of a body that isn't JSON */
function perform(connection: Connection, call: string, input: Input, options: OperationOptions): unknown {
  const mark = "~=-".includes(call.charAt(0)) ? call.charAt(0) : "";
  const [method = "", template = "", type] = call.slice(mark.length).split(" ");
  const { body, ...others } = input;
  const query: Record<string, Query[string]> = {};
  const fields = new Map(Object.entries(others));
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = fields.get(name);
    fields.delete(name);
    return encodeURIComponent(String(value));
  });
  for (const [name, value] of fields) if (value !== undefined) query[name] = String(value);
  const headers = { ...(type ? { "content-type": type } : {}), ...options.headers };
  const request = { ...options, headers, query, ...(body === undefined ? {} : { body }) };
  if (mark === "~")
    return eventsOf(connection, path, {
      after: Number(query.after ?? 0),
      untilIdle: query.lingerMs === "0",
      ...(options.signal ? { signal: options.signal } : {}),
    });
  if (mark === "") return connection.json(method, path, request);
  const sent = connection.send(method, path, request);
  return mark === "-" ? sent.then(() => undefined) : sent;
}

/** Every operation by its group and its id in the document. */
export function operationsOver(connection: Connection): Operations {
  const groups = Object.entries(calls).map(([group, ids]) => [
    group,
    Object.fromEntries(
      Object.entries(ids).map(([id, call]) => [
        id,
        (input: Input = {}, options: OperationOptions = {}) => perform(connection, call, input, options),
      ]),
    ),
  ]);
  // The table and the types are made of the same document.
  return Object.fromEntries(groups);
}

/** The headers that an operation reads and sends, where the middleware or the objects behind it read them, not the route. */
import type { Operation, Parameter, Place } from "./model.js";

const idempotencyKey: Parameter = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "Makes the request safe to repeat: the same key and body get the same answer, the same key with another body a 409. Keys belong to who sends them.",
  schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,200}$" },
};

const lastEventId: Parameter = {
  name: "Last-Event-ID",
  in: "header",
  required: false,
  description: "The id of the last event that was received: the stream resumes behind it. It goes before `after`.",
  schema: { type: "string", pattern: "^\\d+$" },
};

const bookmark: Parameter = {
  name: "x-conclave-bookmark",
  in: "header",
  required: false,
  description:
    "What an answer before gave under this name: the look-up may then come from a replica of the database near the caller, and shows at least what that answer knew. Without it, and with one that can't be read, the primary is read.",
  schema: { type: "string", maxLength: 128 },
};

const eTag = { description: "The version, for `If-Match`.", schema: { type: "string" } };

/** How names of headers are written; HTTP itself doesn't mind. */
const written: Readonly<Record<string, string>> = { "if-match": "If-Match" };

/** @param versioned paths whose things have an ETag */
export function withHeaders({ method, path, operation }: Place, versioned: ReadonlySet<string>): Operation {
  const parameters = (operation.parameters ?? []).map((parameter) =>
    parameter.in === "header" ? { ...parameter, name: written[parameter.name] ?? parameter.name } : parameter,
  );
  const writes = method !== "get" && operation.security.length > 0;
  const looksUp = method === "get" && operation.security.length > 0;
  const follows = path.endsWith("/events") && operation.responses["101"] !== undefined;
  const responses = Object.entries(operation.responses).map(([status, response]) => [
    status,
    versioned.has(path) && method !== "delete" && /^20[01]$/.test(status)
      ? { ...response, headers: { ETag: eTag } }
      : response,
  ]);
  const all = [
    ...parameters,
    ...(writes ? [idempotencyKey] : []),
    ...(looksUp ? [bookmark] : []),
    ...(follows ? [lastEventId] : []),
  ];
  return {
    ...operation,
    ...(all.length === 0 ? {} : { parameters: all }),
    responses: Object.fromEntries(responses),
  };
}

/** The paths whose things are guarded by `If-Match`. */
export function versionedPaths(places: readonly Place[]): ReadonlySet<string> {
  const guarded = ({ operation }: Place): boolean =>
    (operation.parameters ?? []).some(({ name }) => name.toLowerCase() === "if-match");
  return new Set(places.filter(guarded).map(({ path }) => path));
}

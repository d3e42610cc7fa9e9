/** The refusals of the document: one shared answer per status, with the codes that it may have. */
import { type ProblemCode, problemCodes } from "../../conversation/problem.js";
import { problemTitles } from "../problems.js";
import type { Operation, Place } from "./model.js";
import { refTo } from "./schema.js";

const statuses = [...new Set(Object.values(problemCodes))].sort((a, b) => a - b);

function codesOf(status: number): ProblemCode[] {
  return allCodes.filter((code) => problemCodes[code] === status);
}
const allCodes = Object.keys(problemCodes).filter((code): code is ProblemCode => code in problemCodes);

const requestId = {
  "X-Request-Id": { description: "The id of the request, in the log too.", schema: { type: "string" } },
};
const retryAfter = {
  "Retry-After": { description: "After how many seconds it may be tried again.", schema: { type: "integer" } },
};

/** `Problem404` and its like, for `components.responses`. */
export const problemResponses = Object.fromEntries(
  statuses.map((status) => {
    const codes = codesOf(status);
    const known = { type: "object", properties: { status: { const: status }, code: { enum: codes } } };
    const [code = "internal"] = codes;
    return [
      `Problem${status}`,
      {
        description: `${codes.map((one) => `\`${one}\`: ${problemTitles[one]}`).join(". ")}.`,
        headers: {
          ...requestId,
          ...([409, 429, 503].includes(status) ? retryAfter : {}),
          ...(status === 401
            ? { "WWW-Authenticate": { description: "How to authenticate.", schema: { type: "string" } } }
            : {}),
        },
        content: {
          "application/problem+json": {
            schema: { allOf: [refTo("Problem"), known] },
            example: {
              type: `https://conclave.example/docs/errors#${code}`,
              title: problemTitles[code],
              status,
              code,
              detail: "What was wrong here, and what to do about it.",
              requestId: "req_01m805t12qjjwbcc39jqw1j331",
            },
          },
        },
      },
    ];
  }),
);

/** The operation with the refusals that it can give. What it says of a status itself stays. */
export function withProblems({ method, path, operation }: Place): Operation {
  const { parameters = [], requestBody, security } = operation;
  // Another face's routes say themselves how they refuse.
  if (operation.responses.default?.content?.["application/json"] !== undefined) return operation;
  const guarded = security.length > 0;
  // Guarded by the platform's own signature.
  const isSigned = path.startsWith("/webhooks/");
  const may: Readonly<Record<number, boolean>> = {
    400: requestBody !== undefined,
    401: guarded || isSigned,
    403: guarded && !path.startsWith("/v1/admin/"),
    // A chat's id stands in the body, like the names of what is tried; there may be no prices.
    404:
      path.includes("{") ||
      ["/v1/ui-chat", "/v1/try", "/v1/decisions/replay", "/v1/evals", "/v1/replays"].includes(path) ||
      `${method} ${path}` === "get /v1/admin/prices",
    409: guarded && method !== "get",
    // Messages name the version that a change was made for, by its hash or its number.
    412:
      parameters.some(({ name }) => name === "If-Match") ||
      /\/config\/apply$|\/messages\/[^/]+\/(edits|restore|erase)$/.test(path),
    413: isSigned || (guarded && method !== "get" && method !== "delete"),
    415: guarded && method !== "get" && method !== "delete",
    // No route takes a query parameter that it does not know.
    422: true,
    // The door may be shut to everybody.
    429: true,
    500: true,
    502: path.startsWith("/v1/roundtables") && method === "post",
    503: guarded,
  };
  const problems = statuses
    .filter((status) => may[status] === true)
    .map((status) => [`${status}`, { $ref: `#/components/responses/Problem${status}` }]);
  return { ...operation, responses: { ...Object.fromEntries(problems), ...operation.responses } };
}

import { expect } from "vitest";
import { problemCodes } from "../../src/conversation/problem.js";
import type { Answer } from "../support/conclave.js";

/** A refusal as every caller can rely on it: problem+json, a code of the closed list, a request id, and words. */
export function expectProblem({ status, headers, body }: Answer, code: keyof typeof problemCodes): void {
  expect({ status, code: body?.code, detail: body?.detail }).toMatchObject({ status: problemCodes[code], code });
  expect(headers.get("content-type")).toContain("application/problem+json");
  expect(body).toMatchObject({
    type: expect.stringContaining(`#${code}`),
    title: expect.any(String),
    status,
    detail: expect.stringMatching(/\w/),
    requestId: expect.any(String),
  });
  expect(headers.get("x-request-id")).toBe(body.requestId);
  // Nothing internal: no stack, no SQL, no type of ours.
  expect(JSON.stringify(body)).not.toMatch(/ at \w+ \(|SQLITE|ZodError|D1_ERROR/);
}

export function pathsOf({ body }: Answer): string[] {
  return (body.errors ?? []).map(({ path }: { path: string }) => path);
}

import { describe, expect, it } from "vitest";
import { ProblemError } from "../../src/conversation/problem.js";
import { errorResponse, problemAsOpenAi, refusalOf } from "../../src/openai/errors.js";

describe("an error in OpenAI's shape", () => {
  const full = { code: "queue_full" as const, detail: "32 messages are waiting.", retryAfterSeconds: 5 };
  it.each([
    ["refused by an act", errorResponse(refusalOf(new ProblemError(full)))],
    ["refused by the app", problemAsOpenAi(full, { requestId: "req_1" })],
  ])("says when to try again: %s", (_who, response) => {
    expect(response.status).toBe(429);
    expect(response.headers.get("retry-after")).toBe("5");
  });

  it("keeps clients from repeating what conflicts, unless it says when to", () => {
    const conflict = { code: "conflict" as const, detail: "It is being handled." };
    const retried = (retryAfterSeconds?: number) =>
      errorResponse(refusalOf(new ProblemError({ ...conflict, retryAfterSeconds }))).headers.get("x-should-retry");
    expect(retried()).toBe("false");
    expect(retried(1)).toBeNull();
  });
});

/** The header fields of a refusal that say when to come back, the same on every face. */
import type { Problem, ReachedLimit } from "../conversation/problem.js";

/**
 * `Retry-After`, and for a limit that is reached `RateLimit-Policy` and `RateLimit`.
 * @example
 * retryFields({ retryAfterSeconds: 5 }); // { "retry-after": "5" }
 */
export function retryFields({
  retryAfterSeconds,
  reached,
}: Pick<Problem, "retryAfterSeconds" | "reached">): Readonly<Record<string, string>> {
  return {
    ...(retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) }),
    ...(reached === undefined ? {} : rateLimitFields(reached, retryAfterSeconds)),
  };
}

/**
 * The RateLimit fields of the IETF's draft 11 (May 2026), which is no standard yet: this function alone knows them.
 * @param retryAfterSeconds until the limit begins anew
 */
function rateLimitFields(
  { limit, max, remaining, windowSeconds }: ReachedLimit,
  retryAfterSeconds: number | undefined,
): Readonly<Record<"ratelimit-policy" | "ratelimit", string>> {
  const name = `"${limit.replaceAll(/[^ -~]|["\\]/g, "_")}"`;
  const window = windowSeconds === undefined ? "" : `;w=${windowSeconds}`;
  const left = retryAfterSeconds === undefined ? "" : `;t=${retryAfterSeconds}`;
  return { "ratelimit-policy": `${name};q=${max}${window}`, ratelimit: `${name};r=${remaining}${left}` };
}

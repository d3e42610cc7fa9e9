import { describe, expect, it } from "vitest";
import { noOrigin } from "../../src/agent/call-context.js";
import { CallSigner } from "../../src/application/call-signer.js";
import { SupervisorBuilder } from "../../src/application/supervisor-builder.js";
import { rulesConfigSchema } from "../../src/supervision/rules/config.js";
import type { ResourceVersion } from "../../src/tenancy/resources.js";

const config = rulesConfigSchema.parse({
  rules: [{ match: { type: "phrases", phrases: ["war"] }, action: "block", reason: "war talk" }],
});

function builder(): SupervisorBuilder {
  const nobody = async (): Promise<never> => Promise.reject(new Error("not asked"));
  return new SupervisorBuilder({
    signer: new CallSigner(
      async () => ["whsec_AAAA"],
      () => 0,
    ),
    policy: { allowLoopback: false },
    now: () => 0,
    model: nobody,
    provider: async () => undefined,
    ownParts: async () => ({ tools: [], references: [] }),
  });
}

/** A version whose rules count how often they are read. */
function version(): { of: ResourceVersion<"supervisors">; reads: () => number } {
  let reads = 0;
  const counting = {
    get rules() {
      reads += 1;
      return config.rules;
    },
  };
  const body = {
    kind: "rules" as const,
    hooks: ["request" as const],
    order: 0,
    mode: "enforce" as const,
    config: counting,
  };
  return { of: { kind: "supervisors", name: "guard", version: 1, body }, reads: () => reads };
}

describe("The builder of supervisors", () => {
  it("compiles the rules of a version once, however many turns it supervises", () => {
    const { of, reads } = version();
    const build = builder();
    build.build("ten_1", of);
    const first = reads();
    build.build("ten_1", of);
    build.build("ten_1", of, { origin: { ...noOrigin, sessionId: "ses_2" } });
    // Whether they modify, and to compile them.
    expect(first).toBe(2);
    expect(reads()).toBe(first);
  });

  it("compiles those of another version anew", () => {
    const [one, other] = [version(), version()];
    const build = builder();
    build.build("ten_1", one.of);
    build.build("ten_1", other.of);
    expect(other.reads()).toBe(2);
  });
});

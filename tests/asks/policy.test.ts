import { describe, expect, it } from "vitest";
import {
  nearest,
  type ReviewPolicy,
  storedApprovalSettingsSchema,
  storedReviewSettingsSchema,
} from "../../src/asks/policy.js";

describe("the policy of an ask", () => {
  it("is the nearest one, field by field", () => {
    const tenant: ReviewPolicy = { audience: "staff", timeoutMs: 60_000, default: "reject" };
    expect(nearest({ audience: "user" }, undefined, tenant)).toEqual({ ...tenant, audience: "user" });
    expect(nearest(undefined, tenant)).toEqual(tenant);
    expect(nearest()).toEqual({});
  });

  it("of the version before is read: a least role of client is the end user, any other is staff", () => {
    const read = (answerableBy: string) => storedReviewSettingsSchema.parse({ answerableBy, default: "accept" });
    expect(read("client")).toEqual({ audience: "user", timeoutMs: 0, default: "accept" });
    expect(read("operator").audience).toBe("staff");
    expect(read("admin").audience).toBe("staff");
    expect(storedApprovalSettingsSchema.parse({ answerableBy: "client", timeoutMs: 5 })).toEqual({
      audience: "user",
      timeoutMs: 5,
    });
    expect(storedApprovalSettingsSchema.parse({})).toEqual({ audience: "staff", timeoutMs: 0 });
  });
});

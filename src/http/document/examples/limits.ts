/** Examples of limits, by the name of the shape or the operation. */

const at = "2026-11-24T09:30:00.000Z";
const limit = {
  ...{ per: "subject", measure: "money", max: 0.5, window: "day", timeZone: "Europe/Berlin", warnAt: [80] },
  ...{ mode: "enforce", userMessage: "That is all for today. You can write again tomorrow." },
};
const stored = { ...limit, name: "a-day", version: 1, updatedAt: at, raises: [] };
const match = { tenantId: "ten_01m8072fx3xw2y7q4w92ev76va" };

export const limitExamples = {
  NewLimit: limit,
  "putLimit request": limit,
  Limit: stored,
  NewTenantsLimit: { ...limit, per: "tenant", match, max: 100 },
  "putAdminLimit request": { ...limit, per: "tenant", match, max: 100 },
  TenantsLimit: { ...stored, per: "tenant", match, max: 100 },
  LimitEvent: { id: 7, event: "limit.reached", data: { limit: "a-day", scope: "subject ana", resetsAt: at } },
  NewRaise: { by: 20, until: "2026-11-30T00:00:00.000Z", reason: "The sale of this week." },
  LimitState: {
    used: 0.31,
    reserved: 0.02,
    max: 0.5,
    remaining: 0.17,
    unsettled: 0,
    resetsAt: "2026-11-24T23:00:00.000Z",
  },
};

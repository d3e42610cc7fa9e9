/** Examples of what was taken, what it costs, and of the overview. */
import { at, tenantId } from "./known.js";

const taken = {
  ...{ turns: 12, runs: 0, modelCalls: 15, inputTokens: 23_000, cachedInputTokens: 14_000, outputTokens: 4_100 },
  ...{ reasoningTokens: 1_200, money: 0.0108, unpriced: 0 },
};
const modelPrices = { "openai/gpt-5-mini": { input: 0.25, cachedInput: 0.025, output: 2 } };
const deployment = { kind: "system", id: "deployment" };
const pricesVersion = { version: 2, from: at, currency: "USD", createdAt: at, author: deployment };
const overviewLine = { name: "shop", works: 400, modelCalls: 871, tokens: 790_100, money: 4.12, unpriced: 0 };

export const usageExamples: Readonly<Record<string, unknown>> = {
  OverviewLine: overviewLine,
  "getOverview 200": {
    from: "2026-11-23T09:30:00.000Z",
    to: "2026-11-24T09:30:00.000Z",
    complete: true,
    ended: { completed: 412, blocked: 6, failed: 1, cancelled: 2, degraded: 0 },
    records: { parked: 0, works: [] },
    waiting: {
      staff: 3,
      user: 1,
      overdue: 1,
      oldest: {
        askId: "ask_01m8072fx3xw2y7q4w92ev76va_ses_01m8072fx3xw2y7q4w92ev76va",
        openedAt: "2026-11-24T08:12:00.000Z",
      },
      medianMs: 41_000,
    },
    usage: {
      currency: "EUR",
      total: { works: 421, modelCalls: 903, tokens: 811_200, money: 4.31, unpriced: 0 },
      byAgent: [overviewLine],
      bySubject: [],
    },
    limits: [
      {
        ...{ limit: "tokens-a-day", measure: "tokens", per: "tenant", enforced: true },
        ...{ used: 811_200, reserved: 0, max: 1_000_000, share: 0.8112, resetsAt: "2026-11-25T00:00:00.000Z" },
      },
    ],
    channels: [{ name: "support", kind: "slack", parked: 0, lastEventAt: "2026-11-24T09:28:00.000Z" }],
    webhooks: [
      {
        ...{ name: "crm", status: "active", parked: 2 },
        lastFailure: { at: "2026-11-24T09:01:00.000Z", detail: "It answered 503." },
      },
    ],
  },
  "getUsage 200": {
    from: "2026-11-21T09:30:00.000Z",
    to: at,
    groupBy: "agent",
    currency: "USD",
    total: taken,
    items: [{ group: "clerk", ...taken }],
  },
  "getAdminUsage 200": {
    from: "2026-11-21T09:30:00.000Z",
    to: at,
    groupBy: "tenant",
    currency: "USD",
    total: taken,
    items: [{ group: tenantId, ...taken }],
  },
  "putAdminPrices request": { from: at, currency: "USD", models: modelPrices },
  Prices: { ...pricesVersion, models: modelPrices },
  "listAdminPricesVersions 200": { items: [{ ...pricesVersion, models: 1 }], nextCursor: null },
};

import { describe, expect, it } from "vitest";
import { demandsOf } from "../../../src/tenancy/limits/demand.js";
import { changeOf, expire, type Grant, settle, unsettledAfterMs } from "../../../src/tenancy/limits/grants.js";
import type { StoredLimit } from "../../../src/tenancy/limits/limit.js";
import { emptyCounter, hasRoom, newsOf } from "../../../src/tenancy/limits/room.js";
import { windowAt } from "../../../src/tenancy/limits/windows.js";

const at = (text: string): number => Date.parse(text);
const grant = (step: number, amount: number): Grant => ({ step, amount, at: 0, state: "open", spent: 0 });
const limit: StoredLimit = {
  ...{ name: "day", ofDeployment: false, per: "subject", measure: "messages", max: 10, timeZone: "UTC" },
  ...{ warnAt: [50, 80], mode: "enforce", raises: [] },
};

describe("a window", () => {
  it.each([
    ["minute", "UTC", "2026-11-24T12:00:59Z", "2026-11-24T12:00:00Z", "2026-11-24T12:01:00Z"],
    ["hour", "Asia/Kolkata", "2026-11-24T12:10:00Z", "2026-11-24T11:30:00Z", "2026-11-24T12:30:00Z"],
    ["day", "Europe/Berlin", "2026-11-24T23:30:00Z", "2026-11-24T23:00:00Z", "2026-11-25T23:00:00Z"],
    // The clocks are put back: a day of 25 hours.
    ["day", "Europe/Berlin", "2026-10-25T12:00:00Z", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"],
    ["month", "America/New_York", "2026-03-10T00:00:00Z", "2026-03-01T05:00:00Z", "2026-04-01T04:00:00Z"],
    ["month", "UTC", "2026-12-31T23:59:59Z", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"],
  ] as const)("of a %s in %s at %s", (window, zone, now, start, end) => {
    expect(windowAt(window, zone, at(now))).toEqual({ start: at(start), end: at(end) });
  });

  it("of all time has no end", () => {
    expect(windowAt("total", "UTC", at("2026-11-24T00:00:00Z"))).toEqual({ start: 0, end: undefined });
  });
});

describe("what an act demands", () => {
  it("of limits that match it, each for whom it is counted", () => {
    const facts = { tenantId: "ten_1", subject: "ana", agent: "shop" };
    const limits: StoredLimit[] = [
      limit,
      { ...limit, name: "of-shop", per: "tenant", match: { agent: "shop" } },
      { ...limit, name: "of-others", match: { subject: "ben" } },
      { ...limit, name: "of-keys", per: "key" },
      { ...limit, name: "all", per: "tenant", ofDeployment: true, match: { tenantId: "ten_2" } },
    ];
    const demands = demandsOf(limits, facts, { messages: 1 }, 0);
    expect(demands.map(({ limit: name, scope }) => [name, scope])).toEqual([
      ["day", "subject ana"],
      ["of-shop", "tenant"],
    ]);
    expect(demandsOf(limits, facts, { turns: 1 }, 0)).toEqual([]);
  });

  it("is held against what it was raised to, until that ends; money counts in millionths", () => {
    const raised: StoredLimit = {
      ...{ ...limit, measure: "money", max: 1 },
      raises: [{ by: 0.5, until: "2026-11-24T00:00:00.000Z", reason: "a fair", author: "key key_1" }],
    };
    const maxAt = (now: string) => demandsOf([raised], { tenantId: "t", subject: "a" }, { money: 1 }, at(now))[0]?.max;
    expect(maxAt("2026-11-23T23:59:59Z")).toBe(1_500_000);
    expect(maxAt("2026-11-24T00:00:00Z")).toBe(1_000_000);
  });
});

describe("room", () => {
  it("is what is neither used nor reserved", () => {
    const counter = { ...emptyCounter, used: 6, reserved: 3 };
    expect(hasRoom({ amount: 1, max: 10 }, counter)).toBe(true);
    expect(hasRoom({ amount: 2, max: 10 }, counter)).toBe(false);
  });

  it("tells of each percent once in a window, and once that there was none", () => {
    const half = newsOf({ ...emptyCounter, used: 5 }, { max: 10, warnAt: [50, 80] }, false);
    expect(half.news).toEqual([{ type: "limit.warned", percent: 50 }]);
    const full = newsOf({ ...half.counter, used: 10 }, { max: 10, warnAt: [50, 80] }, true);
    expect(full.news).toEqual([{ type: "limit.warned", percent: 80 }, { type: "limit.reached" }]);
    expect(newsOf(full.counter, { max: 10, warnAt: [50, 80] }, true).news).toEqual([]);
  });
});

describe("what was reserved", () => {
  it("is settled in order: each takes up to its amount, the last what is more, and all of it is given back", () => {
    const grants = [grant(0, 100), grant(1, 50)];
    expect(settle(grants, 1, 120).map(({ spent }) => spent)).toEqual([100, 20]);
    expect(settle(grants, 1, 180).map(({ spent }) => spent)).toEqual([100, 80]);
    expect(settle(grants, 1, 0).map((settled, step) => changeOf(grant(step, settled.amount), settled))).toEqual([
      { reserved: -100, used: 0 },
      { reserved: -50, used: 0 },
    ]);
  });

  it("stays open where it was reserved after what is settled", () => {
    expect(settle([grant(0, 100), grant(1, 50)], 0, 30).map(({ state }) => state)).toEqual(["settled", "open"]);
  });

  it("counts as spent when nobody has settled it in time, and a late settlement corrects that", () => {
    const open = grant(0, 100);
    expect(expire(open, unsettledAfterMs - 1)).toBe(open);
    const expired = expire(open, unsettledAfterMs);
    expect(changeOf(open, expired)).toEqual({ reserved: -100, used: 100 });
    const [late] = settle([expired], 0, 30);
    expect(late && changeOf(expired, late)).toEqual({ reserved: 0, used: -70 });
    // The same again changes nothing.
    expect(late && changeOf(late, settle([late], 0, 30)[0] ?? late)).toEqual({ reserved: 0, used: 0 });
  });
});

/** The audit that a comparison of supervisors reads: in pages with a pause between them, and a border at which nothing is lost or counted twice. */
import { expect, it } from "vitest";
import { readAudit } from "../../src/application/evidence/compare-supervisors.js";
import type { AuditEntry } from "../../src/tenancy/audit.js";

type Audit = Parameters<typeof readAudit>[3];

/** Rows of which three share each moment. */
const rows = Array.from({ length: 900 }, (_none, n) => ({ n, at: Math.floor(n / 3) }));
const entryOf = ({ n, at }: (typeof rows)[number]): AuditEntry => ({
  ...{ at: new Date(at).toISOString(), type: "supervision", workId: `turn_${n}`, hook: "request", decision: "allow" },
  ...{ subject: {}, reasons: [] },
});
const audit: Audit = {
  page: async (_tenantId, { from, to }, after, limit) => {
    const found = rows.filter(({ n, at }) => at >= from && at < to && n > (after?.revision ?? -1)).slice(0, limit);
    const last = found.length === limit ? found.at(-1) : undefined;
    return { entries: found.map(entryOf), next: last && { at: last.at, ownerId: "", revision: last.n } };
  },
};

it("gone on with from where it ended, all rows are read, each once", async () => {
  const read: (string | undefined)[] = [];
  const ends: number[] = [];
  for (let from = 0; from < 300; from = ends.at(-1) ?? 300) {
    const seen = await readAudit(
      "ten",
      { from, to: 300 },
      (all) => read.push(...all.map((one) => one.workId)),
      audit,
      250,
    );
    ends.push(seen.end);
    // A moment is never cut.
    expect(seen.rows % 3).toBe(0);
  }
  expect(ends.length).toBeGreaterThan(1);
  expect(ends.at(-1)).toBe(300);
  expect(read).toEqual(rows.map(({ n }) => `turn_${n}`));
});

it("others get their turn between pages", async () => {
  const order: string[] = [];
  const reading = readAudit("ten", { from: 0, to: 300 }, () => order.push("page"), audit);
  const others = (async () => {
    for (let turn = 0; turn < 3; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      order.push("other");
    }
  })();
  await Promise.all([reading, others]);
  expect(order.slice(0, 4).filter((who) => who === "other").length).toBeGreaterThan(0);
  expect(order.slice(0, 2)).not.toEqual(["page", "page"]);
});

/** What is billed of a turn: docs/deployment.md reckons with these numbers, and says that they were counted here. */
import { beforeEach, expect, it } from "vitest";
import { atRest } from "../support/at-rest.js";
import { newTenant, type TestTenant } from "../support/conclave.js";
import { countStorage, type StorageCounts } from "../support/counted-storage.js";

/** Of one turn: a warm session, an agent with one rules supervisor, no tools, no memory. */
const most: StorageCounts = {
  d1Queries: 10,
  // Where the deployment has prices and limits, a row more of each.
  d1RowsRead: 14,
  d1RowsWritten: 12,
  objectRowsRead: 50,
  // One more in sixteen: the session's own row.
  objectRowsWritten: 15,
  alarmsSet: 1,
};

const turns = 10;
let tenant: TestTenant;
let session: string;

beforeEach(async () => {
  tenant = await newTenant();
  await tenant.rules("privacy", [{ match: { type: "personalData" }, action: "redact", reason: "personal" }]);
  const model = await tenant.agent("assistant", { supervisors: ["privacy"] });
  session = await tenant.session();
  await model.reply({ text: "It is on its way.", repeat: true });
  for (let warm = 0; warm < 3; warm++) await sayAndRest();
});

it("a supervised turn writes no more rows than the page on deployments reckons with", async () => {
  const counts = await countStorage(tenant, session, async () => {
    for (let turn = 0; turn < turns; turn++) await sayAndRest();
  });
  const dear = Object.entries(most).filter(([name, bound]) =>
    Object.entries(counts).some(([one, count]) => one === name && count > bound * turns),
  );
  expect(dear, JSON.stringify(counts)).toEqual([]);
  // Nothing that isn't counted counts as cheap. The alarm of a turn half a minute ago may do.
  const { alarmsSet: _, ...counted } = counts;
  expect(Math.min(...Object.values(counted))).toBeGreaterThan(0);
});

async function sayAndRest(): Promise<void> {
  await tenant.say(session, "Where is my parcel?");
  await atRest(tenant.object(session));
}

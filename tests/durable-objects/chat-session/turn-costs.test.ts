/**
 * What a plain supervised turn does with its object's storage: rows that it writes as SQLite counts them, those of indexes included, the
 * bytes of the values, statements of any kind and transactions.
 */
import { runInDurableObject } from "cloudflare:test";
import { expect, it, type MockInstance, vi } from "vitest";
import figures from "../../../tools/turn-figures.json" with { type: "json" };
import { newTenant } from "../../support/conclave.js";
import { eventually } from "../../support/eventually.js";
import { rowsOf } from "../../support/objects.js";

/** With this the test waits until all is delivered. */
const anythingLeft = "SELECT 1 FROM outbox";

/** The figures that the page on deployments and `npm run simulate` reckon with. */
const mostRows = figures.objectRowsWritten;
const mostBytes = 8_192;
const mostStatements = 18;
const mostTransactions = 3;

it("a turn with a rules supervisor that redacts writes few rows and few bytes, in few statements and transactions", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant", { supervisors: ["privacy"] });
  await model.reply({ text: "Noted. Your parcel leaves the warehouse tomorrow and arrives on Friday.", repeat: true });
  await tenant.rules("privacy", [{ match: { type: "personalData" }, action: "redact", reason: "personal data" }]);
  const session = await tenant.session();
  const object = tenant.object(session);
  const say = async (): Promise<void> => {
    const turn = await tenant.say(session, "Message 17 of customer ada@example.org: where is my parcel?");
    expect(turn.status).toBe("completed");
    await eventually(async () => expect(await rowsOf(object, anythingLeft)).toEqual([]));
  };
  for (let warmUp = 0; warmUp < 3; warmUp++) await say();

  let exec: MockInstance<SqlStorage["exec"]> | undefined;
  let transactions: MockInstance<DurableObjectStorage["transactionSync"]> | undefined;
  await runInDurableObject(object, (_instance, { storage }) => {
    exec = vi.spyOn(storage.sql, "exec");
    transactions = vi.spyOn(storage, "transactionSync");
  });
  await say();
  const calls = exec?.mock.calls ?? [];
  const written = (exec?.mock.results ?? []).map(({ value }, at) => {
    const [statement = "", ...bindings] = calls[at] ?? [];
    const bytes = bindings.reduce<number>((sum, one) => sum + (typeof one === "string" ? one.length : 8), 0);
    return { rows: Number(value.rowsWritten), bytes, statement: statement.replace(/\s+/g, " ").slice(0, 60) };
  });
  exec?.mockRestore();
  expect(transactions?.mock.calls.length).toBeLessThanOrEqual(mostTransactions);
  transactions?.mockRestore();
  const writes = written.filter(({ rows }) => rows > 0);
  const rows = writes.reduce((sum, one) => sum + one.rows, 0);
  const bytes = writes.reduce((sum, one) => sum + one.bytes, 0);
  const what = writes.map((one) => `${one.rows} rows, ${one.bytes} bytes: ${one.statement}`).join("\n");
  expect(rows, what).toBeLessThanOrEqual(mostRows);
  expect(bytes, what).toBeLessThanOrEqual(mostBytes);
  // Those with which the test waits aside.
  const own = written.filter(({ statement }) => statement !== anythingLeft);
  expect(own.length, own.map(({ statement }) => statement).join("\n")).toBeLessThanOrEqual(mostStatements);
});

import { describe, expect, it } from "vitest";
import { debateRecordSchema } from "../../src/roundtable/debate-record.js";
import { debateOwner, roundtableOf, withSources } from "../../src/roundtable/nested-record.js";
import { roundtableSchema } from "../../src/roundtable/roundtable.js";
import { debate } from "./support.js";

const ulid = "01m84kfysyapyk6g5xx9x9vhxy";

describe("a debate within other work", () => {
  it.each([
    [`rt_${ulid}_ses_${ulid}`, `ses_${ulid}`],
    [`rt_${ulid}_run_${ulid}`, `run_${ulid}`],
    [`rt_${ulid}`, undefined],
    [`rt_${ulid}_ses_${ulid}x`, undefined],
    [`ask_${ulid}_ses_${ulid}`, undefined],
  ])("%s is held by %s", (id, owner) => {
    expect(debateOwner(id)).toBe(owner);
  });

  it("reads as a roundtable does", () => {
    const record = debateRecordSchema.parse(debate());
    const view = roundtableSchema.parse(roundtableOf(record));
    expect(view).toMatchObject({ currentRound: 2, responses: [{ agentId: "ana" }, { agentId: "ben" }, {}] });
  });
});

describe("labels in a text", () => {
  const { requests, rounds } = debate();
  it.each([
    ["It fits [C1].", "It fits (finance)."],
    ["Nobody knows [C2].", "Nobody knows (asked: Who audits the ledger?)."],
    ["As written [C1, S1].", "As written (finance; Budget [draft], https://example.com/budget)."],
    ["As nobody said [C9].", "As nobody said ."],
    ["An array[0] and [Code].", "An array[0] and [Code]."],
  ])("%s becomes %s", (text, expected) => {
    expect(withSources(text, requests, rounds)).toBe(expected);
  });
});

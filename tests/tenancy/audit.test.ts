import { describe, expect, it } from "vitest";
import type { SupervisionStep } from "../../src/supervision/state.js";
import { type AuditEntry, auditColumns, csvCell, csvLine } from "../../src/tenancy/audit.js";

describe("the audit as CSV", () => {
  it.each([
    ['=HYPERLINK("https://evil.example","x")', `"'=HYPERLINK(""https://evil.example"",""x"")"`],
    ["+1", `"'+1"`],
    ["-1+1", `"'-1+1"`],
    ["@SUM(A1)", `"'@SUM(A1)"`],
    ["\t=1", `"'\t=1"`],
    [" =1", `"' =1"`],
    ["\r\n=1", `"'\r\n=1"`],
    ["＝HYPERLINK(1)", `"'＝HYPERLINK(1)"`],
    ["\u200b＋1", `"'\u200b＋1"`],
    ["﹣1", `"'﹣1"`],
    ["\u22121", `"'\u22121"`],
    ["＠SUM(A1)", `"'＠SUM(A1)"`],
    ["plain, with a comma", '"plain, with a comma"'],
    [undefined, '""'],
  ])("fault 18: no cell is a formula, whatever wrote it: %j", (text, cell) => {
    expect(csvCell(text)).toBe(cell);
  });

  it("has a cell for each column, and names who decided", () => {
    const entry: AuditEntry = {
      at: "2030-01-01T00:00:00.000Z",
      type: "ask.answered",
      sessionId: "ses_1",
      workId: "trn_1",
      decision: "once",
      actor: { kind: "key", id: "key_1", role: "operator" },
      subject: { askId: "ask_1", tool: "shop/refund", toolCallId: "msg_1.0.0", kind: "approval" },
      reasons: [],
    };
    const cells = csvLine(entry).slice(1, -1).split('","');
    expect(Object.fromEntries(auditColumns.map((column, index) => [column, cells[index]]))).toMatchObject({
      type: "ask.answered",
      decision: "once",
      actorId: "key_1",
      actorRole: "operator",
      tool: "shop/refund",
    });
    expect(cells).toHaveLength(auditColumns.length);
    const step: SupervisionStep = {
      action: "modify",
      reasons: [],
      beforeHash: "1",
      afterHash: "2",
      latencyMs: 0,
      mode: "enforce",
    };
    const passed = csvLine({
      ...entry,
      steps: [
        { ...step, supervisor: "guard", version: 2, rules: ["mail", "3"] },
        { ...step, supervisor: "judge", version: 1, model: "openai/small" },
      ],
    });
    expect(passed).toContain('"guard@2; judge@1 openai/small","guard/mail; guard/3"');
  });
});

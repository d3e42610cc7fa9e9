import { describe, expect, it } from "vitest";
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
      ...{ type: "ask.answered", decision: "once", actorId: "key_1", actorRole: "operator", tool: "shop/refund" },
    });
    expect(cells).toHaveLength(auditColumns.length);
  });
});

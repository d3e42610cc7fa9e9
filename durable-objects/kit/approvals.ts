/** The tools that a person has approved for as long as the root lives. */
import type { ToolApprovals } from "../../src/supervision/tool-guard.js";

export class ApprovalBook implements ToolApprovals {
  constructor(private readonly sql: SqlStorage) {}

  isApproved({ server, tool }: { server: string; tool: string }): boolean {
    return this.sql.exec("SELECT 1 FROM approvals WHERE server = ? AND tool = ?", server, tool).toArray().length > 0;
  }

  approveForSession({ server, tool }: { server: string; tool: string }): void {
    this.sql.exec("INSERT INTO approvals (server, tool) VALUES (?, ?) ON CONFLICT DO NOTHING", server, tool);
  }
}

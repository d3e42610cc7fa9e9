/** Results of tools, kept in D1 for as long as the tool's settings say. Errors are never kept, nor what a person answered. */
import { z } from "zod";
import { canonicalArguments, likeness } from "../agent/tool-cache.js";
import type { AgentTool } from "../agent/tools.js";
import { sha256Hex } from "../platform/digest.js";
import type { Database } from "./database.js";

const row = z.object({ arguments: z.string(), content: z.string() });

/** How many of a tool's kept results are looked at for one that is alike: the newest. */
const mostCompared = 100;
/** Larger results aren't worth keeping, in characters. */
const largestKept = 50_000;

export interface CacheSettings {
  readonly cacheSeconds: number;
  readonly cacheSimilarity?: number | undefined;
}

export class ToolCache {
  constructor(
    private readonly db: Database,
    private readonly now: () => number,
  ) {}

  /**
   * The tool, answering from what is kept where that is allowed.
   * @param from the stored resource that it comes from, with its version: another version may answer otherwise.
   */
  wrap(tenantId: string, tool: AgentTool, settings: CacheSettings, from: string): AgentTool {
    if (settings.cacheSeconds === 0 || tool.asksPeople === true || tool.execution === "durable") return tool;
    const key = `${tool.ref.server}/${tool.ref.tool} of ${from}`;
    return {
      ...tool,
      run: async (args, context) => {
        const canonical = canonicalArguments(args);
        const kept = await this.find(tenantId, key, canonical, settings.cacheSimilarity);
        if (kept !== undefined) return { content: kept };
        const output = await tool.run(args, context);
        if (output.isError !== true && output.content.length <= largestKept) {
          await this.keep(tenantId, key, canonical, output.content, settings.cacheSeconds);
        }
        return output;
      },
    };
  }

  private async find(
    tenantId: string,
    tool: string,
    canonical: string,
    similarity: number | undefined,
  ): Promise<string | undefined> {
    const same = await this.db
      .prepare(
        `SELECT arguments, content FROM tool_results
         WHERE tenant_id = ? AND tool = ? AND arguments_hash = ? AND expires_at > ?`,
      )
      .bind(tenantId, tool, await sha256Hex(canonical), this.now())
      .first();
    if (same !== null) return row.parse(same).content;
    if (similarity === undefined) return undefined;
    const { results } = await this.db
      .prepare(
        `SELECT arguments, content FROM tool_results WHERE tenant_id = ? AND tool = ? AND expires_at > ?
         ORDER BY expires_at DESC LIMIT ?`,
      )
      .bind(tenantId, tool, this.now(), mostCompared)
      .all();
    const alike = z
      .array(row)
      .parse(results)
      .map((kept) => ({ content: kept.content, likeness: likeness(canonical, kept.arguments) }))
      .toSorted((a, b) => b.likeness - a.likeness)[0];
    return alike !== undefined && alike.likeness >= similarity ? alike.content : undefined;
  }

  private async keep(
    tenantId: string,
    tool: string,
    canonical: string,
    content: string,
    seconds: number,
  ): Promise<void> {
    const now = this.now();
    await this.db.batch([
      this.db.prepare("DELETE FROM tool_results WHERE expires_at <= ?").bind(now),
      this.db
        .prepare(
          `INSERT INTO tool_results (tenant_id, tool, arguments_hash, arguments, content, expires_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
           ON CONFLICT DO UPDATE SET content = ?5, expires_at = ?6`,
        )
        .bind(tenantId, tool, await sha256Hex(canonical), canonical, content, now + seconds * 1_000),
    ]);
  }
}

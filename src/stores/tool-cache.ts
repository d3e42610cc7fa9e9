/** Results of tools, kept in D1 for as long as the tool's settings say. Errors are never kept, nor what a person answered. */
import { z } from "zod";
import { canonicalArguments, likeness } from "../agent/tool-cache.js";
import type { AgentTool } from "../agent/tools.js";
import { sha256Hex } from "../platform/digest.js";
import { all, batch, type Database, first, sql } from "../platform/sql.js";

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
    const same = await first(this.db, row)`SELECT arguments, content FROM tool_results
      WHERE tenant_id = ${tenantId} AND tool = ${tool} AND arguments_hash = ${await sha256Hex(canonical)}
        AND expires_at > ${this.now()}`;
    if (same !== undefined) return same.content;
    if (similarity === undefined) return undefined;
    const newest = await all(this.db, row)`SELECT arguments, content FROM tool_results
      WHERE tenant_id = ${tenantId} AND tool = ${tool} AND expires_at > ${this.now()} ORDER BY expires_at DESC
      LIMIT ${mostCompared}`;
    const alike = newest
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
    await batch(this.db, [
      sql`DELETE FROM tool_results WHERE expires_at <= ${now}`,
      sql`INSERT INTO tool_results (tenant_id, tool, arguments_hash, arguments, content, expires_at)
        VALUES (${tenantId}, ${tool}, ${await sha256Hex(canonical)}, ${canonical}, ${content}, ${now + seconds * 1_000})
        ON CONFLICT DO UPDATE SET content = ${content}, expires_at = ${now + seconds * 1_000}`,
    ]);
  }
}

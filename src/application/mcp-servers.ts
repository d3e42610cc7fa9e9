/** Remote MCP servers as tool servers: their tools are listed and called over streamable HTTP, at safe addresses only. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { z } from "zod";
import type { McpTool } from "../agent/definition.js";
import { schemaProblem } from "../agent/schema-limits.js";
import type { ToolOutput } from "../agent/tools.js";
import { withDeadline } from "../platform/clock.js";
import { log } from "../platform/logging.js";
import { fetchSafely, type OutgoingPolicy } from "../platform/outgoing.js";

export const remoteToolSchema = z.object({
  name: z.string(),
  description: z.string(),
  parameters: z.record(z.string(), z.unknown()),
  /** A call may be repeated. */
  readOnly: z.boolean(),
  /** It says that it changes nothing at all. */
  cacheable: z.boolean().default(false),
});
export type RemoteTool = z.infer<typeof remoteToolSchema>;

/** How long a server's list of tools is taken to hold, in milliseconds. */
const listedForMs = 300_000;
const maxTools = 200;
const maxPages = 10;
const maxKept = 200;
const clientInfo = { name: "conclave", version: "0.1.0" };

export class McpServers {
  private readonly lists = new Map<string, { readonly tools: readonly RemoteTool[]; readonly until: number }>();

  constructor(
    private readonly policy: OutgoingPolicy,
    private readonly now: () => number,
  ) {}

  /** @param key says whose server it is, and which version of its definition. */
  async list(key: string, server: McpTool): Promise<readonly RemoteTool[]> {
    const known = this.lists.get(key);
    if (known !== undefined && known.until > this.now()) return known.tools;
    const tools = await this.connected(server, undefined, async (client, signal) => {
      const found: RemoteTool[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < maxPages && found.length < maxTools; page++) {
        const answer = await client.listTools(cursor === undefined ? {} : { cursor }, { signal });
        for (const { name, description, inputSchema, annotations } of answer.tools) {
          const problem = schemaProblem({ ...inputSchema });
          if (problem !== undefined) {
            log("warn", "mcp.tool_left_out", { subject: `${server.server}/${name}`, outcome: problem });
            continue;
          }
          found.push({
            name,
            description: (description ?? name).slice(0, 4_000),
            parameters: { ...inputSchema },
            readOnly: annotations?.readOnlyHint === true || annotations?.idempotentHint === true,
            cacheable: annotations?.readOnlyHint === true,
          });
        }
        cursor = answer.nextCursor;
        if (cursor === undefined) break;
      }
      return found.slice(0, maxTools);
    });
    if (this.lists.size >= maxKept) this.lists.clear();
    this.lists.set(key, { tools, until: this.now() + listedForMs });
    return tools;
  }

  async call(
    server: McpTool,
    name: string,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal | undefined,
  ): Promise<ToolOutput> {
    const result = await this.connected(server, signal, (client, within) =>
      client.callTool({ name, arguments: { ...args } }, { signal: within, timeout: server.timeoutMs }),
    );
    const texts = result.content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`));
    const structured = result.structuredContent === undefined ? [] : [JSON.stringify(result.structuredContent)];
    return { content: (texts.length > 0 ? texts : structured).join("\n"), isError: result.isError ?? false };
  }

  /** One connection for one act: nothing is kept open, so an object can sleep. */
  private connected<T>(
    { mcp, timeoutMs }: McpTool,
    parent: AbortSignal | undefined,
    act: (client: Client, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return withDeadline(
      timeoutMs,
      async (signal) => {
        const client = new Client(clientInfo, { versionNegotiation: { mode: "auto" } });
        const transport = new StreamableHTTPClientTransport(new URL(mcp.url), {
          requestInit: { headers: { ...mcp.headers, "user-agent": "conclave" } },
          fetch: (url, init) => {
            const within = init?.signal == null ? signal : AbortSignal.any([signal, init.signal]);
            return fetchSafely(url, { ...init, signal: within }, this.policy);
          },
          reconnectionOptions: {
            maxRetries: 0,
            initialReconnectionDelay: 1_000,
            maxReconnectionDelay: 1_000,
            reconnectionDelayGrowFactor: 1,
          },
        });
        try {
          await client.connect(transport, { signal, timeout: timeoutMs });
          return await act(client, signal);
        } finally {
          await client.close().catch(() => {});
        }
      },
      parent,
    );
  }
}

/** Builds an agent's tools from what tenants store, and from the system's own. */
import { buildBuiltInTools, type LookUpPorts } from "../agent/built-in-tools.js";
import type { HttpTool, McpTool } from "../agent/definition.js";
import type { AgentTool, ToolContext, ToolOutput, ToolRef } from "../agent/tools.js";
import { sleep } from "../platform/clock.js";
import {
  OutgoingError,
  type OutgoingPolicy,
  type OutgoingRequest,
  type OutgoingResponse,
  sendOutgoing,
} from "../platform/outgoing.js";
import type { ToolCache } from "../stores/tool-cache.js";
import type { ResourceVersion } from "../tenancy/resources.js";
import type { McpServers, RemoteTool } from "./mcp-servers.js";

/** The tools of remote MCP servers, as they were listed, by the name of the stored resource. */
export type RemoteTools = ReadonlyMap<string, readonly RemoteTool[]>;

export class ToolBuilder {
  constructor(
    private readonly policy: OutgoingPolicy,
    private readonly mcp: McpServers,
    private readonly cache: ToolCache,
    private readonly lookUps: (tenantId: string) => LookUpPorts,
  ) {}

  /** Lists what a remote MCP server offers. */
  list(tenantId: string, { name, version }: ResourceVersion<"tools">, server: McpTool): Promise<readonly RemoteTool[]> {
    return this.mcp.list(`${tenantId}/${name}/${version}`, server);
  }

  /**
   * The tools of these references, in their order, each once; `*` means all of a server. Those that don't exist are left out.
   * @param memoryIds the memories that they may search.
   */
  build(
    tenantId: string,
    refs: readonly ToolRef[],
    stored: readonly ResourceVersion<"tools">[],
    remote: RemoteTools = new Map(),
    memoryIds: readonly string[] = [],
  ): AgentTool[] {
    const available = [
      ...buildBuiltInTools({ lookUps: this.lookUps(tenantId), memoryIds }),
      ...stored.flatMap(({ name, version, body }) => {
        const from = `${name}@${version}`;
        return "http" in body
          ? [this.cache.wrap(tenantId, this.stored(tenantId, { server: body.server, tool: name }, body), body, from)]
          : (remote.get(name) ?? []).map((tool) => {
              const held = this.remote(body, tool);
              // A result is kept only of what says that it changes nothing: the second call of another has an effect of its own.
              return tool.cacheable ? this.cache.wrap(tenantId, held, body, from) : held;
            });
      }),
    ];
    const tools = new Map<string, AgentTool>();
    for (const ref of refs) {
      for (const tool of available) {
        const { server, tool: name } = tool.ref;
        if (server === ref.server && (name === ref.tool || ref.tool === "*")) tools.set(`${server}/${name}`, tool);
      }
    }
    return distinctNames([...tools.values()]);
  }

  private stored(tenantId: string, ref: ToolRef, found: HttpTool): AgentTool {
    return {
      ref,
      name: shownName(ref.tool),
      description: found.description,
      parameters: found.parameters,
      timeoutMs: found.timeoutMs,
      execution: found.idempotent || found.http.method === "GET" ? "idempotent" : "once",
      approval: found.approval,
      run: (args, context) => this.call(tenantId, found, args, context),
    };
  }

  private remote(server: McpTool, tool: RemoteTool): AgentTool {
    return {
      ref: { server: server.server, tool: tool.name },
      name: shownName(tool.name),
      description: tool.description,
      parameters: tool.parameters,
      timeoutMs: server.timeoutMs,
      execution: tool.readOnly ? "idempotent" : "once",
      approval: server.approval,
      run: (args, { signal }) =>
        this.mcp.call(server, tool.name, args, signal instanceof AbortSignal ? signal : undefined),
    };
  }

  private async call(
    tenantId: string,
    tool: HttpTool,
    args: Readonly<Record<string, unknown>>,
    context: ToolContext,
  ): Promise<ToolOutput> {
    const { method, headers } = tool.http;
    const { url, rest } = fillUrl(tool.http.url, args);
    const inQuery = method === "GET" || method === "DELETE";
    if (inQuery) for (const [name, value] of Object.entries(rest)) url.searchParams.set(name, asText(value));
    const request = {
      method,
      url: url.href,
      headers: {
        accept: "application/json, text/plain;q=0.9, */*;q=0.1",
        "user-agent": "conclave",
        ...(inQuery ? {} : { "content-type": "application/json" }),
        // The same over redos of this call, and of no other call anywhere.
        "idempotency-key": `${tenantId}.${context.callId}`,
        ...headers,
      },
      ...(inQuery ? {} : { body: JSON.stringify(rest) }),
      timeoutMs: tool.timeoutMs,
      ...(context.signal instanceof AbortSignal ? { signal: context.signal } : {}),
    };
    const response = await this.send(request, tool.idempotent || method === "GET");
    const failed = response.status >= 400;
    return { content: failed ? `HTTP ${response.status}: ${response.text}` : response.text, isError: failed };
  }

  /** Tries once more, under the same key, what passes and may be repeated; the call's own deadline bounds both. */
  private async send(request: OutgoingRequest, mayRepeat: boolean): Promise<OutgoingResponse> {
    try {
      const response = await sendOutgoing(request, this.policy);
      if (!mayRepeat || !passing.has(response.status)) return response;
    } catch (error) {
      if (!mayRepeat || !(error instanceof OutgoingError) || request.signal?.aborted) throw error;
    }
    await sleep(retryWaitMs, request.signal);
    return sendOutgoing(request, this.policy);
  }
}

/** Answers that say that another attempt may do better. */
const passing: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const retryWaitMs = 200;

function fillUrl(
  template: string,
  args: Readonly<Record<string, unknown>>,
): { url: URL; rest: Record<string, unknown> } {
  const rest = { ...args };
  const filled = template.replace(/(?:\{|%7B)([A-Za-z0-9_]+)(?:\}|%7D)/gi, (_match, name: string) => {
    const value = args[name];
    delete rest[name];
    const text = asText(value ?? "");
    // "." and ".." would be read as steps in the path, and lead out of where the template points.
    if (/^\.+$/.test(text)) throw new RangeError(`the argument "${name}" can't consist of dots alone`);
    return encodeURIComponent(text);
  });
  return { url: new URL(filled), rest };
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A name as the providers demand it. */
function shownName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 64);
}

/** Two servers may have a tool of the same name: then the model sees the server's name too. */
function distinctNames(tools: readonly AgentTool[]): AgentTool[] {
  return tools.map((tool) => {
    const shared = tools.filter((other) => other.name === tool.name).length > 1;
    return shared ? { ...tool, name: shownName(`${tool.ref.server}__${tool.ref.tool}`) } : tool;
  });
}

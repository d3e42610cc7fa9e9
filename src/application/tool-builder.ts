/** Builds an agent's tools from what tenants store, and from the system's own. */
import { isMemoryWrite } from "../agent/built-in/memory-write.js";
import { buildBuiltInTools, builtInToolNames, type LookUpPorts } from "../agent/built-in-tools.js";
import { type CallOrigin, callContext, contextValue, noOrigin } from "../agent/call-context.js";
import { argumentText, fillHeaders, fillUrl, templateKeys } from "../agent/call-templates.js";
import type { HttpTool, McpTool } from "../agent/definition.js";
import type { RemoteTool } from "../agent/remote-tool.js";
import { type AgentTool, builtInServer, type ToolContext, type ToolOutput, type ToolRef } from "../agent/tools.js";
import { defined } from "../conversation/defined.js";
import { sleep } from "../platform/clock.js";
import {
  OutgoingError,
  type OutgoingPolicy,
  type OutgoingRequest,
  type OutgoingResponse,
  refuseAddress,
  sendOutgoing,
} from "../platform/outgoing.js";
import { routingToolNames } from "../routing/routing-tools.js";
import type { ToolCache } from "../stores/tool-cache.js";
import type { ResourceVersion } from "../tenancy/resources.js";
import type { CallSigner } from "./call-signer.js";
import type { McpConnection } from "./mcp-servers.js";

/** A remote MCP server in one work item: its pinned tools, and the connection that the work's calls share. */
export interface RemoteServer {
  readonly tools: readonly RemoteTool[];
  readonly connection: McpConnection;
}

/** The work whose agents hold the tools. */
export interface ToolWork {
  readonly tenantId: string;
  readonly origin?: CallOrigin;
  /** Remote MCP servers, by the name of the stored resource. */
  readonly remote?: ReadonlyMap<string, RemoteServer>;
  /** The memories that the tools may search. */
  readonly memoryIds?: readonly string[];
  /** The one that the work writes. */
  readonly written?: string | undefined;
}

export class ToolBuilder {
  constructor(
    private readonly policy: OutgoingPolicy,
    private readonly signer: CallSigner,
    private readonly cache: ToolCache,
    private readonly lookUps: (tenantId: string) => LookUpPorts,
  ) {}

  /** The tools of these references, in their order, each once; `*` means all of a server. Those that don't exist are left out. */
  build(work: ToolWork, refs: readonly ToolRef[], stored: readonly ResourceVersion<"tools">[]): AgentTool[] {
    const { tenantId, origin = noOrigin, remote, memoryIds = [], written } = work;
    if (refs.length === 0) return [];
    const wantsBuiltIn = refs.some(({ server }) => server === builtInServer);
    const available = [
      ...(wantsBuiltIn ? buildBuiltInTools({ lookUps: this.lookUps(tenantId), memoryIds, written }) : []),
      ...stored.flatMap(({ name, version, body }) => {
        const from = `${name}@${version}${cacheScope(origin, toldOf(body))}`;
        if ("http" in body) {
          const held = this.stored(tenantId, { server: body.server, tool: name }, body, origin);
          return [this.cache.wrap(tenantId, held, body, from)];
        }
        const server = remote?.get(name);
        return (server?.tools ?? []).map((tool) => {
          const held = remoteTool(body, tool, server?.connection, origin);
          // A result is kept only of what says that it changes nothing: the second call of another has an effect of its own.
          return tool.cacheable ? this.cache.wrap(tenantId, held, body, from) : held;
        });
      }),
    ];
    const tools = new Map<string, AgentTool>();
    for (const ref of refs) {
      for (const tool of available) {
        const { server, tool: name } = tool.ref;
        const isMeant = name === ref.tool || (ref.tool === "*" && !isMemoryWrite(tool.ref));
        if (server === ref.server && isMeant) tools.set(`${server}/${name}`, tool);
      }
    }
    return distinctNames([...tools.values()]);
  }

  private stored(tenantId: string, ref: ToolRef, found: HttpTool, origin: CallOrigin): AgentTool {
    return {
      ref,
      name: shownName(ref.tool),
      description: found.description,
      parameters: found.parameters,
      timeoutMs: found.timeoutMs,
      execution: found.idempotent || found.http.method === "GET" ? "idempotent" : "once",
      readOnly: found.http.method === "GET",
      approval: found.approval,
      approvalPolicy: found.approvalPolicy,
      run: (args, context) => this.call(tenantId, ref, found, args, { ...context, origin }),
    };
  }

  private async call(
    tenantId: string,
    { server, tool: name }: ToolRef,
    tool: HttpTool,
    args: Readonly<Record<string, unknown>>,
    { origin, worker, callId, signal }: ToolContext & { readonly origin: CallOrigin },
  ): Promise<ToolOutput> {
    const { method, headers, secret } = tool.http;
    const refused = refuseAddress(tool.http.url, this.policy);
    if (refused !== undefined) throw refusedAddress(refused);
    const contextOf = (key: string): string | undefined => contextValue(origin, key);
    const filled = fillUrl(tool.http.url, args, contextOf);
    const url = new URL(filled.url);
    const inQuery = method === "GET" || method === "DELETE";
    if (inQuery) for (const [key, value] of Object.entries(filled.rest)) url.searchParams.set(key, argumentText(value));
    const body = inQuery ? "" : JSON.stringify(filled.rest);
    const context = {
      tool: `${server}/${name}`,
      ...defined({ worker }),
      // Without a body the arguments stand in the address alone, which no signature covers otherwise.
      ...(inQuery ? { method, url: url.href } : {}),
      ...callContext(origin, tool.http.context),
    };
    const id = await this.signer.idOf(tenantId, callId);
    const request = {
      method,
      url: url.href,
      headers: {
        accept: "application/json, text/plain;q=0.9, */*;q=0.1",
        "user-agent": "conclave",
        ...(inQuery ? {} : { "content-type": "application/json" }),
        ...fillHeaders(headers, contextOf),
        ...(await this.signer.headers(tenantId, { id, body, context, secret })),
      },
      ...(inQuery ? {} : { body }),
      timeoutMs: tool.timeoutMs,
      signal,
    };
    const response = await this.send(request, tool.idempotent || method === "GET");
    const failed = response.status >= 400;
    const content = failed ? `HTTP ${response.status}: ${response.text}` : response.text;
    // Refused, not failed: nothing was done.
    return { content, isError: failed, ...(failed && response.status < 500 ? { effect: "none" as const } : {}) };
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

function remoteTool(
  server: McpTool,
  tool: RemoteTool,
  connection: McpConnection | undefined,
  origin: CallOrigin,
): AgentTool {
  const ref = { server: server.server, tool: tool.name };
  return {
    ref,
    name: shownName(tool.name),
    description: tool.description,
    parameters: tool.parameters,
    timeoutMs: server.timeoutMs,
    execution: tool.readOnly ? "idempotent" : "once",
    readOnly: tool.readOnly,
    approval: server.approval,
    approvalPolicy: server.approvalPolicy,
    run: async (args, { callId, worker, signal, progress }) => {
      if (connection === undefined) throw new OutgoingError("its server isn't connected");
      return connection.call({
        tool: tool.name,
        args,
        key: callId,
        context: {
          tool: `${ref.server}/${ref.tool}`,
          ...defined({ worker }),
          ...callContext(origin, server.mcp.context),
        },
        signal,
        progress,
      });
    },
  };
}

/** What of the end user a stored tool's receiver is told. */
function toldOf(body: HttpTool | McpTool): readonly string[] {
  if ("mcp" in body) return body.mcp.context ?? [];
  const { url, headers, context = [] } = body.http;
  return [...new Set([...context, ...templateKeys(url, ...Object.values(headers))])];
}

/** A result that was made for one end user is kept for that one alone. */
function cacheScope(origin: CallOrigin, keys: readonly string[]): string {
  return keys.length === 0 ? "" : ` for ${JSON.stringify(keys.map((key) => [key, contextValue(origin, key)]))}`;
}

/** That an address can't be called, as its tenant may read it. */
export function refusedAddress(problem: string): OutgoingError {
  return new OutgoingError(`the address can't be called: ${problem}`);
}

/** A name as the providers demand it. */
export function shownName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 64);
}

/** Names that the system's own tools have: a model must never take another for one of them. */
export function isReserved(name: string): boolean {
  return builtInToolNames.includes(name) || routingToolNames.has(name);
}

/** Two servers may have a tool of the same name, or one that is the system's: then the model sees the server's name too. */
function distinctNames(tools: readonly AgentTool[]): AgentTool[] {
  return tools.map((tool) => {
    const isOwn = tool.ref.server === builtInServer;
    const shared = tools.filter((other) => other.name === tool.name).length > 1;
    return (shared || isReserved(tool.name)) && !isOwn
      ? { ...tool, name: shownName(`${tool.ref.server}__${tool.ref.tool}`) }
      : tool;
  });
}

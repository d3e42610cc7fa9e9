/** Makes tools that an agent can hold out of what tenants store, and out of the system's own. */
import { type OutputUnit, Validator } from "@cfworker/json-schema";
import { askHumanTool, builtInServer } from "../agent/built-in-tools.js";
import type { StoredTool } from "../agent/definition.js";
import type { AgentTool, ToolContext, ToolOutput, ToolRef } from "../agent/tools.js";
import type { ResourceVersion } from "../tenancy/resources.js";
import { sleep } from "./clock.js";
import {
  OutgoingError,
  type OutgoingPolicy,
  type OutgoingRequest,
  type OutgoingResponse,
  sendOutgoing,
} from "./outgoing.js";
import type { ToolCache } from "./tool-cache.js";

export class ToolBuilder {
  constructor(
    private readonly policy: OutgoingPolicy,
    private readonly cache: ToolCache,
  ) {}

  /** The tools of these references, in their order, each once. Those that don't exist are left out. */
  build(tenantId: string, refs: readonly ToolRef[], stored: readonly ResourceVersion<"tools">[]): AgentTool[] {
    const tools = new Map<string, AgentTool>();
    for (const ref of refs) {
      const made = ref.server === builtInServer ? builtIn(ref) : this.stored(tenantId, ref, stored);
      if (made !== undefined) tools.set(`${ref.server}/${ref.tool}`, made);
    }
    return distinctNames([...tools.values()]);
  }

  private stored(tenantId: string, ref: ToolRef, stored: readonly ResourceVersion<"tools">[]): AgentTool | undefined {
    const resource = stored.find(({ name, body }) => name === ref.tool && body.server === ref.server);
    if (resource === undefined) return undefined;
    const { body: found, version } = resource;
    const tool: AgentTool = {
      ref,
      name: ref.tool,
      description: found.description,
      parameters: found.parameters,
      timeoutMs: found.timeoutMs,
      execution: found.idempotent || found.http.method === "GET" ? "idempotent" : "once",
      approval: found.approval,
      run: (args, context) => this.call(tenantId, found, args, context),
    };
    return this.cache.wrap(tenantId, tool, found, version);
  }

  private async call(
    tenantId: string,
    tool: StoredTool,
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

/** Checks arguments against a tool's schema, in words. Compiles nothing: Workers forbid it. */
export function validateArguments(tool: AgentTool, args: unknown): string[] {
  const result = new Validator(tool.parameters, "2020-12", false).validate(args);
  return result.valid
    ? []
    : result.errors
        .filter(isLeaf)
        .slice(0, 5)
        .map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`);
}

/** The units that only say that something below them failed tell nothing. */
function isLeaf(unit: OutputUnit, _index: number, all: OutputUnit[]): boolean {
  return !all.some((other) => other !== unit && other.keywordLocation.startsWith(`${unit.keywordLocation}/`));
}

function builtIn(ref: ToolRef): AgentTool | undefined {
  return ref.tool === askHumanTool.ref.tool ? askHumanTool : undefined;
}

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

/** Two servers may have a tool of the same name: then the model sees the server's name too. */
function distinctNames(tools: readonly AgentTool[]): AgentTool[] {
  return tools.map((tool) => {
    const shared = tools.filter((other) => other.name === tool.name).length > 1;
    return shared ? { ...tool, name: `${tool.ref.server}__${tool.ref.tool}`.slice(0, 64) } : tool;
  });
}

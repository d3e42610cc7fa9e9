/** Remote MCP servers as tool servers: their tools are listed and called over streamable HTTP, at safe addresses only. */
import type { Client, DiscoverResult } from "@modelcontextprotocol/client";
import { z } from "zod";
import type { McpTool } from "../agent/definition.js";
import type { ToolOutput, ToolProgress } from "../agent/tools.js";
import { defined } from "../conversation/defined.js";
import { version as ownVersion } from "../conversation/version.js";
import type { CancelSignal } from "../model/port.js";
import { withDeadline } from "../platform/clock.js";
import { fetchSafely, OutgoingError, type OutgoingPolicy } from "../platform/outgoing.js";
import { isTooDeep, maxJsonDepth, readJson } from "../text/json.js";
import { loaded } from "../text/lazily.js";
import type { CallSigner } from "./call-signer.js";
import { boundedSchemaCheck } from "./mcp-schema-check.js";
import { listTools, type RemoteList, usableOf } from "./remote-tool-list.js";

/** Evaluated with the first call of a remote tool. */
const mcpClient = loaded(() => import("./mcp-client.js"));

/** A call of a remote tool. */
export interface RemoteCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Of the call within its tenant: the same over redos of it. */
  readonly key: string;
  readonly context: Readonly<Record<string, unknown>>;
  readonly signal: CancelSignal;
  /** Takes how far the server says it is. */
  readonly progress?: ((made: ToolProgress) => void) | undefined;
}

/** Where the context stands in `_meta` of a call. */
const contextMeta = "conclave/context";

/** How long it is taken to hold which generation of the protocol a server speaks, in milliseconds. */
const knownForMs = 300_000;
const maxKnown = 200;
/** Progress that follows sooner is left out, in milliseconds: a server may report as often as it likes. */
const progressEveryMs = 1_000;
/** Somebody waits for the list. */
const listTimeoutMs = 10_000;
const clientInfo = { name: "conclave", version: ownVersion };

/** What is known of a server before it is connected to: then it isn't asked for it again. */
type Prior = { readonly kind: "modern"; readonly discover: DiscoverResult } | { readonly kind: "legacy" };

export interface McpServer {
  readonly tenantId: string;
  /** The stored resource, with its version. */
  readonly name: string;
  readonly version: number;
  readonly body: McpTool;
}

export class McpServers {
  private readonly priors = new Map<string, { readonly prior: Prior; readonly until: number }>();

  constructor(
    private readonly policy: OutgoingPolicy,
    private readonly now: () => number,
    private readonly signer: CallSigner,
  ) {}

  /** What the server lists now. */
  async list(server: McpServer): Promise<RemoteList> {
    const connection = this.connect(server);
    return withDeadline(Math.min(server.body.timeoutMs, listTimeoutMs), async (signal) => {
      const found = await connection.within(signal, (client) => listTools(client, signal));
      return usableOf(found);
    });
  }

  /** A connection for one work item: made with its first call, and shared by its calls. Nothing is kept open, so an object can sleep. */
  connect(server: McpServer): McpConnection {
    const { tenantId, name, version } = server;
    const key = `${tenantId}/${name}/${version}`;
    return new McpConnection(
      server,
      this.policy,
      this.signer,
      {
        get: () => {
          const known = this.priors.get(key);
          return known === undefined || known.until <= this.now() ? undefined : known.prior;
        },
        set: (prior) => {
          if (this.priors.size >= maxKnown) this.priors.clear();
          if (prior === undefined) this.priors.delete(key);
          else this.priors.set(key, { prior, until: this.now() + knownForMs });
        },
      },
      this.now,
    );
  }
}

interface PriorStore {
  get(): Prior | undefined;
  set(prior: Prior | undefined): void;
}

/** What is under way: its requests end with it, and it ends with them. */
interface OpenCall {
  readonly signal: AbortSignal;
  readonly fail: (error: Error) => void;
}

export class McpConnection {
  private client: Promise<Client> | undefined;
  /** By the id that each call's message holds. */
  private readonly open = new Map<string, OpenCall>();
  /** What connects or lists: one at a time. */
  private opening: OpenCall | undefined;

  constructor(
    private readonly server: McpServer,
    private readonly policy: OutgoingPolicy,
    private readonly signer: CallSigner,
    private readonly prior: PriorStore,
    private readonly now: () => number,
  ) {}

  async call({ tool, args, key, context, signal, progress }: RemoteCall): Promise<ToolOutput> {
    const { body, tenantId } = this.server;
    const callId = await this.signer.idOf(tenantId, key);
    const meta = { [contextMeta]: { callId, ...context } };
    const result = await withDeadline(
      body.timeoutMs,
      async (within) => {
        const client = await this.within(within, async (connected) => connected);
        const { promise: failed, reject } = Promise.withResolvers<never>();
        this.open.set(callId, { signal: within, fail: reject });
        try {
          const onprogress = progress && sparing(progress, this.now);
          const options = { signal: within, timeout: body.timeoutMs, ...defined({ onprogress }) };
          return await Promise.race([
            client.callTool({ name: tool, arguments: { ...args }, _meta: meta }, options),
            failed,
          ]);
        } catch (error) {
          this.forget();
          throw error;
        } finally {
          this.open.delete(callId);
        }
      },
      signal,
    );
    if (isTooDeep(result.structuredContent)) {
      return { content: `Its result can't be read: JSON may be nested at most ${maxJsonDepth} deep.`, isError: true };
    }
    const texts = result.content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`));
    const structured = result.structuredContent === undefined ? [] : [JSON.stringify(result.structuredContent)];
    return { content: (texts.length > 0 ? texts : structured).join("\n"), isError: result.isError ?? false };
  }

  /** Runs what isn't a call, connecting first where that wasn't done. */
  async within<T>(signal: AbortSignal, act: (client: Client) => Promise<T>): Promise<T> {
    const { promise: failed, reject } = Promise.withResolvers<never>();
    const opening = { signal, fail: reject };
    this.opening ??= opening;
    try {
      this.client ??= this.connected(signal);
      return await Promise.race([this.client.then(act), failed]);
    } catch (error) {
      this.forget();
      throw error;
    } finally {
      if (this.opening === opening) this.opening = undefined;
    }
  }

  /** After a failure the next call connects anew, and asks the server again what it speaks. */
  private forget(): void {
    this.client = undefined;
    this.prior.set(undefined);
  }

  private async connected(signal: AbortSignal): Promise<Client> {
    const { mcp, timeoutMs } = this.server.body;
    // With the first call: the package takes a tenth of a second that no start has to wait for.
    const { Client, StreamableHTTPClientTransport } = await mcpClient();
    const client = new Client(clientInfo, {
      versionNegotiation: { mode: "auto" },
      jsonSchemaValidator: boundedSchemaCheck,
    });
    const transport = new StreamableHTTPClientTransport(new URL(mcp.url), {
      requestInit: { headers: { ...mcp.headers, "user-agent": "conclave" } },
      fetch: (url, init) => this.fetch(url, init),
      reconnectionOptions: {
        maxRetries: 0,
        initialReconnectionDelay: 1_000,
        maxReconnectionDelay: 1_000,
        reconnectionDelayGrowFactor: 1,
      },
    });
    const prior = this.prior.get();
    await client.connect(transport, { signal, timeout: timeoutMs, ...defined({ prior }) });
    const discover = client.getDiscoverResult();
    this.prior.set(discover === undefined ? { kind: "legacy" } : { kind: "modern", discover });
    return client;
  }

  private async fetch(url: string | URL, init: RequestInit | undefined): Promise<Response> {
    // A stream of what the server has to say by itself would stay open: nobody listens to it.
    if (init?.method === "GET") return new Response(null, { status: 405 });
    const body = typeof init?.body === "string" ? init.body : "";
    const callId = callIdOf(body);
    const call = callId === undefined ? this.opening : this.open.get(callId);
    const signals = [call?.signal ?? [], init?.signal ?? []].flat();
    const { secret } = this.server.body.mcp;
    const signed = await this.signer.headers(this.server.tenantId, {
      // What isn't a call is a message of its own each time.
      id: callId ?? `msg_${crypto.randomUUID()}`,
      body,
      secret,
    });
    const headers = new Headers(init?.headers);
    for (const [name, value] of Object.entries(signed)) headers.set(name, value);
    const safely = { ...init, headers, signal: AbortSignal.any(signals) };
    // An answer that breaks off at its limit breaks off the call: the client would wait for the rest of it.
    return fetchSafely(url, safely, this.policy, (error) => call?.fail(error)).catch((error: unknown) => {
      if (error instanceof OutgoingError) call?.fail(error);
      throw error;
    });
  }
}

/** Passes on numbers and no words, and not everything. */
function sparing(progress: (made: ToolProgress) => void, now: () => number): (made: ToolProgress) => void {
  let last = Number.NEGATIVE_INFINITY;
  return ({ progress: made, total }) => {
    if (now() - last < progressEveryMs) return;
    last = now();
    progress({ progress: made, ...defined({ total }) });
  };
}

const callMessage = z.object({
  params: z.object({ _meta: z.object({ [contextMeta]: z.object({ callId: z.string() }) }) }),
});

/** The id of the call that a message is. */
function callIdOf(body: string): string | undefined {
  if (!body.includes(contextMeta)) return undefined;
  return callMessage.safeParse(readJson(body).value).data?.params._meta[contextMeta].callId;
}

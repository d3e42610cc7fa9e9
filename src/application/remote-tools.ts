/**
 * The tools of remote MCP servers are pinned: agents get what was listed when the server was stored, until an operator accepts
 * another list. A description is a text that every model of the tenant reads; it must not change behind everybody's back.
 */
import type { McpTool } from "../agent/definition.js";
import { changesBetween, type RemoteTool, type ToolChange } from "../agent/remote-tool.js";
import type { ActorRecord } from "../conversation/actor-record.js";
import { defined } from "../conversation/defined.js";
import { describeError, log } from "../platform/logging.js";
import type { PinnedTools } from "../stores/pinned-tools.js";
import type { WorkClaim } from "../stores/work-claims.js";
import type { OrdersInData } from "../supervision/orders-in-data.js";
import type { McpConnection, McpServer, McpServers } from "./mcp-servers.js";
import type { RemoteList } from "./remote-tool-list.js";
import { asTenantWants, orderWarnings, readsLikeOrders, withoutOrders } from "./tool-orders.js";

export interface PinnedView {
  readonly tools: readonly RemoteTool[];
  /** Absent where the server couldn't be reached yet. */
  readonly listedAt?: string | undefined;
  /** How what the server lists by now differs. */
  readonly changes?: readonly ToolChange[] | undefined;
  /** Those of which a description or schema reads like orders to a model, pinned or listed by now. */
  readonly orders?: readonly string[] | undefined;
}

/** How long a list is taken to hold before the server is asked again, in milliseconds. */
const checkedForMs = 300_000;
/** Servers that one housekeeping asks, and how many at once. */
const checksPerHour = 200;
const checksAtOnce = 5;

export class RemoteTools {
  constructor(
    private readonly servers: McpServers,
    private readonly pins: PinnedTools,
    private readonly now: () => number,
  ) {}

  connect(server: McpServer): McpConnection {
    return this.servers.connect(server);
  }

  /** The tools that agents get. @throws when nothing is pinned yet and the server can't be reached */
  async use(server: McpServer, action: OrdersInData): Promise<readonly RemoteTool[]> {
    return asTenantWants(await this.pinned(server, action), action);
  }

  /** Those of them that are known already: nobody is called. */
  async known(server: McpServer, action: OrdersInData): Promise<readonly RemoteTool[]> {
    return asTenantWants((await this.pins.get(server))?.tools ?? [], action);
  }

  private async pinned(server: McpServer, action: OrdersInData): Promise<readonly RemoteTool[]> {
    const pinned = await this.pins.get(server);
    if (pinned === undefined) {
      // Stored before lists were pinned.
      const { tools } = await this.servers.list(server);
      await this.pinFirst(server, tools, action, { kind: "system", id: "pinning" });
      return (await this.pins.get(server))?.tools ?? withoutOrders(tools, action);
    }
    // The work goes on meanwhile with what is pinned.
    if (pinned.checkedAt + checkedForMs <= this.now()) void this.check(server, checkedForMs);
    return pinned.tools ?? [];
  }

  /** Pins what a server lists that was just stored; returns what the operator has to know of it. @param by who stored it */
  async pinStored(server: McpServer, by: ActorRecord, action: OrdersInData): Promise<string[]> {
    if ((await this.pins.get(server))?.tools !== undefined) return [];
    const outcome = await this.listed(server);
    await this.pinFirst(server, outcome.list?.tools, action, by);
    return outcome.list === undefined
      ? [
          `The server can't be reached: ${outcome.problem}. It has no tools until they are pinned: POST /v1/tools/${server.name}/pin`,
        ]
      : [...warningsOf(outcome.list), ...orderWarnings(outcome.list.tools, action)];
  }

  /** Of a list that nobody has looked at, what may wait for an operator is shown as a change. */
  private async pinFirst(
    server: McpServer,
    tools: readonly RemoteTool[] | undefined,
    action: OrdersInData,
    by: ActorRecord,
  ): Promise<void> {
    const free = tools && withoutOrders(tools, action);
    await this.pins.pinFirst(server, free, { by, at: this.now() });
    if (tools !== undefined && free !== undefined && free.length < tools.length) await this.pins.note(server, tools);
  }

  /**
   * Accepts what the server lists: the list whose changes were shown, or, if none are known, what it lists now.
   * @param by who accepts it
   * @returns why it can't be done, or what the operator has to know
   */
  async accept(
    server: McpServer,
    by: ActorRecord,
    action: OrdersInData,
    claim?: WorkClaim,
  ): Promise<{ readonly problem: string } | { readonly warnings: string[] }> {
    const seen = (await this.pins.get(server))?.seen;
    const outcome = seen === undefined ? await this.listed(server) : { list: { tools: seen, leftOut: [] } };
    if (outcome.list === undefined) return { problem: outcome.problem };
    await this.pins.pin(server, outcome.list.tools, { by, at: this.now() }, claim);
    // Who accepts it has read it: it waits for nobody any more.
    const orders = orderWarnings(outcome.list.tools, action === "review" ? "allow" : action);
    return { warnings: [...warningsOf(outcome.list), ...orders] };
  }

  async view(server: Omit<McpServer, "body">): Promise<PinnedView> {
    const pinned = await this.pins.get(server);
    if (pinned?.tools === undefined) return { tools: [] };
    const { tools, seen, listedAt } = pinned;
    const orders = [...tools, ...(seen ?? [])].filter(readsLikeOrders).map(({ name }) => name);
    return {
      tools,
      ...(listedAt === undefined ? {} : { listedAt: new Date(listedAt).toISOString() }),
      ...defined({ changes: seen && changesBetween(tools, seen) }),
      ...(orders.length === 0 ? {} : { orders: [...new Set(orders)] }),
    };
  }

  /** Compares what wasn't compared for an hour. @param open gives the stored server with its secrets */
  async checkDue(
    open: (tenantId: string, name: string, version: number) => Promise<McpTool | undefined>,
  ): Promise<void> {
    const hour = 3_600_000;
    const due = await this.pins.due(this.now() - hour, checksPerHour);
    for (let at = 0; at < due.length; at += checksAtOnce) {
      await Promise.all(
        due.slice(at, at + checksAtOnce).map(async (pin) => {
          const body = await open(pin.tenantId, pin.name, pin.version);
          if (body !== undefined) await this.check({ ...pin, body }, hour);
        }),
      );
    }
  }

  /** Compares what a server lists with what is pinned, unless somebody did within `heldForMs`. Never throws. */
  private async check(server: McpServer, heldForMs: number): Promise<void> {
    const { tenantId, name } = server;
    try {
      if (!(await this.pins.claimCheck(server, this.now() - heldForMs, this.now()))) return;
      const { tools } = await this.servers.list(server);
      const pinned = await this.pins.get(server);
      if (pinned?.tools === undefined) return;
      const changes = changesBetween(pinned.tools, tools);
      await this.pins.note(server, changes.length === 0 ? undefined : tools);
      const isNew = changes.length > 0 && changesBetween(pinned.seen ?? pinned.tools, tools).length > 0;
      if (isNew) log("warn", "mcp.tools_changed", { tenantId, subject: name, outcome: "changed" });
    } catch (error) {
      log("warn", "mcp.unreachable", { tenantId, subject: name, ...describeError(error) });
    }
  }

  private async listed(server: McpServer): Promise<{ list: RemoteList } | { list?: undefined; problem: string }> {
    try {
      return { list: await this.servers.list(server) };
    } catch (error) {
      log("warn", "mcp.unreachable", { tenantId: server.tenantId, subject: server.name, ...describeError(error) });
      return { problem: error instanceof Error ? error.message : "it failed" };
    }
  }
}

function warningsOf({ leftOut }: RemoteList): string[] {
  return leftOut.map(({ tool, problem }) => `The tool "${tool}" is left out: ${problem}.`);
}

/** The resources of one work item, at the versions it knows. What is named later, while it runs, is loaded when it is. */
import { z } from "zod";
import type { CallOrigin } from "../agent/call-context.js";
import type { Journal } from "../agent/journal.js";
import type { ReferenceItem } from "../agent/prompt.js";
import { remoteToolSchema } from "../agent/remote-tool.js";
import type { AgentTool, ToolRef } from "../agent/tools.js";
import type { ContextItem } from "../chat/context.js";
import { describeError, log } from "../platform/logging.js";
import type { ResourceReader } from "../stores/tenant-snapshots.js";
import { markedAsData, type OrdersInData } from "../supervision/orders-in-data.js";
import { isOfKind, type ResourceKind, type ResourcePin, type ResourceVersion } from "../tenancy/resources.js";
import type { RemoteTools } from "./remote-tools.js";
import type { SupervisorBuilder } from "./supervisor-builder.js";
import type { RemoteServer, ToolBuilder } from "./tool-builder.js";

export interface ResourceRef {
  readonly kind: ResourceKind;
  readonly name: string;
}

export class WorkResources {
  private versions: ResourceVersion[] = [];
  private readonly remote = new Map<string, RemoteServer>();

  constructor(
    private readonly tenantId: string,
    /** The work's own scope: what is listed of remote servers is listed once in it. */
    private readonly journal: Journal,
    private readonly sources: {
      readonly resources: ResourceReader;
      readonly tools: Pick<ToolBuilder, "build">;
      readonly remoteTools: Pick<RemoteTools, "use" | "connect">;
      readonly supervisors: Pick<SupervisorBuilder, "givesOrders">;
    },
    /** The memories of the session or run, and what its outgoing calls say of it. */
    private readonly work: {
      readonly memoryIds: readonly string[];
      readonly origin: CallOrigin;
      readonly ordersInData: OrdersInData;
    },
  ) {}

  async load(pins: readonly ResourcePin[]): Promise<void> {
    const missing = pins.filter(({ kind, name }) => !this.has(kind, name));
    const loaded = await this.sources.resources.versions(this.tenantId, missing);
    this.versions = [...this.versions, ...loaded];
    await Promise.all(loaded.map((version) => (isOfKind("tools", version) ? this.listRemote(version) : undefined)));
  }

  /** Loads the current versions of those that aren't known yet. */
  async need(refs: readonly ResourceRef[], tools: readonly ToolRef[] = []): Promise<void> {
    const unknown = refs.filter(({ kind, name }) => !this.has(kind, name));
    const servers = tools.filter((ref) => !this.hasTool(ref)).map(({ server }) => server);
    if (unknown.length === 0 && servers.length === 0) return;
    const { resources } = this.sources;
    const [pins, ofServers] = await Promise.all([
      unknown.length === 0 ? [] : resources.pins(this.tenantId, unknown),
      servers.length === 0 ? [] : resources.toolPins(this.tenantId, servers),
    ]);
    await this.load([...pins, ...ofServers]);
  }

  /** Takes up the current version of one, whatever was known of it. */
  async renew({ kind, name }: ResourceRef): Promise<void> {
    this.versions = this.versions.filter((version) => version.kind !== kind || version.name !== name);
    await this.need([{ kind, name }]);
  }

  has(kind: ResourceKind, name: string): boolean {
    return this.get(kind, name) !== undefined;
  }

  /** Whether there is such a tool, or any of a server. */
  hasTool(ref: ToolRef): boolean {
    return this.tools([ref]).length > 0;
  }

  all<K extends ResourceKind>(kind: K): readonly ResourceVersion<K>[] {
    return this.versions.filter((version) => isOfKind(kind, version));
  }

  get<K extends ResourceKind>(kind: K, name: string): ResourceVersion<K>["body"] | undefined {
    return this.all(kind).find((version) => version.name === name)?.body;
  }

  /**
   * In the order of the names, each once; those that don't exist any more are left out. A reference that gives orders is marked, or
   * left out, as the tenant has it.
   */
  items(kind: "rules" | "references", names: readonly string[]): ReferenceItem[] {
    return [...new Set(names)].flatMap((name) => {
      const item = this.get(kind, name);
      if (item === undefined) return [];
      const text = kind === "references" ? this.asData(item, name) : item.text;
      return text === undefined ? [] : [{ name, text, priority: item.priority, description: item.description }];
    });
  }

  private asData(item: ContextItem, name: string): string | undefined {
    const { ordersInData } = this.work;
    if (ordersInData === "allow" || !this.sources.supervisors.givesOrders(item)) return item.text;
    const text = markedAsData(item.text, ordersInData);
    if (text === undefined) log("warn", "reference.left_out", { tenantId: this.tenantId, subject: name });
    return text;
  }

  /** @param memories those that whoever holds the tools may search, beside those of the session or run. */
  tools(refs: readonly ToolRef[], memories: readonly string[] = []): AgentTool[] {
    const { tenantId, remote } = this;
    const { origin } = this.work;
    const memoryIds = [...new Set([...this.work.memoryIds, ...memories])];
    return this.sources.tools.build(
      { tenantId, origin, remote, memoryIds, written: this.work.memoryIds[0] },
      refs,
      this.all("tools"),
    );
  }

  /** Every tool that is loaded, in force or not. */
  loadedTools(): AgentTool[] {
    const servers = new Set(this.all("tools").map(({ body }) => body.server));
    return this.tools([...servers].map((server) => ({ server, tool: "*" })));
  }

  /** Journalled: a replay has the tools that the calls before it were made with. */
  private async listRemote(version: ResourceVersion<"tools">): Promise<void> {
    const { name, body } = version;
    if (!("mcp" in body)) return;
    const { remoteTools } = this.sources;
    const server = { tenantId: this.tenantId, name, version: version.version, body };
    const tools = await this.journal.step(
      { id: `mcp/${name}/${version.version}`, kind: "load", schema: z.array(remoteToolSchema), interrupted: "again" },
      async () => {
        try {
          return [...(await remoteTools.use(server, this.work.ordersInData))];
        } catch (error) {
          log("warn", "mcp.unreachable", { tenantId: this.tenantId, subject: name, ...describeError(error) });
          return [];
        }
      },
    );
    this.remote.set(name, { tools, connection: remoteTools.connect(server) });
  }
}

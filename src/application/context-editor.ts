/** Where supervisors read and change what is in force in a session, and (with full control) what its tenant has stored. */
import type { Journal } from "../agent/journal.js";
import {
  excludeItem,
  excludeTool,
  fitsLimits,
  includeItem,
  includeTool,
  maxAutoItems,
  type SessionContext,
} from "../chat/context.js";
import type { ActorRecord } from "../conversation/actor-record.js";
import { defined } from "../conversation/defined.js";
import type { ToolName } from "../conversation/names.js";
import { log } from "../platform/logging.js";
import type { ResourceEditor } from "../stores/tenant-snapshots.js";
import {
  type ChangeOutcome,
  type ContextAuthor,
  type ContextChange,
  type ContextEditor,
  type ContextEntry,
  type ContextKind,
  changeOutcomeSchema,
} from "../supervision/environment.js";
import type { WorkResources } from "./work-resources.js";

/** How a session's context is changed: written at once, as a new version with its author and reason. */
export type ChangeSessionContext = (
  change: (context: SessionContext) => SessionContext,
  author: ActorRecord,
  reason: string,
) => { readonly version: number; readonly changed: boolean };

export interface ContextEditorPorts {
  readonly tenantId: string;
  readonly store: ResourceEditor;
  readonly resources: WorkResources;
  readonly inForce: () => {
    readonly rules: readonly string[];
    readonly references: readonly string[];
    readonly tools: readonly ToolName[];
  };
  readonly changeContext: ChangeSessionContext;
}

const maxListed = 200;

export class SessionContextEditor implements ContextEditor {
  constructor(private readonly ports: ContextEditorPorts) {}

  async list(kind: ContextKind): Promise<readonly ContextEntry[]> {
    if (kind === "tools") return this.listTools();
    if (kind === "toolServers") return serversOf(await this.listTools());
    const stored = await this.ports.store.list(this.ports.tenantId, kind, "", maxListed);
    const names = this.ports.inForce()[kind];
    return stored.map(({ name, body }) => ({
      kind,
      name,
      ...defined({ description: body.description }),
      text: body.text,
      inForce: names.includes(name),
    }));
  }

  change(change: ContextChange, author: ContextAuthor, journal: Journal): Promise<ChangeOutcome> {
    return journal.step(
      { id: "change", kind: "commit", schema: changeOutcomeSchema, interrupted: "again" },
      async (): Promise<ChangeOutcome> => {
        // What is included has to be there for the very next prompt and call; what is excluded need not exist.
        if (change.act === "include" && !(await this.loaded(change))) {
          return { ok: false, detail: `there is no ${change.kind}/${change.name}; list them to see what there is.` };
        }
        const apply = asApplied(change);
        let refused = false;
        const { version, changed } = this.ports.changeContext(
          (context) => {
            const next = apply(context);
            refused = !fitsLimits(next);
            return refused ? context : next;
          },
          { kind: "supervisor", id: author.supervisor },
          author.reason,
        );
        return refused ? { ok: false, detail: "the context holds as much as it can." } : { ok: true, version, changed };
      },
    );
  }

  store(item: Parameters<ContextEditor["store"]>[0], author: ContextAuthor, journal: Journal): Promise<ChangeOutcome> {
    const { tenantId, store, resources } = this.ports;
    const { kind, name, body } = item;
    const by = { by: { kind: "supervisor", id: author.supervisor } as const, reason: author.reason };
    return journal.step(
      { id: "store", kind: "commit", schema: changeOutcomeSchema, interrupted: "again" },
      async (): Promise<ChangeOutcome> => {
        log("info", "supervision.stored", {
          tenantId,
          subject: `${kind}/${name}`,
          supervisor: author.supervisor,
          outcome: body === undefined ? "deleted" : "stored",
        });
        if (body === undefined) {
          const removed = await store.remove(tenantId, kind, name, by);
          await resources.renew({ kind, name });
          return { ok: true, version: 0, changed: removed };
        }
        const { description, ...rest } = body;
        const stored = { ...rest, ...defined({ description }) };
        const outcome = await store.put(tenantId, kind, name, stored, undefined, by);
        await resources.renew({ kind, name });
        if (outcome.kind === "stored") return { ok: true, version: outcome.version, changed: true };
        const detail =
          outcome.kind === "too_many_auto"
            ? `there are ${maxAutoItems} with include "auto" already.`
            : "it was changed meanwhile.";
        return { ok: false, detail };
      },
    );
  }

  private async loaded({ kind, name }: ContextChange): Promise<boolean> {
    const { resources } = this.ports;
    if (kind === "rules" || kind === "references") {
      await resources.need([{ kind, name }]);
      return resources.has(kind, name);
    }
    const ref = kind === "tools" ? toolName(name) : { server: name, tool: "*" };
    await resources.need([], [ref]);
    return resources.hasTool(ref);
  }

  private async listTools(): Promise<ContextEntry[]> {
    const { store, tenantId, resources, inForce } = this.ports;
    const stored = await store.list(tenantId, "tools", "", maxListed);
    const names = new Set(inForce().tools.map(({ server, tool }) => `${server}/${tool}`));
    const entries = new Map<string, ContextEntry>();
    const add = (name: string, description: string | undefined): void => {
      entries.set(name, { kind: "tools", name, ...defined({ description }), inForce: names.has(name) });
    };
    for (const { name, body } of stored) add(`${body.server}/${"mcp" in body ? "*" : name}`, body.description);
    for (const { ref, description } of resources.loadedTools()) add(`${ref.server}/${ref.tool}`, description);
    for (const name of names) if (!entries.has(name)) add(name, undefined);
    return [...entries.values()];
  }
}

function asApplied({ act, kind, name }: ContextChange): (context: SessionContext) => SessionContext {
  return (context) => {
    if (kind === "rules" || kind === "references") {
      return act === "include" ? includeItem(context, kind, name) : excludeItem(context, kind, name);
    }
    const ref = kind === "tools" ? toolName(name) : { server: name, tool: "*" };
    return act === "include" ? includeTool(context, ref) : excludeTool(context, ref);
  };
}

function toolName(name: string): ToolName {
  const [server = "", ...tool] = name.split("/");
  return { server, tool: tool.join("/") };
}

function serversOf(tools: readonly ContextEntry[]): ContextEntry[] {
  const servers = Map.groupBy(tools, ({ name }) => name.split("/")[0] ?? "");
  return [...servers].map(([name, list]) => ({
    kind: "toolServers",
    name,
    description: list.map((tool) => tool.name.slice(name.length + 1)).join(", "),
    inForce: list.some((tool) => tool.inForce),
  }));
}

/**
 * What is in force in a turn at this moment: rules, references and tools (by the agent, the session, a mention, or because they are
 * like the message), and what the memory has to do with the message. A supervisor may change it while the turn runs.
 */
import { z } from "zod";
import { isMemoryWrite } from "../agent/built-in/memory-write.js";
import type { Mentionable } from "../agent/definition.js";
import type { Journal } from "../agent/journal.js";
import type { PromptParts } from "../agent/prompt.js";
import type { RequestedTool } from "../agent/tool-call.js";
import type { AgentTool, ToolRef } from "../agent/tools.js";
import { type ItemKind, isToolExcluded, likeMessage, mentionedItems, type SessionContext } from "../chat/context.js";
import { type ResourcePin, resourcePinSchema } from "../tenancy/resources.js";
import type { MemoryLink } from "./memory/session-memory.js";
import type { WorkResources } from "./work-resources.js";
import { named, type SetupSources } from "./work-setup.js";

const kinds: readonly ItemKind[] = ["rules", "references"];
const recalledSchema = z.array(z.object({ kind: z.string(), text: z.string() }));

/** What the agent names. */
export interface AgentItems {
  readonly rules: readonly string[];
  readonly references: readonly string[];
  readonly tools: readonly ToolRef[];
  readonly memories: readonly string[];
  readonly mentionable: Mentionable;
}

export interface TurnContextPorts {
  readonly tenantId: string;
  readonly agent: AgentItems;
  readonly session: () => SessionContext;
  /** What a message may mention in this session, beside what the agent lists. */
  readonly mentionable: Mentionable;
  /** The session's memories, and the threads in them. */
  readonly memories: readonly MemoryLink[];
  readonly resources: WorkResources;
  /** Rules and references that a message may bring in: loaded only if it does. */
  readonly auto: readonly ResourcePin[];
  readonly journal: Journal;
  readonly sources: Pick<SetupSources, "resources" | "memory">;
}

export class TurnContext {
  /** The message of this turn, once its verdict is in: what it mentions and what it is like comes into force with it. */
  private message = "";
  private autoIncluded: readonly ResourcePin[] = [];
  private recalled: z.infer<typeof recalledSchema> = [];

  constructor(private readonly ports: TurnContextPorts) {}

  /** Loads what the session's context has come to name. */
  async refresh(): Promise<void> {
    const { agent, session, resources } = this.ports;
    const { rules, references, tools } = session();
    await resources.need([...named("rules", rules), ...named("references", references)], [...agent.tools, ...tools]);
  }

  /** Loads what the message brings in: what is like it, what it mentions, what is remembered of it. */
  async prepare(message: string): Promise<void> {
    const { resources } = this.ports;
    this.message = message;
    this.autoIncluded = await this.selectAutoIncludes(message);
    await resources.load(this.autoIncluded);
    const { rules, references } = this.mentionedIn(message);
    await resources.need([...named("rules", rules), ...named("references", references)]);
    this.recalled = await this.recall(message);
  }

  get memory(): PromptParts["memory"] {
    return this.recalled;
  }

  items(message: string): Pick<PromptParts, "rules" | "references"> {
    const { resources } = this.ports;
    return {
      rules: resources.items("rules", this.namesOf("rules", message)),
      references: resources.items("references", this.namesOf("references", message)),
    };
  }

  tools(): AgentTool[] {
    const { agent, session, resources } = this.ports;
    const context = session();
    return (
      resources
        // Who may write to a memory its definition says, and no session's context.
        .tools([...agent.tools, ...context.tools.filter((ref) => !isMemoryWrite(ref))], agent.memories)
        .filter(({ ref }) => !isToolExcluded(context, ref))
    );
  }

  /** A tool that is out of force by now, as it was named while it was in force. */
  removedTool({ name, ref }: RequestedTool): AgentTool | undefined {
    return this.ports.resources
      .loadedTools()
      .find((tool) =>
        ref === undefined ? tool.name === name || fullName(tool) === name : fullName(tool) === fullName({ ref }),
      );
  }

  inForce(): { readonly rules: string[]; readonly references: string[]; readonly tools: ToolRef[] } {
    return {
      rules: this.namesOf("rules", this.message),
      references: this.namesOf("references", this.message),
      tools: this.tools().map(({ ref }) => ref),
    };
  }

  private namesOf(kind: ItemKind, message: string): string[] {
    const { agent, session, resources } = this.ports;
    const context = session();
    const always = resources.all(kind).filter(({ body }) => body.include === "always");
    const all = [
      ...always.map(({ name }) => name),
      ...agent[kind],
      ...context[kind],
      ...this.mentionedIn(message)[kind],
      ...this.autoIncluded.filter((pin) => pin.kind === kind).map(({ name }) => name),
    ];
    return [...new Set(all)].filter((name) => resources.has(kind, name) && !context.excluded[kind].includes(name));
  }

  /** Only what the agent or the session lists: a message brings in nothing else of the tenant's. */
  private mentionedIn(message: string): Record<ItemKind, string[]> {
    const { agent, mentionable } = this.ports;
    return mentionedItems(message, [agent.mentionable, mentionable]);
  }

  /** Decided on excerpts, so that only what is chosen is loaded. Journalled: a replay has the same in force. */
  private async selectAutoIncludes(message: string): Promise<readonly ResourcePin[]> {
    const { tenantId, auto, journal, sources, session } = this.ports;
    if (auto.length === 0) return [];
    const { excluded } = session();
    return journal.step(
      { id: "auto", kind: "load", schema: z.array(resourcePinSchema), interrupted: "again" },
      async () => {
        const excerpts = await sources.resources.excerpts(tenantId, auto);
        return kinds.flatMap((kind) => {
          const candidates = excerpts.filter((item) => item.kind === kind && !excluded[kind].includes(item.name));
          const chosen = likeMessage(message, candidates);
          return auto.filter((pin) => pin.kind === kind && chosen.includes(pin.name));
        });
      },
    );
  }

  /** Journalled: a replay has the same, whatever was recorded elsewhere meanwhile. */
  private async recall(message: string): Promise<z.infer<typeof recalledSchema>> {
    const { memories, journal, sources } = this.ports;
    if (memories.length === 0) return [];
    return journal.step({ id: "recall", kind: "load", schema: recalledSchema, interrupted: "again" }, () =>
      sources.memory.recall(memories, message),
    );
  }
}

/** As a tool is shown beside another of its name. */
function fullName({ ref }: Pick<AgentTool, "ref">): string {
  return `${ref.server}__${ref.tool}`;
}

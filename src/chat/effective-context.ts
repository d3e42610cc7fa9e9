/** What is in force in a session, and because of whom: its agent, the session itself, or the item's own mode. */
import { z } from "zod";
import type { ToolName } from "../conversation/names.js";
import { contextViewSchema, type ItemKind, isToolExcluded, type SessionContext } from "./context.js";

/**
 * `agent`: the agent names it; `session`: the session includes it; `always`: it is in every session; `mention`: the newest message mentions it;
 * `auto`: a message that is like it brings it in.
 */
const causes = ["agent", "session", "always", "mention", "auto"] as const;

const effectiveItemSchema = z.object({
  kind: z.enum(["rules", "references", "tools"]),
  /** Of a tool `server/tool`; the tool `*` stands for all of its server. */
  name: z.string(),
  /** Of what is stored under this name, the version that counts now; absent where nothing is. */
  version: z.int().optional(),
  because: z.enum(causes),
});
export type EffectiveItem = z.infer<typeof effectiveItemSchema>;

export const effectiveContextSchema = contextViewSchema.extend({ effective: z.array(effectiveItemSchema) });

interface Pin {
  readonly kind: string;
  readonly name: string;
  readonly version: number;
}

export interface ContextSources {
  readonly context: SessionContext;
  /** What the agent names. */
  readonly agent: {
    readonly rules: readonly string[];
    readonly references: readonly string[];
    readonly tools: readonly ToolName[];
  };
  /** The current versions of what is named, and of what is in every session. */
  readonly pins: readonly Pin[];
  readonly auto: readonly Pin[];
  /** What the newest message mentions and may bring in. */
  readonly mentioned: Readonly<Record<ItemKind, readonly string[]>>;
}

const itemKinds: readonly ItemKind[] = ["rules", "references"];

/** Everything in force, each once, by its nearest cause. What the session excludes isn't. */
export function effectiveContext({ context, agent, pins, auto, mentioned }: ContextSources): EffectiveItem[] {
  const items = itemKinds.flatMap((kind) => {
    const stored = pins.filter((pin) => pin.kind === kind);
    const because = new Map<string, EffectiveItem["because"]>();
    for (const { name } of auto.filter((pin) => pin.kind === kind)) because.set(name, "auto");
    for (const { name } of stored) because.set(name, "always");
    const found = mentioned[kind].filter((name) => because.has(name));
    for (const name of found) because.set(name, "mention");
    for (const name of agent[kind]) because.set(name, "agent");
    for (const name of context[kind]) because.set(name, "session");
    return [...because]
      .filter(([name]) => !context.excluded[kind].includes(name))
      .map(([name, cause]) => ({ kind, name, ...versionOf(kind, name, [...stored, ...auto]), because: cause }));
  });
  const tools = new Map<string, EffectiveItem["because"]>();
  for (const ref of agent.tools) if (!isToolExcluded(context, ref)) tools.set(`${ref.server}/${ref.tool}`, "agent");
  for (const ref of context.tools) if (!isToolExcluded(context, ref)) tools.set(`${ref.server}/${ref.tool}`, "session");
  return [
    ...items,
    ...[...tools].map(([name, because]) => ({
      kind: "tools" as const,
      name,
      ...versionOf("tools", name.slice(name.indexOf("/") + 1), pins),
      because,
    })),
  ];
}

function versionOf(kind: string, name: string, pins: readonly Pin[]): { readonly version?: number } {
  const pin = pins.find((one) => one.kind === kind && one.name === name);
  return pin === undefined ? {} : { version: pin.version };
}

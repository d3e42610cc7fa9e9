/** Rules and references as a tenant stores them, and which of them a session has in force. */
import { z } from "zod";
import { actorRecordSchema } from "../conversation/actor-record.js";
import { type ContextChangeBody, contextNames, contextTools } from "../conversation/context-change.js";
import { isSameTool, type ToolName } from "../conversation/names.js";

export { type ContextChangeBody, contextChangeSchema } from "../conversation/context-change.js";

import { coverageOf } from "../text/overlap.js";

/** A rule or a reference. The higher the priority, the earlier it comes in the prompt. */
export const contextItemSchema = z.strictObject({
  text: z.string().min(1).max(50_000),
  description: z.string().max(1_000).optional(),
  priority: z.int().min(0).max(999).default(500),
  /** `always`: in every session of the tenant; `manual`: when included or mentioned; `auto`: when it is like the message. */
  include: z.enum(["always", "manual", "auto"]).default("manual"),
});

export type ContextItem = z.infer<typeof contextItemSchema>;

export const sessionContextSchema = z.strictObject({
  rules: contextNames,
  references: contextNames,
  tools: contextTools,
  /** What is out of force here, whatever else names it: the agent, a mention, an item's own mode. */
  excluded: z.strictObject({ rules: contextNames, references: contextNames, tools: contextTools }).prefault({}),
});
export type SessionContext = z.infer<typeof sessionContextSchema>;

/** One version of a session's context, and who made it. */
export const contextVersionSchema = z.object({
  version: z.int(),
  /** Who changed it; absent of the first one. */
  author: actorRecordSchema.optional(),
  reason: z.string(),
  at: z.iso.datetime(),
  context: sessionContextSchema,
});

export const contextViewSchema = z.object({
  version: z.int(),
  context: sessionContextSchema,
  /** Newest first, at most 100. */
  history: z.array(contextVersionSchema),
});
export type ContextView = z.infer<typeof contextViewSchema>;

export type ItemKind = "rules" | "references";

export function includeItem(context: SessionContext, kind: ItemKind, name: string): SessionContext {
  const excluded = { ...context.excluded, [kind]: context.excluded[kind].filter((other) => other !== name) };
  return { ...context, excluded, [kind]: withName(context[kind], name) };
}

export function excludeItem(context: SessionContext, kind: ItemKind, name: string): SessionContext {
  const excluded = { ...context.excluded, [kind]: withName(context.excluded[kind], name) };
  return { ...context, excluded, [kind]: context[kind].filter((other) => other !== name) };
}

/** A server that is included brings back none of its tools that were excluded by name. */
export function includeTool(context: SessionContext, ref: ToolName): SessionContext {
  const excluded = { ...context.excluded, tools: context.excluded.tools.filter((other) => !isSameTool(other, ref)) };
  return { ...context, excluded, tools: [...context.tools.filter((other) => !isSameTool(other, ref)), ref] };
}

export function excludeTool(context: SessionContext, ref: ToolName): SessionContext {
  const others = context.excluded.tools.filter((other) => !isSameTool(other, ref));
  const tools = context.tools.filter((other) => !covers(ref, other));
  return { ...context, excluded: { ...context.excluded, tools: [...others, ref] }, tools };
}

export function changeContext(
  context: SessionContext,
  { add, remove }: Omit<ContextChangeBody, "reason">,
): SessionContext {
  let next = context;
  for (const kind of ["rules", "references"] as const) {
    for (const name of remove[kind]) next = excludeItem(next, kind, name);
    for (const name of add[kind]) next = includeItem(next, kind, name);
  }
  for (const ref of remove.tools) next = excludeTool(next, ref);
  for (const ref of add.tools) next = includeTool(next, ref);
  return next;
}

export function fitsLimits(context: SessionContext): boolean {
  return sessionContextSchema.safeParse(context).success;
}

/** Whether a tool that the agent or the session names may be used: the nearer word counts, and an exclusion before all. */
export function isToolExcluded(context: SessionContext, ref: ToolName): boolean {
  if (context.excluded.tools.some((other) => isSameTool(other, ref))) return true;
  if (context.tools.some((other) => isSameTool(other, ref))) return false;
  return context.excluded.tools.some((other) => covers(other, ref));
}

/** Names mentioned in a message as `@rule:x` and `@ref:x`. */
function mentionsIn(message: string): Record<ItemKind, string[]> {
  const named = (pattern: RegExp): string[] => [
    ...new Set([...message.matchAll(pattern)].flatMap(([, name]) => name ?? [])),
  ];
  return {
    rules: named(/(?<![\w@])@rule:([A-Za-z0-9_-]{1,100})/g).slice(0, maxMentions),
    references: named(/(?<![\w@])@ref:([A-Za-z0-9_-]{1,100})/g).slice(0, maxMentions),
  };
}

/** What a message mentions that may be mentioned. @param listed by the agent and by the session: nothing else of the tenant's comes in. */
export function mentionedItems(
  message: string,
  listed: readonly Readonly<Record<ItemKind, readonly string[]>>[],
): Record<ItemKind, string[]> {
  const names = mentionsIn(message);
  const allowed = (kind: ItemKind) => names[kind].filter((name) => listed.some((lists) => lists[kind].includes(name)));
  return { rules: allowed("rules"), references: allowed("references") };
}

const maxMentions = 20;
/** How many rules, and how many references, of a tenant may include themselves: each turn looks at all of them. */
export const maxAutoItems = 200;
/** How much of an item's text counts for what it is about. */
export const autoExcerptCharacters = 1_000;
/** The share of a message's distinctive words from which on an item includes itself. */
const autoLikeness = 0.2;
/** How many rules, and how many references, it brings in at most, and how long they are together. */
const maxAuto = 5;
export const maxAutoCharacters = 20_000;

export interface AutoItem {
  readonly name: string;
  readonly description?: string | undefined;
  readonly text: string;
  /** How long the text is, where only its beginning is given. */
  readonly characters?: number;
}

/** Which of these items a message brings in by what it is about: those most like it, as many as fit. */
export function likeMessage(message: string, items: readonly AutoItem[]): string[] {
  const likeness = coverageOf(message);
  const alike = items
    .map((item) => {
      const about = `${item.name} ${item.description ?? ""} ${item.text.slice(0, autoExcerptCharacters)}`;
      return { name: item.name, characters: item.characters ?? item.text.length, score: likeness(about) };
    })
    .filter(({ score }) => score >= autoLikeness)
    .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1));
  const chosen: string[] = [];
  let room = maxAutoCharacters;
  for (const { name, characters } of alike) {
    if (chosen.length === maxAuto) break;
    if (characters > room) continue;
    room -= characters;
    chosen.push(name);
  }
  return chosen;
}

function withName(list: readonly string[], name: string): string[] {
  return list.includes(name) ? [...list] : [...list, name];
}

/** Whether the first names the second, or every tool of its server. */
function covers(a: ToolName, b: ToolName): boolean {
  return a.server === b.server && (a.tool === "*" || a.tool === b.tool);
}

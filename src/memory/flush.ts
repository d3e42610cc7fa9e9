/**
 * A flush: the entries up to a message are taken into the context document. A durable function over the journal: await that the
 * entries are there, synthesise, put the context by compare-and-set, merge and put again where another thread was faster.
 */
import { z } from "zod";
import type { AgentOutcome } from "../agent/agent-spec.js";
import type { Journal } from "../agent/journal.js";
import { lazily } from "../text/lazily.js";
import { citedItems, withoutCitations } from "./citations.js";
import { contextProblems } from "./context-document.js";
import {
  type ContextItem,
  forgottenSchema,
  type ItemOrigin,
  itemOriginSchema,
  itemsOfText,
  itemsOfVersion,
  mergeContexts,
  storeItems,
} from "./context-items.js";
import { extractiveContext, withoutExtractsOf } from "./extractive.js";
import {
  failureOf,
  lastArguments,
  type MemoryAgentPorts,
  runMemoryAgent,
  toolHistory,
  writingTool,
} from "./memory-agent.js";
import {
  type EarlierEntry,
  type MemoryPlace,
  type MemoryPrompts,
  type SynthesisEntry,
  synthesisPrompt,
} from "./prompts.js";

/** What a flush begins with. */
export const flushBaseSchema = z.object({
  version: z.int(),
  document: z.string(),
  /** What its items rest on, in their order. */
  origins: z.array(itemOriginSchema).default([]),
  /** Entries that it holds no longer. */
  forgotten: forgottenSchema.default(() => ({ entries: [] })),
  /** Deletions so far: what was read before another one must not be written. */
  erasures: z.int(),
});
export type FlushBase = z.infer<typeof flushBaseSchema>;

export const putOutcomeSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("stored"), version: z.int() }),
  /** Another version was stored meanwhile: merge into it. */
  z.object({ kind: z.literal("conflict"), current: flushBaseSchema }),
  /** An entry was deleted meanwhile: what was synthesised may hold it, and is thrown away. */
  z.object({ kind: z.literal("erased") }),
]);
export type PutOutcome = z.infer<typeof putOutcomeSchema>;

export interface ContextPut {
  readonly expected: FlushBase;
  readonly document: string;
  readonly origins: readonly ItemOrigin[];
  readonly source: "model" | "extractive";
  readonly sources: readonly string[];
}

export interface FlushSetup extends MemoryPlace {
  readonly models: readonly string[];
  readonly prompts: MemoryPrompts;
  readonly toSeq: number;
  readonly withoutModel?: string | undefined;
}

export interface FlushPorts extends MemoryAgentPorts {
  readonly base: () => Promise<FlushBase>;
  /**
   * The entries to be taken in, read after all of them are indexed.
   * @throws as long as some aren't: the flush is tried again later.
   */
  readonly entries: () => Promise<readonly SynthesisEntry[]>;
  /** What was said just before these, as far as earlier versions took it in; of all of them together a bounded number. */
  readonly earlier: (entries: readonly SynthesisEntry[]) => Promise<readonly EarlierEntry[]>;
  /** Puts the context if `expected` still counts; the same flush finds what it put before. */
  readonly put: (put: ContextPut) => Promise<PutOutcome>;
}

export interface FlushResult {
  readonly version: number;
  readonly degraded: boolean;
  readonly failure?: string | undefined;
  readonly toolHistory: readonly { readonly tool: string; readonly ok: boolean }[];
}

/** Compare-and-set is lost only to somebody who won, so this many in a row mean that something is wrong. */
const maxPuts = 20;
const limits = { maxTokens: 120_000, maxOutputTokens: 4_000 };

interface Draft {
  readonly base: FlushBase;
  readonly items: readonly ContextItem[];
  readonly source: "model" | "extractive";
  readonly sources: readonly string[];
  readonly failure?: string | undefined;
  readonly toolHistory: readonly { readonly tool: string; readonly ok: boolean }[];
}

/**
 * Synthesises a context of the entries and puts it; anew when entries were deleted meanwhile.
 * @throws {Error} when the entries aren't all there yet, or the store can't be reached.
 */
export async function writeContext(setup: FlushSetup, ports: FlushPorts): Promise<FlushResult> {
  for (let attempt = 0; attempt < maxPuts; attempt++) {
    const journal = ports.journal.scope(`synthesis/${attempt}`);
    const draft = await synthesise(setup, { ...ports, journal });
    const version = await putDraft(draft, journal, ports);
    if (version === undefined) continue;
    const { failure, toolHistory: calls } = draft;
    return { version, degraded: failure !== undefined, failure, toolHistory: calls };
  }
  throw new Error(`entries were deleted ${maxPuts} times while the context was written`);
}

/** Puts the draft, merged into what another thread put meanwhile; returns no version when an entry that it may hold was deleted. */
async function putDraft(draft: Draft, journal: Journal, ports: FlushPorts): Promise<number | undefined> {
  let { base, items } = draft;
  for (let count = 0; count < maxPuts; count++) {
    const put: ContextPut = { expected: base, ...storeItems(items), source: draft.source, sources: draft.sources };
    const outcome = await journal.step(
      { id: `put/${count}`, kind: "commit", schema: putOutcomeSchema, interrupted: "again" },
      () => ports.put(put),
    );
    switch (outcome.kind) {
      case "erased":
        return undefined;
      case "stored":
        return outcome.version;
      case "conflict":
        items = mergeContexts(itemsOfVersion(base), itemsOfVersion(outcome.current), items);
        base = outcome.current;
    }
  }
  throw new Error(`the context was changed ${maxPuts} times while it was written`);
}

async function synthesise(setup: FlushSetup, ports: FlushPorts): Promise<Draft> {
  const { journal } = ports;
  const material = await journal.step(
    { id: "material", kind: "load", schema: materialSchema(), interrupted: "again" },
    async () => {
      const base = await ports.base();
      const entries = [...(await ports.entries())];
      return { base, entries, earlier: [...(await ports.earlier(entries))] };
    },
  );
  const { base, entries, earlier } = material;
  const sources = entries.map(({ entryId }) => entryId);
  const before = withoutExtractsOf(itemsOfVersion(base), sources);
  const extract = { base, items: extractiveContext(before, entries, earlier), source: "extractive" as const, sources };
  if (setup.withoutModel !== undefined) return { ...extract, failure: setup.withoutModel, toolHistory: [] };

  const prompt = () => synthesisPrompt(setup, before, entries, setup.prompts, earlier);
  const spec = { models: setup.models, prompt, replyId: `context_${setup.toSeq}` };
  const outcome = await runMemoryAgent(spec, putContextTool, limits, ports);
  const calls = toolHistory(outcome);
  // The offline model can't synthesise: its context is the extractive one, and not one to be done again.
  if (outcome.metadata?.offline === true) return { ...extract, toolHistory: calls };
  const written = writtenBy(outcome);
  if (written === undefined) return { ...extract, failure: failureOf(outcome), toolHistory: calls };
  const earlierIds = earlier.map(({ entryId }) => entryId);
  const items = citedItems(written, { version: base.version, items: before }, sources, earlierIds);
  return { ...extract, items, source: "model", toolHistory: calls };
}

const materialSchema = lazily(() => {
  const synthesisEntrySchema = z.object({
    entryId: z.string(),
    seq: z.int(),
    role: z.string(),
    speaker: z.string().optional(),
    content: z.string(),
    summary: z.string(),
    occurredAt: z.string(),
    corrects: z.object({ entryId: z.string(), content: z.string(), occurredAt: z.string() }).optional(),
    isSuperseded: z.boolean().optional(),
  });
  return z.object({
    base: flushBaseSchema,
    entries: z.array(synthesisEntrySchema),
    /** Flushes that began under the version before have none. */
    earlier: z.array(synthesisEntrySchema.extend({ before: z.string().optional() })).default([]),
  });
});

const putContextArguments = z.strictObject({
  content: z.string().min(1).describe("The whole new context document, in markdown"),
});

const putContextTool = writingTool(
  { name: "put_context", description: "Save the new context document of this memory. It replaces the one before." },
  putContextArguments,
  "Context saved.",
  (args) => {
    const problems = contextProblems(withoutCitations(putContextArguments.parse(args).content));
    if (problems.length === 0) return undefined;
    return `Not saved: ${problems.join("; ")}. Call put_context again with the whole document.`;
  },
);

/** The document that the model ended with; after a repair round that failed too, its last one, which is cut to size. */
function writtenBy(outcome: AgentOutcome): string | undefined {
  const parsed = putContextArguments.safeParse(lastArguments(outcome));
  return parsed.success && itemsOfText(parsed.data.content).length > 0 ? parsed.data.content : undefined;
}

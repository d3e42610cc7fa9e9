/**
 * The capture of one message: one entry. A durable function over the journal. The model writes summary and tags and nothing else:
 * the text is put in byte for byte by the store of the entry. Without a model the summary is an extract.
 */
import { z } from "zod";
import type { AgentOutcome } from "../agent/agent-spec.js";
import { addTokens, noTokens, type TokenUsage } from "../model/port.js";
import { type summarySources, type Tags, tagsSchema } from "./entry.js";
import { extractiveSummary, maxSummaryCharacters } from "./extractive.js";
import {
  failureOf,
  lastArguments,
  type MemoryAgentPorts,
  noUsableSummary,
  runMemoryAgent,
  toolHistory,
  writingTool,
} from "./memory-agent.js";
import {
  type CurrentMessage,
  capturePrompt,
  type MemoryPlace,
  type MemoryPrompts,
  type PriorKnowledge,
  type PromptMessage,
} from "./prompts.js";

/** What the model is asked for: no text of the message, no ids. */
const addEntryArguments = z.strictObject({
  summary: z.string().min(1).max(maxSummaryCharacters).describe("Summary of the current message; it stands alone"),
  tags: tagsSchema.optional().describe("Short names with plain values"),
});

export interface CaptureSetup extends MemoryPlace {
  readonly models: readonly string[];
  readonly prompts: MemoryPrompts;
  /** What the memory knows, for the model to know who and what is spoken of. */
  readonly known: PriorKnowledge;
  /** The messages just before. */
  readonly window: readonly PromptMessage[];
  readonly message: CurrentMessage;
  /** Why no model is to be asked now; it would only take time. */
  readonly withoutModel?: string | undefined;
}

export interface EntryDraft {
  readonly summary: string;
  readonly summarySource: (typeof summarySources)[number];
  readonly tags: Tags;
}

export interface Captured extends EntryDraft {
  /** A model was wanted and not to be had: to be done again. */
  readonly degraded: boolean;
  readonly failure?: string | undefined;
  readonly usage: TokenUsage;
  /** The calls that were made, without the text of the message. */
  readonly toolHistory: readonly { readonly tool: string; readonly ok: boolean }[];
}

const limits = { maxTokens: 60_000, maxOutputTokens: 1_000 };

/**
 * Finds summary and tags of a message and stores its entry: by the tool add_entry where the model calls it properly, otherwise
 * by ourselves with an extract.
 * @param store stores the entry; may be called again with the same. False when an entry was deleted while the model wrote: what it
 * wrote may repeat that, and is thrown away.
 */
export async function captureEntry(
  setup: CaptureSetup,
  store: (entry: EntryDraft) => Promise<boolean>,
  ports: MemoryAgentPorts,
): Promise<Captured> {
  const { message } = setup;
  const extract = { summary: extractiveSummary(message.content), summarySource: "extractive" as const, tags: {} };
  if (setup.withoutModel !== undefined) {
    await store(extract);
    return { ...extract, degraded: true, failure: setup.withoutModel, usage: noTokens, toolHistory: [] };
  }

  const prompt = () => capturePrompt(setup, setup.known, setup.window, message, setup.prompts);
  const spec = { models: setup.models, prompt, replyId: `entry_${message.seq}` };
  const outcome = await runMemoryAgent(spec, addEntryTool, limits, ports);
  const captured = draftOf(outcome);
  // The offline model goes by shared words alone: the message's own beginning says more, and isn't to be done again.
  const offline = outcome.metadata?.offline === true;
  const outdated = captured !== undefined && !offline && !(await store(captured));
  const entry = captured === undefined || offline || outdated ? extract : captured;
  if (entry === extract) await store(extract);
  return {
    ...entry,
    degraded: entry === extract && !offline,
    ...(entry === extract && !offline ? { failure: outdated ? noUsableSummary : failureOf(outcome) } : {}),
    usage: addTokens(outcome, noTokens),
    toolHistory: toolHistory(outcome),
  };
}

/** The text of the message, which the model never repeats, is added by the store. */
const addEntryTool = writingTool(
  {
    name: "add_entry",
    description: "Record the current message as one entry of the memory. Its text is added by the system.",
  },
  addEntryArguments,
  "Entry added.",
  (args) =>
    addEntryArguments
      .safeParse(args)
      .error?.issues.map(({ message }) => message)
      .join("; "),
);

/** What the model wrote: as it ended, or, after a repair round that failed too, its last summary cut to size. */
function draftOf(outcome: AgentOutcome): EntryDraft | undefined {
  if (outcome.kind === "ended") {
    const { summary, tags = {} } = addEntryArguments.parse(outcome.by.args);
    return { summary, summarySource: "model", tags };
  }
  const last = lastArguments(outcome);
  const summary = z.object({ summary: z.string().min(1) }).safeParse(last);
  if (!summary.success) return undefined;
  const tags = tagsSchema.safeParse(last?.tags);
  return {
    summary: extractiveSummary(summary.data.summary),
    summarySource: "model",
    tags: tags.success ? tags.data : {},
  };
}

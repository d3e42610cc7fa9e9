/**
 * The capture of one message: one entry. A durable function over the journal. The model writes summary and tags and nothing else:
 * the text is put in byte for byte by whoever stores the entry. Without a model the summary is an extract.
 */
import { z } from "zod";
import type { AgentOutcome } from "../agent/agent-spec.js";
import { defaultAgentLimits } from "../agent/budget.js";
import type { Journal } from "../agent/journal.js";
import { runAgent } from "../agent/loop.js";
import type { AgentPorts } from "../agent/ports.js";
import { type AgentTool, openGuard } from "../agent/tools.js";
import { type summarySources, type Tags, tagsSchema } from "./entry.js";
import { extractiveSummary, maxSummaryCharacters } from "./extractive.js";
import {
  type CurrentMessage,
  capturePrompt,
  type KnownBefore,
  type MemoryPlace,
  type MemoryPrompts,
  type SaidMessage,
} from "./prompts.js";

const memoryServer = "memory";

/** What the model is asked for: no text of the message, no ids. */
const addEntryArguments = z.strictObject({
  summary: z.string().min(1).max(maxSummaryCharacters).describe("Summary of the current message; it stands alone"),
  tags: tagsSchema.optional().describe("Short names with plain values"),
});

export interface CaptureSetup extends MemoryPlace {
  readonly models: readonly string[];
  readonly prompts: MemoryPrompts;
  /** What the memory knows, for the model to know who and what is spoken of. */
  readonly known: KnownBefore;
  /** The messages just before. */
  readonly window: readonly SaidMessage[];
  readonly message: CurrentMessage;
  /** Why no model is to be asked now; it would only take time. */
  readonly withoutModel?: string | undefined;
}

export interface CapturedEntry {
  readonly summary: string;
  readonly summarySource: (typeof summarySources)[number];
  readonly tags: Tags;
}

export interface Captured extends CapturedEntry {
  /** A model was wanted and not to be had: to be done again. */
  readonly degraded: boolean;
  readonly failure?: string | undefined;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
  /** The calls that were made, without the text of the message. */
  readonly toolHistory: readonly { readonly tool: string; readonly ok: boolean }[];
}

/** The ports of an agent but for those that the memory agent brings itself. */
export type MemoryAgentPorts = Omit<AgentPorts, "guard" | "observer" | "journal"> & { readonly journal: Journal };

const limits = { ...defaultAgentLimits, maxToolRounds: 1, maxTokens: 60_000, maxOutputTokens: 1_000 };

/**
 * Finds summary and tags of a message and stores its entry: by the tool add_entry where the model calls it properly, otherwise
 * by ourselves with an extract.
 * @param store stores the entry; may be called again with the same. False when an entry was deleted while the model wrote: what it
 * wrote may repeat that, and is thrown away.
 */
export async function captureEntry(
  setup: CaptureSetup,
  store: (entry: CapturedEntry) => Promise<boolean>,
  ports: MemoryAgentPorts,
): Promise<Captured> {
  const { message } = setup;
  const extract = { summary: extractiveSummary(message.content), summarySource: "extractive" as const, tags: {} };
  if (setup.withoutModel !== undefined) {
    await store(extract);
    return { ...extract, degraded: true, failure: setup.withoutModel, usage: noUsage, toolHistory: [] };
  }

  const outcome = await runAgent(
    {
      models: setup.models,
      prompt: () => capturePrompt(setup, setup.known, setup.window, message, setup.prompts),
      tools: () => [addEntryTool],
      endingTools: [addEntryTool.name],
      toolChoice: "required",
      limits,
      replyId: `entry_${message.seq}`,
    },
    { ...ports, guard: openGuard },
  );
  const captured = capturedBy(outcome);
  // The offline model goes by shared words alone: the message's own beginning says more, and isn't to be done again.
  const offline = outcome.metadata?.offline === true;
  const outdated = captured !== undefined && !offline && !(await store(captured));
  const entry = captured === undefined || offline || outdated ? extract : captured;
  if (entry === extract) await store(extract);
  return {
    ...entry,
    degraded: entry === extract && !offline,
    ...(entry === extract && !offline ? { failure: outdated ? uncalled : failureOf(outcome) } : {}),
    usage: { inputTokens: outcome.inputTokens, outputTokens: outcome.outputTokens },
    toolHistory: toolHistory(outcome),
  };
}

const noUsage = { inputTokens: 0, outputTokens: 0 };

/** Ends the run with what the model wrote; the entry itself is stored outside, with the text that the model never repeats. */
const addEntryTool: AgentTool = {
  ref: { server: memoryServer, tool: "add_entry" },
  name: "add_entry",
  description: "Record the current message as one entry of the memory. Its text is added by the system.",
  parameters: z.toJSONSchema(addEntryArguments, { io: "input" }),
  timeoutMs: 10_000,
  execution: "idempotent",
  async run(args) {
    const parsed = addEntryArguments.safeParse(args);
    return parsed.success
      ? { content: "Entry added.", endsRun: true }
      : { content: parsed.error.issues.map(({ message }) => message).join("; "), isError: true };
  },
};

/** What the model wrote: as it ended, or, after a repair round that failed too, its last summary cut to size. */
function capturedBy(outcome: AgentOutcome): CapturedEntry | undefined {
  if (outcome.kind === "ended") {
    const { summary, tags = {} } = addEntryArguments.parse(outcome.by.args);
    return { summary, summarySource: "model", tags };
  }
  const last = outcome.turns.at(-1)?.toolCalls?.at(-1)?.args;
  const summary = z.object({ summary: z.string().min(1) }).safeParse(last);
  if (!summary.success) return undefined;
  const tags = tagsSchema.safeParse(last?.tags);
  return {
    summary: extractiveSummary(summary.data.summary),
    summarySource: "model",
    tags: tags.success ? tags.data : {},
  };
}

/** The model answered, and what it said can't be used: it is worth asking about the next message. */
export const uncalled = "the model gave no summary that can be used";

export function failureOf(outcome: AgentOutcome): string {
  return outcome.kind === "failed" ? outcome.detail : uncalled;
}

export function toolHistory(outcome: AgentOutcome): { tool: string; ok: boolean }[] {
  return outcome.turns.flatMap(({ toolCalls = [] }) =>
    toolCalls.map(({ tool, error }) => ({ tool, ok: error === undefined })),
  );
}

/**
 * What the agents of a team or a debate have done that isn't to be done again: those who work after them, because they failed, handed the
 * task on or simply were first, read what was done, and a call that one of them made already isn't made a second time.
 */
import { z } from "zod";
import { dataBlock } from "../conversation/data-block.js";
import { isSameTool } from "../conversation/names.js";
import { canonicalArguments } from "./tool-cache.js";
import type { ToolCall, ToolEffect, ToolGuard } from "./tools.js";

/** As an object stores it. */
export const effectSchema = z.object({
  server: z.string(),
  tool: z.string(),
  toolCallId: z.string(),
  requested: z.record(z.string(), z.unknown()),
  args: z.record(z.string(), z.unknown()),
  outcome: z.enum(["done", "unknown"]),
  content: z.string(),
  /** A worker's id, `supervisor`, or a seat's id; of work within other work with the way to it. */
  by: z.string(),
});
export type Effect = ToolEffect & Readonly<z.infer<typeof effectSchema>>;

/** An effect as records show it: without arguments and results. */
export const effectRecordSchema = z.object({
  server: z.string(),
  tool: z.string(),
  /** `unknown`: it was begun, and may or may not have taken effect. */
  outcome: z.enum(["done", "unknown"]),
});

export function effectRecord({ server, tool, outcome }: Effect): z.infer<typeof effectRecordSchema> {
  return { server, tool, outcome };
}

/** @param agent as whose they count, in the work that `path` leads to. */
export function effectsOf(effects: readonly ToolEffect[], path: readonly string[], agent: string): Effect[] {
  return effects.map((effect) => ({ ...effect, by: [...path, agent].join("/") }));
}

/** Lets no call through that was made before. Nobody is asked to approve what was done; and what supervision makes of a call may be what was. */
export function refusingRepeats(guard: ToolGuard, done: readonly Effect[]): ToolGuard {
  return {
    async beforeCall(call, journal) {
      const repeated = refuseRepeat(call, done);
      if (repeated !== undefined) return { kind: "refuse", reason: repeated, why: "repeated" };
      const decision = await guard.beforeCall(call, journal);
      const changed = decision.kind === "go" ? refuseRepeat({ ...call, args: decision.value }, done) : undefined;
      return changed === undefined ? decision : { kind: "refuse", reason: changed, why: "repeated" };
    },
    afterCall: (call, output, journal) => guard.afterCall(call, output, journal),
  };
}

/** Why a call isn't made: an agent that has ended made it, with the same arguments, in whatever order they stood. */
function refuseRepeat({ tool, args }: ToolCall, done: readonly Effect[]): string | undefined {
  const given = canonicalArguments(args);
  const earlier = done.find(
    (effect) =>
      isSameTool(effect, tool.ref) &&
      [effect.requested, effect.args].some((earlierArgs) => canonicalArguments(earlierArgs) === given),
  );
  if (earlier === undefined) return undefined;
  const what = `"${tool.name}" was called with these very arguments by ${earlier.by} before`;
  return earlier.outcome === "done"
    ? `Not called again: ${what}, and it was done. Its result is above; go on from it.`
    : `Not called again: ${what}, and nobody knows whether it took effect. Don't repeat it; say so.`;
}

/** The most of a result that the next agent reads, in characters. */
const longestContent = 4_000;

/** What was done, as the next agent reads it: data, with who did it. */
export function effectBlocks(effects: readonly Effect[]): string[] {
  return effects.map(({ by, server, tool, args, outcome, content }) =>
    dataBlock("done", { by, tool: `${server}/${tool}`, outcome }, `${JSON.stringify(args)}\n${clip(content)}`),
  );
}

/** What was done, for a failure to say; nothing where nothing was. */
export function effectsInWords(effects: readonly Effect[]): string {
  if (effects.length === 0) return "";
  const calls = effects.map(
    ({ by, server, tool, outcome }) =>
      `${server}/${tool} by ${by}${outcome === "done" ? "" : " (its outcome is unknown)"}`,
  );
  return ` What was done all the same: ${calls.join("; ")}.`;
}

/**
 * What was done, for an end user whose answer can't be shown: by the names of the tools alone. Nothing where nothing was.
 * @example doneForUsers([{ tool: "pay_refund", outcome: "done", … }]) // " It was done; its confirmation can't be shown: pay refund."
 */
export function doneForUsers(effects: readonly Pick<ToolEffect, "tool" | "outcome">[]): string {
  const toolNames = (which: ToolEffect["outcome"]): string =>
    [...new Set(effects.flatMap(({ tool, outcome }) => (outcome === which ? [plainName(tool)] : [])))].join(", ");
  const [done, unknown] = [toolNames("done"), toolNames("unknown")];
  return [
    done === "" ? "" : ` It was done; its confirmation can't be shown: ${done}.`,
    unknown === "" ? "" : ` It was begun, and may or may not have been done: ${unknown}.`,
  ].join("");
}

/** A tool's name in words: `payRefund` and `pay_refund` are "pay refund". */
function plainName(tool: string): string {
  return tool
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/[_.-]/g, " ")
    .trim()
    .toLowerCase();
}

export function clip(text: string, most = longestContent): string {
  return text.length <= most ? text : `${text.slice(0, most)}… [cut: ${text.length - most} more characters]`;
}

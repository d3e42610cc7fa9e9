/**
 * A model's answer as an object: asked for as JSON, repaired and validated; one that can't be used goes back to the model once, with the
 * reason. What it says is supervised before anybody reads it.
 */
import { addSpent, defaultAgentLimits, nothingSpent, type Spent } from "../agent/budget.js";
import { runAgent } from "../agent/loop.js";
import type { AgentPorts } from "../agent/ports.js";
import { openGuard } from "../agent/tools.js";
import type { ModelMessage } from "../model/port.js";
import { type DebateMaterial, materialPrompt } from "./debate-material.js";
import { type DebatePorts, type LoadedPanel, scoped, speakingAs } from "./ports.js";
import { superviseHop } from "./supervised-texts.js";
import { type Read, readFrom } from "./written-answer.js";

/** What a model is asked without tools. */
export interface JsonQuestion<T> {
  readonly models: readonly string[];
  readonly prompt: readonly ModelMessage[];
  readonly replyId: string;
  readonly read: (value: object) => Read<T>;
}

/** One call of a model without tools, its answer read as an object; `text` is absent where it gave none. */
export async function askForJson<T>(
  { models, prompt, replyId, read }: JsonQuestion<T>,
  { limits: { modelTimeoutMs } }: Pick<LoadedPanel, "limits">,
  ports: Omit<AgentPorts, "guard" | "observer">,
): Promise<{ readonly read: Read<T>; readonly text?: string; readonly spent: Spent }> {
  const outcome = await runAgent(
    {
      models,
      prompt: () => prompt,
      tools: () => [],
      limits: { ...defaultAgentLimits, maxToolRounds: 0, modelTimeoutMs },
      replyId,
    },
    { ...ports, guard: openGuard, observer: {} },
  );
  const spent = addSpent(nothingSpent, outcome);
  if (outcome.kind === "answered") return { read: readFrom(outcome.text, read), text: outcome.text, spent };
  const problem = outcome.kind === "failed" ? outcome.detail : "it gave no answer";
  return { read: { ok: false, problem }, spent };
}

export interface StructuredQuestion<T> {
  /** Who answers: names the steps, and whom supervisors see. */
  readonly from: "analyst" | "synthesis";
  /** Unique, and the same over replays. */
  readonly id: string;
  readonly models: readonly string[];
  readonly instructions: string;
  readonly material: DebateMaterial;
  /** What is to be answered with, in words; said again when the answer can't be used. */
  readonly demand: string;
  readonly read: (value: object) => Read<T>;
  /** The texts of the answer, and the answer with others in their place. */
  readonly texts: (value: T) => readonly string[];
  readonly withTexts: (value: T, texts: readonly string[]) => T;
}

export type StructuredAnswer<T> = {
  /** Of all calls together. */
  readonly spent: Spent;
} & (
  | { readonly kind: "answer"; readonly value: T }
  /** `blocked`: by a supervisor. */
  | { readonly kind: "failed"; readonly error: string; readonly reason: "failed" | "blocked" }
);

/** @throws {Parked} while a person reviews the answer. */
export async function askStructured<T>(
  { id, from, models, instructions, material, demand, read, texts, withTexts }: StructuredQuestion<T>,
  panel: Pick<LoadedPanel, "limits">,
  ports: DebatePorts,
): Promise<StructuredAnswer<T>> {
  const prompt = materialPrompt(instructions, material, panel.limits.promptTokens);
  const call = (scope: string, more: readonly ModelMessage[]) =>
    askForJson(
      { models, prompt: [...prompt, { role: "user", content: demand }, ...more], replyId: `${id}.${scope}`, read },
      panel,
      scoped(ports, scope),
    );
  let answer = await call("ask", []);
  let { spent } = answer;
  const { text } = answer;
  if (!answer.read.ok && text !== undefined) {
    answer = await call("repair", [
      { role: "assistant", content: text },
      { role: "user", content: `That can't be used: ${answer.read.problem} ${demand}` },
    ]);
    spent = addSpent(spent, answer.spent);
  }
  if (!answer.read.ok) {
    const { problem } = answer.read;
    const error = text === undefined ? problem : `the model's answer can't be used: ${problem}`;
    return { kind: "failed", error, reason: "failed", spent };
  }
  // It leaves the debate: judged by the supervisors of what does.
  const { value } = answer.read;
  const hop = { from, to: "caller", hooks: ["response"] } as const;
  const passed = await superviseHop(texts(value), hop, scoped(speakingAs(from, ports), "supervision"));
  if (passed.action === "block") {
    return { kind: "failed", error: `it was blocked: ${passed.why}`, reason: "blocked", spent };
  }
  return { kind: "answer", value: passed.action === "allow" ? value : withTexts(value, passed.texts), spent };
}

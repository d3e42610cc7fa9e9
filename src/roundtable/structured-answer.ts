/**
 * A model's answer as an object: asked for as JSON, repaired and validated; one that can't be used goes back to the model once, with the
 * reason. What it says is supervised before anybody reads it.
 */
import type { z } from "zod";
import { defaultAgentLimits } from "../agent/budget.js";
import { runAgent } from "../agent/loop.js";
import { addSpent, nothingSpent, type Spent } from "../agent/spent.js";
import { openGuard } from "../agent/tools.js";
import type { ModelMessage } from "../model/port.js";
import { activeAtHop } from "../supervision/as-hop.js";
import { supervise } from "../supervision/supervise.js";
import { jsonObjectsIn } from "../text/written-json.js";
import type { DebatePorts, LoadedPanel } from "./ports.js";
import { joinParts, splitParts } from "./supervised-parts.js";

export type Read<T> =
  | { readonly ok: true; readonly value: T }
  /** `problem` is shown to the model, once. */
  | { readonly ok: false; readonly problem: string };

/** What is wrong with an answer that has another shape than was demanded. */
export function unreadable({ issues: [issue] }: z.ZodError): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem: `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "it can't be read"}.` };
}

export interface StructuredQuestion<T> {
  /** Who answers: names the steps, and whom supervisors see. */
  readonly from: "analyst" | "synthesis";
  /** Unique, and the same over replays. */
  readonly id: string;
  readonly models: readonly string[];
  readonly prompt: readonly ModelMessage[];
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
  question: StructuredQuestion<T>,
  panel: Pick<LoadedPanel, "limits">,
  ports: DebatePorts,
): Promise<StructuredAnswer<T>> {
  let spent = nothingSpent;
  const call = async (scope: string, more: readonly ModelMessage[]): Promise<{ text?: string; read: Read<T> }> => {
    const outcome = await runAgent(
      {
        models: question.models,
        prompt: () => [...question.prompt, ...more],
        tools: () => [],
        limits: { ...defaultAgentLimits, maxToolRounds: 0, modelTimeoutMs: panel.limits.modelTimeoutMs },
        replyId: `${question.id}.${scope}`,
      },
      { ...ports, journal: ports.journal.scope(scope), guard: openGuard, observer: {} },
    );
    spent = addSpent(spent, outcome);
    if (outcome.kind !== "answered") {
      const problem = outcome.kind === "failed" ? outcome.detail : "it gave no answer";
      return { read: { ok: false, problem } };
    }
    return { text: outcome.text, read: readText(outcome.text, question.read) };
  };
  const first = await call("ask", [{ role: "user", content: question.demand }]);
  let { read } = first;
  if (!read.ok && first.text !== undefined) {
    const again = await call("repair", [
      { role: "user", content: question.demand },
      { role: "assistant", content: first.text },
      { role: "user", content: `That can't be used: ${read.problem} ${question.demand}` },
    ]);
    read = again.read;
  }
  if (!read.ok) {
    const error = first.text === undefined ? read.problem : `the model's answer can't be used: ${read.problem}`;
    return { kind: "failed", error, reason: "failed", spent };
  }
  return { ...(await superviseAnswer(read.value, question, ports)), spent };
}

function readText<T>(text: string, read: (value: object) => Read<T>): Read<T> {
  let first: Read<T> | undefined;
  for (const value of jsonObjectsIn(text)) {
    const one = read(value);
    if (one.ok) return one;
    first ??= one;
  }
  return first ?? { ok: false, problem: "it holds no JSON object." };
}

/** It leaves the debate: by whoever supervises what does. */
async function superviseAnswer<T>(
  value: T,
  { from, texts, withTexts }: StructuredQuestion<T>,
  ports: DebatePorts,
): Promise<{ kind: "answer"; value: T } | { kind: "failed"; error: string; reason: "blocked" }> {
  const parts = texts(value);
  const passed = await supervise(
    { hook: "hop", from, to: "caller", content: joinParts(parts) },
    activeAtHop(ports.supervisors, ["response"]),
    ports.journal.scope("supervision"),
    { ...ports.supervise, source: { ...ports.supervise.source, agent: from } },
  );
  ports.noteDegraded(passed.degraded);
  if (passed.action === "block") {
    return { kind: "failed", error: `it was blocked: ${passed.reasons.join("; ")}`, reason: "blocked" };
  }
  if (passed.action === "allow") return { kind: "answer", value };
  const { content } = passed.subject;
  // Parts that can't be told apart any more become the first, and the others are gone.
  const cleared = splitParts(content, parts.length) ?? [content, ...parts.slice(1).map(() => "")];
  return { kind: "answer", value: withTexts(value, cleared) };
}
